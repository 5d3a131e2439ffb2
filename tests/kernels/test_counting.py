from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels import counting
from tests.effort import examples

HERE = Path(__file__).parent


class Drawn:
    """Rows with a code, a weight and a person, in classes; -1 leaves a row out."""

    def __init__(self, rows: list[tuple[int, int, int, int]]) -> None:
        self.rows = rows
        class_of = np.array([c for c, *_ in rows], np.int64)
        self.classes = [[row for row in rows if row[0] == c] for c in range(3)]
        self.order = np.argsort(class_of, kind="stable")
        self.offsets = np.searchsorted(class_of[self.order], np.arange(4)).astype(np.int64)
        self.codes: NDArray[np.int32] = np.array([row[1] for row in rows], np.int32)
        self.weight: NDArray[np.int64] = np.array([row[2] for row in rows], np.int64)
        self.person: NDArray[np.int32] = np.array([row[3] for row in rows], np.int32)


ROW = st.tuples(st.integers(-1, 2), st.integers(0, 4), st.integers(1, 10**12), st.integers(0, 3))
drawn = st.lists(ROW, max_size=20).map(Drawn)
quick = settings(max_examples=examples(50), deadline=None)


def sparse(offsets: NDArray[np.int64], values: NDArray[np.int32], counts: NDArray[np.int64]) -> list[dict[int, int]]:
    found = [list(zip(values[a:b].tolist(), counts[a:b].tolist(), strict=True)) for a, b in pairwise(offsets)]
    assert all(pairs == sorted(pairs) for pairs in found)
    return [dict(pairs) for pairs in found]


@given(drawn)
@quick
def test_weights_are_summed_by_class(table: Drawn) -> None:
    found = counting.class_weights(table.offsets, table.weight[table.order])
    assert found.tolist() == [sum(row[2] for row in members) for members in table.classes]


@given(drawn)
@quick
def test_persons_are_counted_once_a_class(table: Drawn) -> None:
    found = counting.class_persons(table.order, table.offsets, table.person)
    assert found.tolist() == [len({row[3] for row in members}) for members in table.classes]


@given(drawn)
@quick
def test_values_are_counted_by_weight(table: Drawn) -> None:
    expected = [Counter[int]() for _ in table.classes]
    for members, count in zip(table.classes, expected, strict=True):
        for _, code, weight, _ in members:
            count[code] += weight
    found = counting.class_values(table.order, table.offsets, table.codes, table.weight[table.order], 5)
    assert sparse(*found) == expected


def test_a_row_may_be_in_two_classes_with_a_weight_in_each() -> None:
    rows, offsets, weight = np.array([0, 1, 1]), np.array([0, 2, 3]), np.array([4, 2, 7])
    assert counting.class_weights(offsets, weight).tolist() == [6, 7]
    assert sparse(*counting.class_values(rows, offsets, np.array([3, 0], np.int32), weight, 5)) == [
        {0: 2, 3: 4},
        {0: 7},
    ]


@given(drawn)
@quick
def test_values_are_counted_by_person(table: Drawn) -> None:
    expected = [Counter(code for code, _ in {(row[1], row[3]) for row in members}) for members in table.classes]
    found = counting.class_person_values(table.order, table.offsets, table.codes, table.person, 5)
    assert sparse(*found) == expected


MET = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 9)), max_size=30)


@given(MET, st.integers(0, 2**32 - 1))
@quick
def test_meetings_are_counted_for_every_column(rows: list[tuple[int, int, int]], seed: int) -> None:
    bins = np.random.default_rng(seed).integers(0, 5, (3, 2)).astype(np.uint8)
    own, row = np.array([u for u, *_ in rows], np.uint8), np.array([k for _, k, _ in rows], np.int32)
    expected = Counter[tuple[int, int, int]]()
    for u, k, count in rows:
        for a in range(2):
            expected[a, u, int(bins[k, a])] += count
    found = counting.meetings(own, row, np.array([count for *_, count in rows], np.int64), bins, 4, 5)
    assert found.shape == (2, 4, 5) and found.sum() == expected.total()
    assert {place: int(found[place]) for place in expected} == expected


def test_the_largest_codes_and_persons_are_told_apart() -> None:
    largest = 2**31 - 1
    codes = np.array([largest, largest, largest - 1], np.int32)
    person = np.array([largest, largest - 1, largest], np.int32)
    found = counting.class_person_values(np.arange(3), np.array([0, 3]), codes, person, largest)
    assert sparse(*found) == [{largest - 1: 1, largest: 2}]


def test_kernels_give_the_same_answers_without_compilation() -> None:
    """Interpreted, indexes are checked and numpy's own arithmetic is used: what the compiler hides would show."""
    files = [str(HERE / name) for name in ("test_counting.py", "test_distances.py")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-k", "not without_compilation", *files],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert " passed" in done.stdout
