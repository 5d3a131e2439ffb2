"""Counting of cells, whichever way is taken, against counting them one by one."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels import bit_planes, matching
from shoal.kernels.combinations import scan

EVERYTHING = 2**31 - 1


def table(
    seed: int, n: int, widths: list[int], values: int = 0, heaviest: int = 1, even: bool = True
) -> matching.Elements:
    rng = np.random.default_rng(seed)
    draw = (lambda w: rng.integers(0, w, n)) if even else (lambda w: np.minimum(rng.geometric(0.6, n) - 1, w - 1))
    return matching.Elements(
        np.stack([draw(width) for width in widths]).astype(np.int32),
        rng.integers(1, heaviest + 1, n),
        rng.integers(-1, values, n).astype(np.int32) if values else np.full(n, -1, np.int32),
        np.zeros(0, np.int32),
        np.ones(n, np.bool_),
    )


def counted(elements: matching.Elements, groups: list[int], chosen: int, values: int) -> tuple[int, Fraction]:
    """The smallest cell of so many columns, and the largest share of a value in one: from the definition."""
    smallest, largest = EVERYTHING, Fraction(0)
    for begin, end in pairwise(groups):
        for columns in combinations(range(len(elements.nodes)), chosen):
            sizes: Counter[tuple[int, ...]] = Counter()
            having: Counter[tuple[tuple[int, ...], int]] = Counter()
            for e in range(begin, end):
                cell = tuple(int(elements.nodes[b, e]) for b in columns)
                sizes[cell] += int(elements.weight[e])
                if values and elements.sensitive[e] >= 0:
                    having[cell, int(elements.sensitive[e])] += int(elements.weight[e])
            smallest = min(smallest, *sizes.values()) if sizes else smallest
            largest = max([largest, *(Fraction(count, sizes[cell]) for (cell, _), count in having.items())])
    return smallest, largest


def scanned(
    elements: matching.Elements, groups: list[int], widths: list[int], chosen: int, limits: matching.Limits
) -> tuple[list[int], list[int]]:
    best, stop = np.array([EVERYTHING, 0, 1]), np.zeros(1, np.bool_)
    firsts = np.arange(len(widths) - chosen + 1)
    unsafe = scan(elements, np.array(groups), np.array(widths), chosen, firsts, limits, best, stop)
    assert bool(stop[0]) == (len(unsafe) > 0)
    return unsafe.tolist(), best.tolist()


def way(elements: matching.Elements, widths: list[int], values: int, whole: bool) -> int:
    every, sizes = np.arange(len(elements.weight)), np.array(widths)
    packed = bit_planes.pack(every if whole else every[:0], 0, sizes, elements, values)
    limits = matching.Limits(1, 1, 1, values)
    return int(bit_planes.cheapest(every, np.arange(1, len(widths) - 1), sizes, elements, limits, packed))


CASES: dict[str, tuple[dict[str, Any], int]] = {
    "few rows": ({"n": 20, "widths": [3, 2, 4, 3]}, bit_planes.REFINED),
    "many values": ({"n": 100, "widths": [40, 30, 30, 20]}, bit_planes.REFINED),
    "narrow": ({"n": 3000, "widths": [2, 2, 3, 2, 2]}, bit_planes.MASKED),
    "narrow and heavy": ({"n": 1500, "widths": [2, 2, 3, 2, 2], "heaviest": 3}, bit_planes.MASKED),
    "with values": ({"n": 1500, "widths": [2, 3, 2, 2, 2], "values": 2}, bit_planes.MASKED),
    "uneven": ({"n": 1500, "widths": [3, 4, 2, 3, 2], "values": 2, "even": False}, bit_planes.MASKED),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("chosen", [1, 2, 3, 4])
def test_the_smallest_cell_and_the_largest_share_are_found(case: str, chosen: int) -> None:
    shape, expected = CASES[case]
    elements, values, n = table(chosen, **shape), shape.get("values", 0), shape["n"]
    assert way(elements, shape["widths"], values, whole=True) == expected
    groups = [0, n // 3, n]
    smallest, largest = counted(elements, groups, chosen, values)
    unsafe, (size, count, of) = scanned(elements, groups, shape["widths"], chosen, matching.Limits(1, 1, 1, values))
    assert unsafe == [] and size == smallest and (not values or Fraction(count, of) == largest)


def test_cells_are_packed_where_a_whole_group_has_too_many_rows() -> None:
    elements = table(0, 5000, [2, 2, 3, 2, 2])
    assert way(elements, [2, 2, 3, 2, 2], 0, whole=False) == bit_planes.PACKED


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("chosen", [1, 2, 3])
def test_what_is_unsafe_is_found_where_it_is(case: str, chosen: int) -> None:
    shape, _ = CASES[case]
    elements, values, groups = table(7, **shape), shape.get("values", 0), [0, shape["n"]]
    smallest, largest = counted(elements, groups, chosen, values)
    for limits, fine in (
        (matching.Limits(smallest, 1, 1, values), True),
        (matching.Limits(smallest + 1, 1, 1, values), False),
        (matching.Limits(1, largest.numerator, largest.denominator, values), True),
        (matching.Limits(1, largest.numerator * 1000 - 1, largest.denominator * 1000, values), values == 0),
    ):
        unsafe, _ = scanned(elements, groups, shape["widths"], chosen, limits)
        assert (unsafe == []) == fine
        if unsafe:
            assert len(unsafe) == chosen
            alone = elements._replace(nodes=elements.nodes[unsafe])
            size, share = counted(alone, groups, chosen, values)
            assert size < limits.support or share > Fraction(limits.over, limits.under)


@given(seed=st.integers(0, 2**32), chosen=st.integers(2, 4), values=st.integers(0, 2), heaviest=st.integers(1, 3))
def test_planes_of_a_cell_of_the_whole_and_none_say_the_same(
    seed: int, chosen: int, values: int, heaviest: int
) -> None:
    rng = np.random.default_rng(seed)
    widths = rng.integers(2, 5, int(rng.integers(chosen, 6))).tolist()
    n = int(rng.integers(70, 400))
    elements = table(seed, n, widths, values, heaviest, even=bool(rng.integers(2)))
    _, best = scanned(elements, [0, n], widths, chosen, matching.Limits(1, 1, 1, values))
    smallest, largest = counted(elements, [0, n], chosen, values)
    assert best[0] == smallest and (not values or Fraction(best[1], best[2]) == largest)


def test_cells_without_suspects_are_passed_over() -> None:
    shape = {"n": 2000, "widths": [2, 3, 2, 2]}
    elements = table(3, **shape)
    nobody = elements._replace(suspect=np.zeros(2000, np.bool_))
    assert scanned(nobody, [0, 2000], [2, 3, 2, 2], 3, matching.Limits(2000, 1, 1, 0)) == ([], [EVERYTHING, 0, 1])
    smallest, _ = counted(elements, [0, 2000], 3, 0)
    rare = min(range(2000), key=lambda e: _smallest_with(elements, e))
    one = elements._replace(suspect=np.arange(2000) == rare)
    assert scanned(one, [0, 2000], [2, 3, 2, 2], 3, matching.Limits(1, 1, 1, 0))[1][0] == smallest


def _smallest_with(elements: matching.Elements, e: int) -> int:
    sets = combinations(range(len(elements.nodes)), 3)
    return min(int((elements.nodes[list(b)] == elements.nodes[list(b), e][:, None]).all(axis=0).sum()) for b in sets)
