"""Coarser tables: adjacent codes become the highest of their group, and every row knows its coarse row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.coded import Coded
from shoal.coded.domains import TREE
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.hierarchies import Prefix
from shoal.models import LDiversity
from shoal.roles.columns import Column, Data
from shoal.search.coarsening import coarsened, highest_codes
from tests.effort import examples

COLUMNS = {
    "age": Column(role="quasi-identifier", type="integer"),
    "zip": Column(role="quasi-identifier", hierarchy=Prefix(steps=(2, 1)), type="text"),
    "job": Column(role="quasi-identifier"),
    "d": Column(role="sensitive"),
}
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["?", *map(str, range(12))]),
        st.sampled_from(["100", "101", "110", "200", "210", "211", "300"]),
        st.sampled_from(["a", "b", "c", "d", "e"]),
        st.sampled_from(["x", "y"]),
        st.sampled_from(["ann", "bob", "cat"]),
    ),
    min_size=1,
    max_size=40,
)


def coded_of(rows: Sequence[Any], *, person: bool = False, coarsest: int | None = None, sets: bool = False) -> Coded:
    frame = pl.DataFrame(rows, schema=dict.fromkeys([*COLUMNS, "who"], pl.String), orient="row")
    limited = COLUMNS["zip"].model_copy(update={"coarsest": coarsest})
    plan = shoal.Plan(
        data=Data(person="who" if person else None),
        columns={**COLUMNS, "zip": limited, "who": Column(role="identifier")},
        models=[LDiversity("d", l=2)],
        release=shoal.ReleaseSettings(categories="sets" if sets else "hierarchy"),
    )
    return fit(LocalEngine(frame), plan).coded


@given(ROWS, st.booleans(), st.sampled_from([None, 1]), st.sampled_from([1, 2, 3, 8, 16]), st.data())
@settings(max_examples=examples(80), deadline=None)
def test_a_coarse_row_holds_the_rows_of_its_groups(
    rows: list[Any], person: bool, coarsest: int | None, groups: int, data: st.DataObject
) -> None:
    coded = coded_of(rows, person=person, coarsest=coarsest, sets=data.draw(st.booleans()))
    coarse = coarsened(coded, groups, trees=data.draw(st.booleans()))
    counted, found = coded.counted, coarse.coded.counted
    assert coarse.size.tolist() == [Counter(coarse.of_row.tolist())[row] for row in range(len(found))]
    for row, of in enumerate(coarse.of_row.tolist()):
        assert counted.sensitive["d"][row] == found.sensitive["d"][of]
        assert counted.person is None or counted.person[row] == found.person[of]  # type: ignore[index]
        assert (counted.quasi[:, row] <= found.quasi[:, of]).all()
    weights = [int(counted.weight[coarse.of_row == row].sum()) for row in range(len(found))]
    assert found.weight.tolist() == weights and found.rows == counted.rows
    keys = {tuple(key) for key in zip(*found.quasi.tolist(), found.sensitive["d"].tolist(), strict=True)}
    assert person or len(keys) == len(found)


@given(ROWS, st.sampled_from([None, 1]), st.sampled_from([1, 2, 3, 8]), st.booleans())
@settings(max_examples=examples(80), deadline=None)
def test_groups_are_adjacent_codes_that_a_label_may_cover(
    rows: list[Any], coarsest: int | None, groups: int, sets: bool
) -> None:
    coded = coded_of(rows, coarsest=coarsest, sets=sets)
    for a, domain in enumerate(coded.quasi):
        counts = np.bincount(coded.counted.quasi[a], coded.counted.weight, domain.size).astype(np.int64)
        highest = highest_codes(domain, counts, groups)
        assert (np.diff(highest) >= 0).all() and (highest[highest] == highest).all()
        assert (highest >= np.arange(domain.size)).all()
        if domain.blocks is not None:
            assert (domain.blocks[highest] == domain.blocks).all()
        elif domain.published == TREE or not domain.has_missing:
            assert len(np.unique(highest[counts > 0])) <= max(groups, 1)
        else:
            assert highest[0] == 0 or domain.size <= groups
            assert len(np.unique(highest[counts > 0])) <= groups + 1


def test_groups_of_numbers_have_about_equally_many_rows() -> None:
    coded = coded_of([(str(age), "100", "a", "x", "ann") for age in [0] * 6 + [1, 2, 3, 4, 5, 6]])
    age = coded.quasi[0]
    assert highest_codes(age, np.array([6, 1, 1, 1, 1, 1, 1]), 2).tolist() == [0, 6, 6, 6, 6, 6, 6]
    assert highest_codes(age, np.array([1, 1, 1, 1, 1, 1, 1]), 7).tolist() == list(range(7))


def test_groups_of_a_tree_are_its_nodes() -> None:
    coded = coded_of([("1", zip_code, "a", "x", "ann") for zip_code in ("100", "101", "110", "200", "211")])
    tree, rows = coded.quasi[1], np.ones(5, np.int64)
    assert highest_codes(tree, rows, 4).tolist() == [1, 1, 2, 3, 4]
    assert highest_codes(tree, rows, 3).tolist() == [2, 2, 2, 4, 4]
    assert highest_codes(tree, rows, 1).tolist() == [4, 4, 4, 4, 4]


@pytest.mark.parametrize("trees", [True, False])
def test_without_trees_their_columns_are_not_told_apart(trees: bool) -> None:
    coded = coded_of([("1", zip_code, "a", "x", "ann") for zip_code in ("100", "200", "300")])
    assert len(coarsened(coded, 8, trees=trees).size) == (3 if trees else 1)
