"""Distinction and separation equal what comparing all pairs of rows gives."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given

from shoal.risks import Contribution, contribution
from tests.risks.tables import ROWS, Rows, class_size, figures, sample_of


def by_hand(rows: Rows, places: list[int]) -> tuple[float, float, int]:
    pairs = list(itertools.combinations([tuple(row[place] for place in places) for row in rows], 2))
    apart = sum(one != other for one, other in pairs)
    distinct = len({tuple(row[place] for place in places) for row in rows})
    unique = sum(class_size(rows, row, places) == 1 for row in rows)
    return distinct / len(rows), apart / len(pairs) if pairs else 0.0, unique


@given(ROWS)
def test_all_column_sets_equal_brute_force(rows: Rows) -> None:
    found = figures(Contribution, sample_of(rows))
    width = len(rows[0])
    assert [each["columns"] for each in found["single"]] == [[f"q{place}"] for place in range(width)]
    assert len(found["pairs"]) == width * (width - 1) // 2
    for each in (found["together"], *found["single"], *found["pairs"]):
        distinction, separation, unique = by_hand(rows, [int(name[1:]) for name in each["columns"]])
        assert each["distinction"] == pytest.approx(distinction)
        assert each["separation"] == pytest.approx(separation)
        assert each["uniques"] == unique
    for place, each in enumerate(found["single"]):
        others = [other for other in range(width) if other != place]
        assert each["uniques_without"] == (by_hand(rows, others)[2] if others else 0)


def test_of_many_columns_only_some_are_paired(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contribution, "PAIRED", 2)
    found = figures(Contribution, sample_of([("a", "x", "1"), ("a", "y", "2"), ("a", "y", "3")]))
    assert [each["columns"] for each in found["pairs"]] == [["q1", "q2"]]
