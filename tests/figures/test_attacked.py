"""Attacks that a report shows."""

from __future__ import annotations

import pytest

from shoal.attacks import ALL
from shoal.figures import attacked as module
from shoal.figures.attacked import QUICK
from tests.figures.releases import released


def test_quick_attacks_are_shown_against_their_bounds() -> None:
    found = released().figures.public.attacks
    assert found is not None
    at_most = next(each for each in found.tried if each.case == "at most")
    assert (at_most.kind, at_most.success, at_most.bound, at_most.holds) == ("linkage", 0.2, 0.2, True)
    homogeneity = next(each for each in found.tried if each.kind == "homogeneity")
    assert homogeneity.success == 0.5 and homogeneity.bound is None


def test_the_others_are_named() -> None:
    found = released().figures.public.attacks
    assert found is not None
    assert {*QUICK, *found.not_tried, "intersection"} == {cls.kind for cls in ALL}


def test_a_table_with_very_many_different_rows_is_not_attacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_RUNS", 3)
    found = released().figures.public.attacks
    assert found is not None and found.tried == () and "linkage" in found.not_tried
