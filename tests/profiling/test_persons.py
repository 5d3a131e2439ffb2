"""The column that numbers individuals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from shoal.arrays import Int32
from shoal.profiling.persons import may_repeat, person_column, repeats_like_persons
from shoal.profiling.signs import Numbered


@dataclass(frozen=True)
class Column:
    name: str
    distinct: int
    numbers: Numbered | None
    missing: float = 0.0


@pytest.mark.parametrize(
    ("columns", "person"),
    [
        ([Column("patient", 40, "patients"), Column("visit", 100, "visits")], "patient"),
        ([Column("visit", 60, "visits"), Column("x", 50, "records")], "visit"),  # the best that there is
        ([Column("x", 50, "records")], "x"),
        ([Column("patient", 100, "patients"), Column("visit", 60, "visits")], None),  # every row is a patient
        ([Column("visit", 100, "visits"), Column("x", 50, "records")], None),
        ([Column("patient", 40, "patients", missing=0.1), Column("visit", 60, "visits")], "visit"),
        ([Column("old", 30, "patients"), Column("new", 40, "patients")], "new"),
        ([Column("file", 100, "patients"), Column("patient", 40, "patients")], "patient"),
        ([Column("row", 100, "records"), Column("x", 50, "records")], "x"),
        ([Column("ward", 4, None)], None),
        ([Column("patient", 1, "patients")], None),
        ([], None),
    ],
)
def test_patients_before_visits_before_records(columns: list[Column], person: str | None) -> None:
    assert person_column(columns, 100) == person


def test_few_values_or_hardly_any_repetition_say_nothing() -> None:
    assert may_repeat(40, 100)
    assert not may_repeat(5, 100)
    assert not may_repeat(95, 100)


def ints(values: list[int]) -> Int32:
    return np.array(values, dtype=np.int32)


def test_numbers_repeat_like_persons_if_traits_repeat_with_them() -> None:
    codes = ints([0, 0, 1, 1, 2, -1])
    assert repeats_like_persons(codes, [ints([0, 0, 1, 1, 0, 1])])
    assert not repeats_like_persons(codes, [ints([0, 1, 1, 1, 0, 1])])
    assert not repeats_like_persons(codes, [ints([0, 0, 1, 1, 0, 1]), ints([0, 1, 0, 1, 0, 1])])


def test_traits_that_never_differ_and_codes_that_never_repeat_say_nothing() -> None:
    assert not repeats_like_persons(ints([0, 0, 1]), [])
    assert not repeats_like_persons(ints([0, 0, 1]), [ints([3, 3, 3])])
    assert not repeats_like_persons(ints([0, 1, 2]), [ints([0, 1, 0])])
    assert not repeats_like_persons(ints([-1, -1]), [ints([0, 1])])
