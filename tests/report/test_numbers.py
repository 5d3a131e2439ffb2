"""Numbers for people."""

from __future__ import annotations

from shoal.report.numbers import number


def test_numbers_for_people() -> None:
    assert [number(value) for value in (12345.678, 0.1 + 0.2, 0, "x", ("a", 1))] == ["12,346", "0.3", "0", "x", "a, 1"]
