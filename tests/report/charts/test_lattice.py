"""Lattices."""

from __future__ import annotations

from shoal.report.charts.lattice import lattice
from tests.report.charts.drawings import example


def test_every_recoding_has_a_box_with_its_levels_and_cost() -> None:
    drawn = lattice(example("lattice"))
    assert drawn.count("<g>") == 4 and all(
        f">{levels}</text>" in drawn.replace("\u2009", " ") for levels in ("0 0", "1 0", "0 1", "1 1")
    )
    assert ">25 %</text>" in drawn and "<title>0 1: fails, inferred</title>" in drawn


def test_neighbours_are_joined_and_the_released_one_is_marked() -> None:
    drawn = lattice(example("lattice"))
    assert drawn.count('class="edge') == 4 and drawn.count('class="edge marked"') == 2
    assert 'class="node passes released"' in drawn and ">released</span>" in drawn
