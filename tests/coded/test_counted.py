"""Counted rows: they mean the same as the table, whatever the order of its rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.coded.counted import Coded, Counted, coded_values, reference_counts
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.models import LDiversity
from shoal.plan import Plan, ReleaseSettings
from shoal.roles.columns import Column, Data
from tests.coded.publishing import distinct_row_of
from tests.effort import examples

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "30", "?", ""]),
        st.sampled_from(["a", "b", "NA", "*"]),
        st.sampled_from(["flu", "HIV", None]),
        st.sampled_from(["p", "q", "r"]),
    ),
    min_size=1,
    max_size=20,
)
COLUMNS = {
    "n": Column(role="quasi-identifier"),
    "t": Column(role="quasi-identifier"),
    "d": Column(role="sensitive"),
    "who": Column(role="identifier"),
}


def decoded(coded: Coded, row: int) -> tuple[str, ...]:
    return tuple(domain.texts[code] for domain, code in zip(coded.quasi, coded.counted.quasi[:, row], strict=True))


@given(ROWS, st.sampled_from([None, "who"]), st.sampled_from(["hierarchy", "sets"]), st.randoms())
@settings(max_examples=examples(60), deadline=None)
def test_distinct_rows_mean_the_same_as_the_table(
    rows: list[Any], person: str | None, categories: str, rng: Any
) -> None:
    frame = pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")
    plan = Plan(
        columns=COLUMNS,
        models=[LDiversity("d", l=2)],
        data=Data(person=person),
        release=ReleaseSettings(categories=categories),
    )
    found = fit(LocalEngine(frame), plan)
    coded, counted = found.coded, found.coded.counted
    row_of = distinct_row_of(found, frame, plan)
    gone = {"?": "", "NA": "", None: ""}
    for i, (n, t, d, _) in enumerate(rows):
        assert decoded(coded, row_of[i]) == (gone.get(n, n), gone.get(t, t))
        code = counted.sensitive["d"][row_of[i]]
        assert coded.sensitive["d"].labels[code] == (d or "")
    assert counted.rows == counted.weight.sum() == len(rows)
    assert np.array_equal(np.bincount(row_of, minlength=len(counted)), counted.weight)
    assert np.array_equal(counted.by_row, counted.quasi.T)
    if person:
        told_apart = {(decoded(coded, row_of[i]), rows[i][2], rows[i][3]) for i in range(len(rows))}
        assert len(counted) == len(told_apart)
    order = list(range(len(rows)))
    rng.shuffle(order)
    if not person:  # persons are numbered as they come, and nothing else follows from their numbers
        again = fit(LocalEngine(frame[order]), plan)
        assert np.array_equal(again.coded.counted.quasi, counted.quasi)
        assert np.array_equal(again.coded.counted.weight, counted.weight)
        assert distinct_row_of(again, frame[order], plan) == [row_of[i] for i in order]


@given(ROWS, st.sampled_from([None, "who"]))
@settings(max_examples=examples(40), deadline=None)
def test_the_reference_counts_rows_or_persons_of_the_whole_table(rows: list[Any], person: str | None) -> None:
    frame = pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")
    plan = Plan(columns=COLUMNS, models=[LDiversity("d", l=2)], data=Data(person=person))
    coded = fit(LocalEngine(frame), plan).coded
    had = [(d or "", who) for _, _, d, who in rows]
    expected = [
        len({who for d, who in had if d == label}) if person else sum(d == label for d, _ in had)
        for label in coded.sensitive["d"].labels
    ]
    assert coded.counted.reference["d"].tolist() == expected
    assert coded.counts_persons is (person is not None)


@pytest.mark.parametrize(("person", "expected"), [(None, [5, 0, 3]), ([0, 0, 1], [1, 0, 1]), ([0, 1, 1], [2, 0, 1])])
def test_reference_counts_by_hand(person: list[int] | None, expected: list[int]) -> None:
    codes, weight = np.array([0, 0, 2], np.int32), np.array([1, 4, 3], np.int64)
    given_persons = None if person is None else np.array(person, np.int32)
    assert reference_counts(codes, 3, weight, given_persons).tolist() == expected


def test_several_sensitive_columns_are_read_as_one() -> None:
    coded = coded_values({"a": ["x", "y", "x", "x"], "b": ["1", "1", "2", "1"]})
    codes, tuples = coded.joint(("a", "b"))
    assert tuples.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert codes.tolist() == [0, 2, 1, 0]
    assert coded.joint(("a", "b")) is coded.joint(("a", "b"))
    assert coded.joint(("b", "a")).tuples.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert coded.joint(("b",)).codes.tolist() == [0, 0, 1, 0]


def test_a_table_of_some_of_the_rows_reads_its_own() -> None:
    coded = coded_values({"a": ["x", "y", "x", "x"], "b": ["1", "1", "2", "1"]})
    assert coded.joint(("a", "b")).codes.tolist() == [0, 2, 1, 0]
    some = {name: codes[1:3] for name, codes in coded.counted.sensitive.items()}
    part = replace(
        coded,
        counted=replace(coded.counted, quasi=coded.counted.quasi[:, 1:3], weight=np.ones(2, np.int64), sensitive=some),
    )
    assert part.joint(("a", "b")).codes.tolist() == [1, 0] and (part.counted.rows, coded.counted.rows) == (2, 4)


def test_values_are_coded_in_the_order_that_is_given() -> None:
    plain = coded_values({"d": ["flu", "", "HIV"]})
    assert plain.sensitive["d"].labels == ("", "HIV", "flu") and plain.sensitive["d"].missing == 0
    assert plain.counted.sensitive["d"].tolist() == [2, 0, 1]
    counts = {"d": Column(role="sensitive", missing_counts=True)}
    ordered = coded_values({"d": ["flu", "", "HIV"]}, settings=counts, order={"d": ["flu", "HIV", "rash", ""]})
    assert ordered.counted.sensitive["d"].tolist() == [0, 3, 1] and ordered.sensitive["d"].missing == -1
    assert ordered.counted.reference["d"].tolist() == [1, 1, 0, 1]


def test_rows_without_a_quasi_identifier_are_rows() -> None:
    coded = coded_values({"d": ["a", "b"]}, weight=[3, 4], person=[0, 0])
    assert (len(coded.counted), coded.counted.rows, coded.names, coded.counts_persons) == (2, 7, (), True)
    assert len(coded_values({}, weight=[1, 1, 5]).counted) == 3


def test_dropped_rows_are_remembered() -> None:
    assert Counted(np.zeros((1, 2), np.int32), np.array([1, 1]), rows_dropped=3).rows == 2
    frame = pl.DataFrame({"n": ["1", "?", "2"], "t": ["a", "a", "b"], "d": ["x", "y", None], "who": ["p", "q", "r"]})
    plan = Plan(columns=COLUMNS, models=[LDiversity("d", l=2)], data=Data(missing_rows="drop"))
    found = fit(LocalEngine(frame), plan)
    assert (found.coded.counted.rows_dropped, found.dropped, found.coded.counted.rows, found.rows_in) == (2, 2, 1, 3)
