"""Whether a label is true of a value: by hand for each kind of label, and for every label that a hierarchy makes."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.hierarchies import Dates, File, Flat, Icd9, Intervals, Learned, Prefix
from shoal.roles.columns import Column, Data
from shoal.verification.covering import Values


def false(raw: list[str | None], label: str, spec: Any = None, **settings: Any) -> list[bool]:
    """For each raw value, whether the label is false of it."""
    column = Column(role="quasi-identifier", **settings)
    values = Values(pl.Series("q", raw, dtype=pl.String), np.ones(len(raw), np.int64), column, Data().absent)
    zero = np.zeros(1, np.int64)
    return [values.false_labels([label], zero + place, zero, spec or Flat()) == 1 for place in range(len(raw))]


def test_values_ranges_sets_and_anything() -> None:
    assert false(["7", "8", "?"], "7") == [False, True, True]
    assert false(["7", "8", "12", None], "[7, 10]") == [False, False, True, True]
    assert false(["a", "b", "[1, 2]"], "{a, c}") == [False, True, True]
    assert false(["a", "*", None], "*") == [False, False, False]
    assert false(["*", "a"], "\\*") == [False, True]
    assert false(["?", "a"], "") == [False, True]
    assert false(["31/12/1999", "01/01/2000"], "1999-12-31") == [False, True]


def test_whole_numbers_beyond_2_to_the_53_are_compared_exactly() -> None:
    huge = [str(2**60 + n) for n in range(3)]
    assert false(huge, f"[{huge[0]}, {huge[1]}]") == [False, False, True]
    assert false(huge, f"[{huge[2]}, {huge[0]}]") == [True, True, True]
    assert false(huge, huge[1]) == [True, False, True]


def test_a_value_that_reads_as_something_else_must_be_escaped(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("[1, 2];x;*\nb;x;*\n", encoding="utf-8")
    for spec in (File(str(path)), Learned(2)):
        assert false(["[1, 2]", "b"], "[1, 2]", spec) == [True, True]
        assert false(["[1, 2]", "b"], "\\[1, 2]", spec) == [False, True]
    assert false(["[1, 2]", "b"], "x", File(str(path))) == [False, False]


def test_values_are_moved_to_top_and_bottom_first() -> None:
    assert false(["95", "90", "20"], "[80, 90]", top=90) == [False, False, True]
    assert false(["3", "12"], "[10, 12]", bottom=9.5) == [False, False]


def test_labels_of_hierarchies(tmp_path: Path) -> None:
    (tmp_path / "job.csv").write_text("cook;service\nnurse;health\n;unknown\n")
    job = File(str(tmp_path / "job.csv"))
    assert false(["cook", "nurse", ""], "service", job) == [False, True, True]
    assert false(["cook", ""], "unknown", job) == [True, False]
    assert false(["02139", "10001"], "02*", Prefix(), type="text") == [False, True]
    assert false(["2024-03-09", "2024-04-01"], "2024-Q1", Dates()) == [False, True]
    assert false(["250.83", "401"], "249-259", Icd9(), type="text") == [False, True]
    assert false(["23", "29", "30"], "[20, 29]", Intervals((5, 10))) == [False, False, True]


@pytest.mark.parametrize(
    ("spec", "values"),
    [
        (Intervals((5, 10)), [str(n) for n in range(-3, 20)]),
        (Prefix(), ["1", "12", "123", "2"]),
        (Dates(), [date(2020, month, 3).isoformat() for month in range(1, 13)]),
        (Learned(2), [str(n) for n in range(30)]),
        (Learned(2), [f"value {n}" for n in range(60)]),
        (Icd9(), ["250.83", "250", "401", "V10"]),
    ],
)
def test_what_a_hierarchy_makes_is_true(spec: Any, values: list[str]) -> None:
    column = Column(role="quasi-identifier", type="text" if isinstance(spec, Prefix | Icd9) else None)
    known = Values(pl.Series("q", values), np.ones(len(values), np.int64), column, Data().absent)
    typed = known.typed.unique().sort()
    tree = spec.build(typed, pl.Series([1] * len(typed)))
    for level in tree.levels:
        of_value = [level.labels[level.of_leaf[tree.index[text]]] for text in known.texts]
        at = np.arange(len(values))
        assert known.false_labels(of_value, at, at, spec) == 0
        others = len(set(of_value))
        if others > 1:
            assert known.false_labels(of_value, at, np.roll(at, len(at) // 2), spec) > 0


def test_date_times_are_compared_to_the_microsecond() -> None:
    raw = ["2021-03-04 10:15:00", "2021-03-04 10:15:00.000001", "2021-03-05 00:00:00", None]
    assert false(raw, "[2021-03-04 10:15:00, 2021-03-04 10:15:00.000001]") == [False, False, True, True]
    assert false(raw, "2021-03-04 10:15:00") == [False, True, True, True]
    early = ["0001-01-01 00:00:00.000001", "9999-12-31 23:59:59.999998", "9999-12-31 23:59:59.999999"]
    assert false(early, "[0001-01-01 00:00:00, 9999-12-31 23:59:59.999998]") == [False, False, True]
    spec = Dates(("hour", "day", "month"))
    for label in ("2021-03-04 10h", "2021-03-04"):
        assert false(raw, label, spec) == [False, False, True, True]
    assert false(raw, "2021-03", spec) == [False, False, False, True]
    assert false(raw, "2021-03-04 11h", spec) == [True] * 4


def test_a_bound_of_date_times_may_be_a_date() -> None:
    raw = ["2021-03-04 10:15", "2021-03-06 10:15"]
    assert false(raw, "2021-03-05 00:00:00", top=date(2021, 3, 5)) == [True, False]
    assert false(raw, "2021-03-05 12:00:00", bottom=datetime(2021, 3, 5, 12)) == [False, True]
