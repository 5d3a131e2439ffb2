"""A number agrees with its noun."""

from __future__ import annotations

from shoal.counts import counted


def test_one_is_singular_and_all_else_plural() -> None:
    assert [counted(number, "class", "classes") for number in (0, 1, 2, 1200)] == [
        "0 classes",
        "1 class",
        "2 classes",
        "1,200 classes",
    ]
