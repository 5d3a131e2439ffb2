"""Names that promise dates, ages or record numbers count only if the values are such."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.profiling.facts import facts
from shoal.profiling.needs import fulfils, holds_dates, is_flag, numbers_records
from shoal.profiling.signs import Need


@pytest.mark.parametrize(
    ("need", "cells", "expected"),
    [
        ("ages", [0, 45, 999], True),
        ("ages", [4_019, 25_000], False),
        ("parts of ages", [4_019, 25_000], True),  # in days
        ("ages", ["E11", "I10"], False),
        ("ages", ["18-24", "25+"], True),
        ("parts of dates", [1, 366], True),
        ("parts of dates", [1_990, 2_020], True),
        ("parts of dates", [199_001, 202_012], True),
        ("parts of dates", [-30, 900], True),
        ("parts of dates", [250, 401, 428], False),
        ("parts of dates", ["V300", "401", "428"], False),
        ("parts of dates", ["Monday", "Friday"], True),
        ("years", [1_990, 2_020], True),
        ("years", [1, 5], False),
        ("cycles", [*range(1, 13)], True),
        ("cycles", [1, 5], False),
        ("dates", [44_200, 44_800], True),
        ("dates", [1_200, 44_800], False),
        ("dates", ["2020-01-31", "2020-02-01"], True),
        ("texts", ["yes", "no"], False),
        ("ages", [], True),
    ],
)
def test_what_the_values_must_be(need: Need, cells: list[Any], expected: bool) -> None:
    assert fulfils(facts(pl.Series("x", cells))[0], need) is expected


def test_dates_flags_and_record_numbers() -> None:
    assert holds_dates(facts(pl.Series("x", [20_200_131, 20_211_231]))[0])
    assert is_flag(facts(pl.Series("x", ["ja", "nein"]))[0])
    assert numbers_records(facts(pl.Series("x", [f"{number:05}" for number in range(50)]))[0])
    assert not numbers_records(facts(pl.Series("x", [1, 2, 3] * 30))[0])
