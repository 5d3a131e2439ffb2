"""Columns before and after, without categories of few rows."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.figures.compared import ComparedValue, merged
from tests.figures.releases import released, table


def test_values_are_compared_with_the_rows_that_show_them() -> None:
    _, sex, ill = released().figures.private.columns
    assert sex.values == (ComparedValue("f", 10, 10), ComparedValue("m", 10, 10)) and sex.other_after == 0
    assert ill.values == (ComparedValue("flu", 10, 10),)  # gout has four rows, so cold is counted with it
    assert (ill.others, ill.other_before, ill.other_after) == (2, 10, 10)


def test_numbers_are_compared_in_bins_with_enough_rows() -> None:
    age = released().figures.private.columns[0]
    assert age.values_before == 10 and age.labels_after == 2 and not age.values
    assert sum(each.before for each in age.bins) == 20 and round(sum(each.after for each in age.bins), 6) == 20
    assert all(each.before == 0 or each.before >= 5 for each in age.bins)


def test_a_value_that_the_release_shows_in_few_rows_is_not_named() -> None:
    """Eight rows have the value 'rare', and most of them are suppressed."""
    frame = table().vstack(table()).with_columns(ill=table()["ill"].append(table()["ill"]))
    settings = shoal.ReleaseSettings(suppression=0.5)
    release = shoal.anonymize(frame, released().plan.changed(release=settings))
    for column in release.figures.private.columns:
        for each in column.values:
            assert each.before >= 5 and (each.after == 0 or each.after >= 5)


def test_one_bin_of_few_rows_is_not_shown() -> None:
    frame = pl.DataFrame({"age": [None] * 40 + [30, 30, 40], "sex": ["m"] * 43, "ill": ["a"] * 20 + ["b"] * 23})
    release = shoal.anonymize(frame, released().plan.changed(models=[shoal.KAnonymity(k=3)]))
    age = release.figures.private.columns[0]
    assert age.type == "integer" and age.values_before == 2 and not age.bins and not age.values


def test_unchanged_values_have_the_text_that_the_release_writes(tmp_path: Path) -> None:
    """Also in files with types, which are read back before they are counted."""
    frame = table().with_columns(
        dose=pl.Series([1.0, 2.5] * 10),
        gap=pl.Series([float("nan"), 1.5] * 10),
        seen=pl.Series([datetime(2020, 1, 1, 3, 4), datetime(2021, 1, 1)] * 10),
    )
    columns = {**released().plan.columns, **{name: shoal.insensitive() for name in ("dose", "gap", "seen")}}
    for format in ("csv", "parquet"):
        plan = released().plan.changed(columns=columns, release=shoal.ReleaseSettings(format=format))
        release = shoal.anonymize(frame, plan)
        release.save(tmp_path / format)
        dose, gap, seen = release.figures.private.columns[-3:]
        assert dose.values == (ComparedValue("1", 10, 10), ComparedValue("2.5", 10, 10))
        assert gap.values == (ComparedValue("1.5", 10, 10),) and gap.missing_before == gap.missing_after == 10
        assert [each.after for each in seen.values] == [10, 10] and seen.values[0].value == "2020-01-01 03:04:00"
        sections = shoal.read_report(tmp_path / format, private=True).to_json()["sections"]
        blocks = next(each for each in sections if each["key"] == "columns_before_and_after")["blocks"]
        charts = {each["title"]: each["table"]["rows"] for each in blocks if each["block"] == "chart"}
        assert charts["dose"] == [["1", 10], ["2.5", 10]]  # as before
        assert [row[1:] for row in charts["seen"]] == [[10], [10]]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(1, 12))
def test_merged_bins_are_empty_or_large_enough(rows: list[int], fewest: int) -> None:
    starts = merged(np.array(rows), fewest)
    sums = np.add.reduceat(np.array(rows), starts).tolist()
    assert starts[0] == 0 and sum(sums) == sum(rows)
    assert len(sums) == 1 or all(each == 0 or each >= fewest for each in sums)
