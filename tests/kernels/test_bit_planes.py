"""Bit planes, against the rows they stand for written out."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels import bit_planes, matching
from tests.effort import examples

EVERYTHING = 2**31 - 1
ALL_BITS = np.uint64(2**64 - 1)
quick = settings(max_examples=examples(80), deadline=None)


class Drawn:
    """Some elements of a few columns, weighted; listed sensitive values; and the elements that a cell holds."""

    def __init__(self, seed: int, columns: int, n: int, values: int, heaviest: int) -> None:
        rng = np.random.default_rng(seed)
        self.rng, self.values, self.widths = rng, values, rng.integers(1, 5, columns)
        self.elements = matching.Elements(
            np.stack([rng.integers(0, width, n) for width in self.widths]).astype(np.int32),
            rng.integers(1, heaviest + 1, n),
            rng.integers(-1, values, n).astype(np.int32) if values else np.full(n, -1, np.int32),
            np.zeros(0, np.int32),
            np.ones(n, np.bool_),
        )
        self.cell = rng.permutation(n)[: rng.integers(1, n + 1)]
        self.rows = [int(e) for e in self.cell for _ in range(self.elements.weight[e])]

    def pack(self, begin: int = 0) -> bit_planes.Planes:
        return bit_planes.pack(self.cell, begin, self.widths, self.elements, self.values)

    def pairs(self, firsts: list[int]) -> list[tuple[int, int]]:
        return [pair for pair in combinations(range(len(self.widths)), 2) if pair[0] in firsts]

    def counted(self, pair: tuple[int, int]) -> tuple[int, Fraction]:
        """The smallest cell that two columns make of the rows, and the largest share of a listed value."""
        nodes, sensitive = self.elements.nodes, self.elements.sensitive
        sizes = Counter(tuple(nodes[list(pair), e].tolist()) for e in self.rows)
        having = Counter((tuple(nodes[list(pair), e].tolist()), int(sensitive[e])) for e in self.rows)
        shares = [Fraction(n, sizes[cell]) for (cell, value), n in having.items() if value >= 0]
        return min(sizes.values()), max(shares, default=Fraction(0))


DRAWN = st.builds(
    Drawn,
    seed=st.integers(0, 2**32 - 1),
    columns=st.integers(2, 5),
    n=st.integers(1, 150),
    values=st.integers(0, 2),
    heaviest=st.integers(1, 3),
)


def places(plane: Any) -> list[int]:
    """The rows whose bits are set."""
    return [64 * w + bit for w, word in enumerate(plane.tolist()) for bit in range(64) if word >> bit & 1]


@given(DRAWN, st.integers(0, 4))
@quick
def test_a_plane_has_a_bit_for_every_row_with_its_value(drawn: Drawn, begin: int) -> None:
    suspect = drawn.rng.random(len(drawn.elements.weight)) < 0.5
    drawn.elements = drawn.elements._replace(suspect=suspect)
    planes = drawn.pack(min(begin, len(drawn.widths) - 1))
    assert bit_planes.rows_of(drawn.cell, drawn.elements) == len(drawn.rows)
    for b in range(min(begin, len(drawn.widths) - 1), len(drawn.widths)):
        for v in range(drawn.widths[b]):
            expected = [at for at, e in enumerate(drawn.rows) if drawn.elements.nodes[b, e] == v]
            assert places(planes.bits[planes.first[b] + v]) == expected
    for s in range(drawn.values):
        assert places(planes.sensitive[s]) == [
            at for at, e in enumerate(drawn.rows) if drawn.elements.sensitive[e] == s
        ]
    assert places(planes.suspect) == [at for at, e in enumerate(drawn.rows) if suspect[e]]


def searched(
    drawn: Drawn, firsts: list[int], limits: matching.Limits, stopped: bool = False
) -> tuple[list[int], list[int]]:
    planes, best = drawn.pack(), np.array([EVERYTHING, 0, 1])
    mask = np.full(len(planes.suspect), ALL_BITS)
    stop = np.array([stopped])
    found = bit_planes.unsafe_in_planes(planes, mask, np.array(firsts), drawn.widths, limits, best, stop)
    return found.tolist(), best.tolist()


@given(DRAWN, st.data())
@quick
def test_two_columns_are_unsafe_where_plain_counting_says_so(drawn: Drawn, data: st.DataObject) -> None:
    firsts = sorted(data.draw(st.sets(st.integers(0, len(drawn.widths) - 2), min_size=1)))
    counted = {pair: drawn.counted(pair) for pair in drawn.pairs(firsts)}
    smallest, largest = min(size for size, _ in counted.values()), max(share for _, share in counted.values())
    safe, best = searched(drawn, firsts, matching.Limits(smallest, 1, 1, drawn.values))
    assert safe == [] and best[0] == smallest
    assert not drawn.values or Fraction(best[1], best[2]) == largest
    unsafe, _ = searched(drawn, firsts, matching.Limits(smallest + 1, 1, 1, drawn.values))
    assert counted[unsafe[0], unsafe[1]][0] == smallest
    if largest:
        limit = largest - Fraction(1, 10**6)
        unsafe, _ = searched(drawn, firsts, matching.Limits(1, limit.numerator, limit.denominator, drawn.values))
        assert counted[unsafe[0], unsafe[1]][1] > limit


def test_nothing_is_looked_at_once_another_thread_found_something_or_nobody_is_suspect() -> None:
    drawn = Drawn(1, 4, 100, 0, 1)
    assert searched(drawn, [0, 1, 2], matching.Limits(1000, 1, 1, 0))[0]
    assert searched(drawn, [0, 1, 2], matching.Limits(1000, 1, 1, 0), stopped=True) == ([], [EVERYTHING, 0, 1])
    drawn.elements = drawn.elements._replace(suspect=np.zeros(100, np.bool_))
    assert searched(drawn, [0, 1, 2], matching.Limits(1000, 1, 1, 0)) == ([], [EVERYTHING, 0, 1])


@given(DRAWN, st.data())
@quick
def test_the_mask_of_a_walk_has_the_rows_of_its_cell(drawn: Drawn, data: st.DataObject) -> None:
    whole, elements, depth = drawn.pack(), drawn.elements, data.draw(st.integers(1, len(drawn.widths)))
    walk = matching.new_walk(drawn.cell, matching.largest_of(drawn.widths), depth, 0)
    at = matching.first_match(walk, 0, drawn.cell, drawn.widths, elements.nodes, elements.suspect)
    while at >= 0:
        members = set(matching.rows_at(walk, at).tolist())
        assert places(bit_planes.mask_of(walk, whole)) == [at for at, e in enumerate(drawn.rows) if e in members]
        at = matching.next_match(walk, at, drawn.cell, drawn.widths, elements.nodes, elements.suspect)


@pytest.mark.parametrize(("chosen", "packed"), [(1, False), (2, False), (3, True)])
def test_a_whole_group_is_packed_only_for_cells_of_more_than_two_columns(chosen: int, packed: bool) -> None:
    rng = np.random.default_rng(0)
    n, widths = 3000, np.full(20, 2)
    elements = matching.Elements(
        rng.integers(0, 2, (20, n)).astype(np.int32),
        np.ones(n, np.int64),
        np.full(n, -1, np.int32),
        np.zeros(0, np.int32),
        np.ones(n, np.bool_),
    )
    limits = matching.Limits(1, 1, 1, 0)
    assert bit_planes.worth_packing(np.arange(n), chosen, widths, elements, limits) is packed


def test_planes_of_no_rows_are_none() -> None:
    drawn = Drawn(1, 3, 10, 1, 1)
    none = bit_planes.pack(drawn.cell[:0], 0, drawn.widths, drawn.elements, 1)
    assert len(none.suspect) == 0 and none.bits.shape[1] == 0
