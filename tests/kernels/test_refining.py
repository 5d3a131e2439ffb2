"""Refining: the losses are those of the definition, and a proposed change gains what it says, and the most."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.coded import Coded
from shoal.kernels import refining
from shoal.search.geometry import geometry
from tests.kernels.test_clustering import coded_of, lost


class Drawn:
    """Random classes of a small table: `members[c]` holds the unit of each entry, with its weight."""

    def __init__(self, seed: int, categories: str) -> None:
        rng = np.random.default_rng(seed)
        self.coded: Coded = coded_of(60, seed, categories)
        rows = len(self.coded.counted)
        self.class_of = np.sort(rng.integers(0, 9, rows))
        self.class_of = np.unique(self.class_of, return_inverse=True)[1]
        self.unit = rng.permutation(rows)
        self.weight = rng.integers(1, 4, rows)
        self.offsets = np.searchsorted(self.class_of, np.arange(int(self.class_of[-1]) + 2))

    @property
    def members(self) -> list[dict[int, int]]:
        ends = zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True)
        return [dict(zip(self.unit[a:b].tolist(), self.weight[a:b].tolist(), strict=True)) for a, b in ends]

    def total(self, members: list[dict[int, int]]) -> float:
        return sum(sum(each.values()) * lost(self.coded, list(each)) for each in members if each)

    def proposed(self, floor: int, whole: bool = False, most: int = 64) -> Any:
        rows = len(self.unit)
        near = np.tile(np.arange(rows, dtype=np.int32), (rows, 1))  # every row is near every other
        by_spot = np.argsort(self.unit, kind="stable")
        classes = np.arange(len(self.offsets) - 1)
        block = np.zeros(rows, np.int64)
        return refining.propose(
            self.coded.counted.by_row, block, self.unit, self.weight, self.offsets, self.class_of, classes,
            np.arange(rows), near, by_spot, np.arange(rows + 1), floor, whole, most, geometry(self.coded),
        )  # fmt: skip


def changed(members: list[dict[int, int]], moves: list[tuple[int, int, int, int]]) -> list[dict[int, int]]:
    """The classes after `rows` rows of a unit went from one class to another."""
    after = [dict(each) for each in members]
    for one, other, unit, rows in moves:
        after[one][unit] -= rows
        if not after[one][unit]:
            del after[one][unit]
        after[other][unit] = after[other].get(unit, 0) + rows
    return after


def changes(drawn: Drawn, one: int, floor: int, whole: bool) -> list[list[tuple[int, int, int, int]]]:
    """All changes by which a class gives a row away, or swaps one without which it loses less."""
    members = drawn.members
    found, size = [], sum(members[one].values())
    for other, others in enumerate(members):
        if other == one:
            continue
        for unit, rows in members[one].items():
            moved = rows if size - rows >= floor or size == rows else 0 if whole else max(0, size - floor)
            if moved:
                found.append([(one, other, unit, moved)])
            left = [each for each in members[one] if each != unit]
            if left and lost(drawn.coded, left) == lost(drawn.coded, list(members[one])):
                continue
            for back, weight in others.items():
                if size - rows + weight >= floor and sum(others.values()) + rows - weight >= floor:
                    found.append([(one, other, unit, rows), (other, one, back, weight)])
    return found


@pytest.mark.parametrize("categories", ["hierarchy", "sets"])
@pytest.mark.parametrize("seed", range(4))
def test_losses_are_those_of_the_definition(seed: int, categories: str) -> None:
    drawn = Drawn(seed, categories)
    found = refining.losses(drawn.coded.counted.by_row, drawn.unit, drawn.weight, drawn.offsets, geometry(drawn.coded))
    assert found == pytest.approx([drawn.total([each]) for each in drawn.members])


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("categories", ["hierarchy", "sets"])
@pytest.mark.parametrize("seed", range(4))
def test_the_proposed_change_gains_the_most(seed: int, categories: str, whole: bool) -> None:
    drawn, floor = Drawn(seed, categories), 4
    gain, entry, other, rows, back = drawn.proposed(floor, whole)
    members, before = drawn.members, drawn.total(drawn.members)
    proposals = 0
    for one in range(len(members)):
        best = max(before - drawn.total(changed(members, moves)) for moves in changes(drawn, one, floor, whole))
        assert gain[one] == pytest.approx(max(best, 0.0), abs=1e-8)
        if gain[one]:
            proposals += 1
            moves = [(one, int(other[one]), int(drawn.unit[entry[one]]), int(rows[one]))]
            if back[one] >= 0:
                moves.append((int(other[one]), one, int(drawn.unit[back[one]]), int(drawn.weight[back[one]])))
            assert before - drawn.total(changed(members, moves)) == pytest.approx(gain[one])
    assert proposals > 1


def test_large_classes_do_not_swap() -> None:
    drawn = Drawn(1, "sets")
    swaps = [(found[0] > 0) & (found[4] >= 0) for found in (drawn.proposed(4), drawn.proposed(4, most=0))]
    assert swaps[0].any() and not swaps[1].any()


def test_changes_of_a_round_touch_disjoint_classes() -> None:
    one, other = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 0])
    assert refining.disjoint(np.array([1, 0, 2, 3]), one, other, 4).tolist() == [False, True, False, True]
