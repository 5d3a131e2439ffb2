"""Regrouping: counted rows and classes, against counting released rows one by one."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.models.evidence import CLASS, COUNT
from shoal.table import Runs
from shoal.verification.regrouping import canonical, class_numbers, counted_rows, merged_counts, with_classes
from tests.effort import examples

COLUMNS = ("age", "sex", "d")
CELLS = st.sampled_from(["a", "b", "", None])
RUNS = st.lists(st.tuples(CELLS, CELLS, CELLS, st.integers(1, 4)), max_size=10)


def table(runs: list[tuple[Any, ...]], kinds: tuple[Any, ...] = (pl.String,) * 3) -> pl.DataFrame:
    """Each row as many times as its last entry says."""
    rows = [row for *row, times in runs for _ in range(times)]
    schema = dict.fromkeys(COLUMNS, pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row").cast(dict(zip(COLUMNS, kinds, strict=True)))


def told(counted: pl.DataFrame) -> Counter[tuple[Any, ...]]:
    assert counted[COUNT].dtype == pl.Int64
    found = Counter({tuple(cells): n for *cells, n in counted.select(*COLUMNS, COUNT).rows()})
    assert len(found) == counted.height  # every row once
    return found


@given(RUNS)
@settings(max_examples=examples(60), deadline=None)
def test_counted_rows_are_the_distinct_rows_with_how_often_each_occurs(runs: list[Any]) -> None:
    released = table(runs)
    assert told(counted_rows(Runs.of(released), COLUMNS)) == Counter(released.rows())


ENUM = pl.Enum(["a", "b", ""])


@given(RUNS, st.lists(st.sampled_from([pl.String, pl.Categorical, ENUM]), min_size=3, max_size=3))
@settings(max_examples=examples(100), deadline=None)
def test_runs_of_equal_rows_are_counted_as_row_by_row(runs: list[Any], kinds: list[Any]) -> None:
    """Codes of dictionaries are grouped in place of their texts."""
    plain = counted_rows(Runs.of(table(runs)), COLUMNS)
    assert told(counted_rows(Runs.of(table(runs, tuple(kinds))), COLUMNS)) == told(plain)
    assert told(counted_rows(Runs.adjacent(table(runs, tuple(kinds))), COLUMNS)) == told(plain)


@given(RUNS, st.data())
@settings(max_examples=examples(60), deadline=None)
def test_counts_of_parts_put_together_are_the_counts_of_the_whole(runs: list[Any], data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([pl.String, ENUM]))
    released = table(runs, (kind,) * 3)
    cut = data.draw(st.integers(0, released.height))
    parts = [counted_rows(Runs.of(part), COLUMNS) for part in (released[:cut], released[cut:])]
    assert told(merged_counts(parts, COLUMNS)) == told(counted_rows(Runs.of(released), COLUMNS))


@given(RUNS)
@settings(max_examples=examples(60), deadline=None)
def test_a_class_is_all_rows_whose_labels_are_equal(runs: list[Any]) -> None:
    released = table(runs)
    rows, labels = with_classes(counted_rows(Runs.of(released), COLUMNS), ("age", "sex"))
    assert set(rows.columns) == {CLASS, "d", COUNT} and labels.columns == [CLASS, "age", "sex"]
    label_of = {number: (age, sex) for number, age, sex in labels.rows()}
    assert len(set(label_of.values())) == len(label_of) == labels.height
    found = Counter[tuple[Any, ...]]()
    for number, d, n in rows.select(CLASS, "d", COUNT).rows():
        found[*label_of[number], d] += n
    assert found == Counter((age or "", sex or "", d) for age, sex, d in released.rows())


def test_a_missing_and_an_empty_label_are_one_class() -> None:
    counted = counted_rows(Runs.of(table([(None, "f", "x", 2), ("", "f", "x", 3), ("a", "f", "x", 1)])), COLUMNS)
    rows, labels = with_classes(counted, ("age", "sex"))
    sizes = rows.group_by(CLASS).agg(pl.col(COUNT).sum()).join(labels, on=CLASS)
    assert sorted(sizes.select("age", COUNT).rows()) == [("", 5), ("a", 1)]
    numbers = class_numbers(table([(None, "f", "x", 1), ("", "f", "y", 1), ("a", "f", "x", 1)]), ("age", "sex"))
    assert numbers[0] == numbers[1] != numbers[2]


def test_a_missing_and_an_empty_sensitive_value_are_told_apart_until_they_are_canonical() -> None:
    counted = counted_rows(Runs.of(table([("a", "f", None, 1), ("a", "f", "", 1)])), COLUMNS)
    assert counted.height == 2
    assert canonical(counted["d"], shoal.sensitive(), ("",)).to_list() == [None, None]


@given(RUNS)
@settings(max_examples=examples(60), deadline=None)
def test_class_numbers_are_equal_exactly_where_all_labels_are(runs: list[Any]) -> None:
    released = table(runs)
    numbers = class_numbers(released, ("age", "sex")).to_list()
    labels = [(age or "", sex or "") for age, sex, _ in released.rows()]
    assert len(numbers) == len(labels)
    assert len(set(zip(numbers, labels, strict=True))) == len(set(numbers)) == len(set(labels))


def test_many_wide_columns_are_told_apart_without_overflow() -> None:
    n = 3000
    frame = pl.DataFrame({f"q{i}": [f"{(row * (i + 1)) % n}" for row in range(n)] for i in range(12)})
    classes = class_numbers(frame, frame.columns)
    assert classes.n_unique() == n
    doubled = pl.concat([frame, frame[::-1]])
    assert sorted(class_numbers(doubled, doubled.columns).value_counts()["count"].unique()) == [2]
    assert counted_rows(Runs.of(doubled), doubled.columns)[COUNT].unique().to_list() == [2]


def test_columns_of_any_kind_are_read_as_text() -> None:
    released = pl.DataFrame({"age": [1, 1, None], "ok": [True, True, False]})
    assert set(counted_rows(Runs.of(released), ("age", "ok")).rows()) == {("1", "true", 2), (None, "false", 1)}


def test_a_table_without_rows_has_nothing_to_count() -> None:
    for kind in (pl.String, ENUM):
        counted = counted_rows(Runs.of(table([], (kind,) * 3)), COLUMNS)
        assert counted.height == 0
        rows, labels = with_classes(counted, ("age", "sex"))
        assert rows.height == labels.height == 0


@pytest.mark.parametrize(
    ("type_", "written", "text"),
    [
        (None, ["flu", " NA ", "NA", None], ["flu", None, None, None]),
        ("integer", ["7", "07", "+7", "?"], ["7", "7", "7", None]),
        ("real", ["1.50", "1.5", "-0.0", ""], ["1.5", "1.5", "0", None]),
        ("date", ["2020-01-02", "2020-01-02 ", None, "?"], ["2020-01-02", "2020-01-02", None, None]),
    ],
)
def test_a_value_has_one_text_however_it_is_written(type_: Any, written: list[Any], text: list[Any]) -> None:
    column = pl.Series("d", written * 2, dtype=pl.String)
    found = canonical(column, shoal.sensitive(type=type_), ("", "?", "NA"))
    assert found.name == "d" and found.to_list() == text * 2
    categories = canonical(column.cast(pl.Categorical), shoal.sensitive(type=type_), ("", "?", "NA"))
    assert categories.to_list() == text * 2
