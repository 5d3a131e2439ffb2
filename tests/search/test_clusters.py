"""Units and classes made of them: nothing is lost, and persons are never divided."""

from __future__ import annotations

import numpy as np
import polars as pl

import shoal
from shoal.coded import Coded
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.models import KAnonymity, LDiversity
from shoal.search.clusters import classes_of, joined, units_of


def coded_of(person: str | None) -> Coded:
    frame = pl.DataFrame(
        {"age": ["1", "1", "1", "2", "2"], "ill": ["a", "a", "b", "a", "a"], "who": ["p", "q", "p", "q", "q"]}
    )
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive(), "who": shoal.identifier()}
    plan = shoal.Plan(columns=columns, models=[LDiversity("ill", l=2)], data=shoal.Data(person=person))
    return fit(LocalEngine(frame), plan).coded


def test_a_unit_is_a_distinct_row_or_all_rows_with_equal_codes() -> None:
    rows = units_of(coded_of(None), [LDiversity("ill", l=2)])
    assert len(rows) == 3 and rows.size.tolist() == [2, 1, 2]
    assert rows.spot.tolist() == [0, 0, 1] and rows.kind.tolist() == [0, 1, 0]
    persons = units_of(coded_of("who"), [KAnonymity(k=2)])
    assert persons.size.tolist() == [2, 1, 2] and np.diff(persons.offsets).tolist() == [2, 1, 1]
    assert persons.kind.tolist() == [0, 0, 0], "no model reads a column"
    assert persons.codes[:, 0].tolist() == [0, 0, 1]


def test_classes_add_up_entries_of_the_same_unit() -> None:
    arrays = (np.array(values) for values in ([2, 0, 2, 1], [1, 5, 2, 4], [7, 3, 7, 3]))
    classes = classes_of(*arrays, np.array([1, 1, 0]))
    assert classes.unit.tolist() == [2, 0, 1] and classes.weight.tolist() == [3, 5, 4]
    assert classes.offsets.tolist() == [0, 1, 3] and classes.block.tolist() == [0, 1]
    assert classes.rows.tolist() == [3, 9] and classes.class_of.tolist() == [0, 1, 1] and len(classes) == 2


def test_members_are_the_rows_of_the_units() -> None:
    for person in (None, "who"):
        coded = coded_of(person)
        units = units_of(coded, [KAnonymity(k=2)])
        whole = classes_of(np.array([2, 0, 1]), units.size[[2, 0, 1]], np.array([0, 1, 1]), np.zeros(3, np.int64))
        members = whole.members(units, whole=person is not None)
        assert sorted(members.rows.tolist()) == list(range(len(coded.counted)))
        assert members.weight.tolist() == coded.counted.weight[members.rows].tolist()
        assert np.diff(members.offsets).tolist() == ([1, 2] if person is None else [1, 3])


def test_merged_pairs_share_the_smallest_number() -> None:
    assert joined(6, [(5, 2), (2, 3), (1, 0)]).tolist() == [0, 0, 2, 2, 4, 2]
