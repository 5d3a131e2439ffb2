from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.roles.columns import insensitive, quasi, sensitive, target
from shoal.warnings.base import Warning
from shoal.warnings.identifying import identifying_columns
from tests.warnings.cases import case

RNG = np.random.default_rng(0)
ROLES = (insensitive(), target(), sensitive())


def identifying(values: Any, role: Any = None) -> list[Warning]:
    frame = pl.DataFrame({"age": np.arange(len(values)) % 5, "x": values}, strict=False)
    return list(identifying_columns(case(frame, {"age": quasi(), "x": role or insensitive()}, [0] * len(values))))


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    ("form", "what"),
    [
        ("{0:03}-45-{1:04}", "social security numbers"),
        ("p{1}@mail.org", "e-mail addresses"),
        ("+49 30 12{1:05}", "telephone numbers"),
        ("123e4567-e89b-12d3-a456-42661417{1:04}", "unique codes"),
        ("9f86d081884c7d659a2feaa0c55a{1:04}", "hashes"),
        ("P{1:06}", "numbers of persons or records"),
        ("seen with her son and {1} other people at home", "free text"),
        ("code {1}x", "nearly unique"),
    ],
)
def test_what_identifies_is_told_in_every_role(role: Any, form: str, what: str) -> None:
    (only,) = identifying([form.format(100 + n % 700, n) for n in range(300)], role)
    assert what in only.text and "300 of 300 rows" in only.text and only.serious and not only.public


def test_identifiers_that_repeat_are_found_too() -> None:
    (only,) = identifying([f"123-45-{n // 5:04}" for n in range(300)])
    assert "social security numbers: 0 of 300 rows" in only.text


def test_dates_and_numbers_that_hardly_repeat() -> None:
    days = [datetime.date(1950, 1, 1) + datetime.timedelta(int(day)) for day in RNG.permutation(20_000)[:300]]
    assert identifying(days)[0].serious and identifying(RNG.permutation(10**6)[:300])[0].serious
    assert [each.serious for each in identifying(RNG.random(300))] == [False]


@pytest.mark.parametrize(
    "values",
    [
        ["Mo", "Tu", "We"] * 100,
        [f"E{n % 90:02}.{n % 3}" for n in range(600)],
        [f"C{1000 + n % 60}" for n in range(600)],
        ["https://clinic.org"] * 300,
        RNG.integers(0, 100, 300),
        [None, "", "?"] * 100,
        [f"value {n}" for n in range(40)],
        RNG.random(60),
        [True, None] * 100,
        [float("inf"), float("nan"), 1.5, None] * 50,
        [datetime.timedelta(hours=hour % 24) for hour in range(200)],
        [datetime.time(hour % 24) for hour in range(200)],
    ],
)
def test_ordinary_columns_raise_no_alarm(values: Any) -> None:
    assert not identifying(values)


def test_sensitive_numbers_have_a_warning_of_their_own() -> None:
    assert not identifying(RNG.random(300), sensitive())


def test_identifiers_inside_texts_are_found() -> None:
    notes = ["well", "stable", "discharged"] * 97 + ["write to maria.smith74@mail.com", "SSN 078-05-1120 on file"]
    frame = pl.DataFrame({"age": ["20"] * len(notes), "note": notes})
    found = list(identifying_columns(case(frame, {"age": quasi(), "note": insensitive()}, [0] * len(notes))))
    assert len(found) == 1 and found[0].serious
    assert "texts that contain e-mail addresses" in found[0].text and "maria" not in found[0].text
