"""The distribution of class sizes."""

from __future__ import annotations

from statistics import median

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.figures.class_sizes import ClassSizes, SizeBin, class_sizes
from tests.figures.releases import released


def test_a_release_of_two_sizes() -> None:
    found = class_sizes(np.array([5, 7, 5, 12]))
    bins = (SizeBin(5, 5, 2, 10), SizeBin(7, 7, 1, 7), SizeBin(11, 20, 1, 12))
    assert found == ClassSizes(smallest=5, median=6.0, median_of_rows=7, largest=12, bins=bins)


def test_no_class_has_no_sizes() -> None:
    assert class_sizes(np.array([], np.int64)) is None


def test_sizes_are_those_of_the_published_file() -> None:
    sizes = released().figures.public.class_sizes
    assert sizes is not None and (sizes.smallest, sizes.largest, sizes.bins) == (5, 5, (SizeBin(5, 5, 4, 20),))


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=60))
def test_bins_hold_every_class_once(sizes: list[int]) -> None:
    found = class_sizes(np.array(sizes))
    assert found is not None
    for each in found.bins:
        inside = [size for size in sizes if each.low <= size <= each.high]
        assert (each.classes, each.rows) == (len(inside), sum(inside)) and inside
    assert sum(each.classes for each in found.bins) == len(sizes)
    rows = sorted(size for size in sizes for _ in range(size))
    assert found.median_of_rows == rows[(len(rows) - 1) // 2] and found.median == median(sizes)
