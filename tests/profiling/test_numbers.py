"""National numbers by their check digits; the examples are those that the countries publish, or computed by hand."""

from __future__ import annotations

import pytest

from shoal.profiling.numbers import are_national_numbers


@pytest.mark.parametrize(
    "sample",
    [
        ["44051401359", "02070803628"],  # Polish
        ["9434765919", "401 023 2137"],  # British
        ["8507099805", "19850709-9805"],  # Swedish
        ["111222333", "123456782"],  # Dutch
        ["01010112377", "01010112377"],  # Norwegian
    ],
)
def test_check_digits(sample: list[str]) -> None:
    assert are_national_numbers(sample)
    broken = [value[:-1] + str((int(value[-1]) + 1) % 10) for value in sample]
    assert not are_national_numbers(broken)


def test_other_numbers() -> None:
    assert not are_national_numbers(["12", "15"]) and not are_national_numbers([]) and not are_national_numbers(["x"])
