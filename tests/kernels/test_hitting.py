"""Minimum hitting sets against brute force: exact is exact, and every bound is sound."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels import hitting
from tests.effort import examples
from tests.oracle import Setting, diversity

PASSED = (hitting.PASSED_BY_LOWER_BOUND, hitting.PASSED_BY_SEARCH)
NAMES = ("a", "b", "c", "d")

Rows = list[tuple[int, ...]]


def classes(rows: Rows) -> hitting.Classes:
    """One class of these rows; equal rows are one entry with a count."""
    distinct = sorted(set(rows))
    m = len(rows[0])
    return hitting.Classes(
        np.array([0, len(distinct)]),
        np.arange(len(distinct), dtype=np.int32),
        np.array([rows.count(row) for row in distinct], np.int64),
        np.array(distinct, np.int32).reshape(len(distinct), m),
        np.arange(m) * 10,
        10 * m,
    )


def decide(rows: Rows, limits: list[int], l: int, *, exact: bool, budget: int = 100_000) -> int:
    decided, _ = hitting.decide(classes(rows), np.array([True]), np.array(limits), l, exact, budget)
    return int(decided[0])


def truth(rows: Rows, limits: list[int]) -> float:
    names = NAMES[: len(rows[0])]
    members = [{name: str(value) for name, value in zip(names, row, strict=True)} for row in rows]
    return diversity.diversity(members, names, Setting(), dict(zip(names, limits, strict=True)))


@st.composite
def problems(draw: st.DrawFn) -> tuple[Rows, list[int], int]:
    """Up to 12 rows of up to 4 columns, values few enough to meet; limits or none; and an l to decide about."""
    m = draw(st.integers(1, 4))
    values = draw(st.integers(2, 6))
    rows = draw(st.lists(st.tuples(*[st.integers(0, values - 1)] * m), min_size=1, max_size=12))
    l = draw(st.integers(2, 5))
    limits = draw(st.one_of(st.just([l] * m), st.lists(st.integers(1, l), min_size=m, max_size=m)))
    return rows, limits, l


@given(problems())
@settings(max_examples=examples(250), deadline=None)
def test_exact_equals_brute_force_and_greedy_is_sound(problem: tuple[Rows, list[int], int]) -> None:
    rows, limits, l = problem
    diverse = truth(rows, limits) >= l
    assert (decide(rows, limits, l, exact=True) in PASSED) is diverse
    if decide(rows, limits, l, exact=False) in PASSED:
        assert diverse


def test_greedy_misses_some_that_exact_passes_and_neither_is_vacuous() -> None:
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(400):
        rows = [tuple(row) for row in rng.integers(0, 5, (10, 3)).tolist()]
        seen.add(tuple(decide(rows, [4] * 3, 4, exact=exact) in PASSED for exact in (False, True)))
    assert seen == {(False, False), (False, True), (True, True)}


def test_every_step_decides_something() -> None:
    rng = np.random.default_rng(1)
    steps = {
        decide([tuple(row) for row in rng.integers(0, 7, (12, 4)).tolist()], [l] * 4, l, exact=True)
        for l in (3, 4, 5)
        for _ in range(300)
    }
    assert steps == {*PASSED, hitting.FAILED_BY_COVER, hitting.FAILED_BY_SEARCH}


def test_out_of_budget_does_not_pass() -> None:
    rng = np.random.default_rng(2)
    hard = [
        rows
        for rows in ([tuple(row) for row in rng.integers(0, 9, (30, 4)).tolist()] for _ in range(60))
        if decide(rows, [7] * 4, 7, exact=True) == hitting.PASSED_BY_SEARCH
    ]
    assert hard
    assert {decide(rows, [7] * 4, 7, exact=True, budget=1) for rows in hard} <= {
        hitting.OUT_OF_BUDGET,
        hitting.PASSED_BY_SEARCH,
    }
    assert any(decide(rows, [7] * 4, 7, exact=True, budget=1) == hitting.OUT_OF_BUDGET for rows in hard)


def test_classes_are_decided_apart_and_only_where_asked() -> None:
    rows = [(0, 0), (1, 1), (2, 2), (0, 0), (0, 1), (0, 2)]
    both = hitting.Classes(
        np.array([0, 3, 6]),
        np.arange(6, dtype=np.int32),
        np.ones(6, np.int64),
        np.array(rows, np.int32),
        np.array([0, 10]),
        20,
    )
    decided, _ = hitting.decide(both, np.array([True, True]), np.array([3, 3]), 3, True, 100)
    assert decided.tolist() == [hitting.PASSED_BY_LOWER_BOUND, hitting.FAILED_BY_COVER]
    decided, _ = hitting.decide(both, np.array([False, True]), np.array([3, 3]), 3, True, 100)
    assert decided[0] == hitting.NOT_ASKED


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=8), st.integers(0, 2))
@settings(max_examples=examples(150), deadline=None)
def test_an_elimination_that_is_found_is_one_and_diversity_rules_it_out(rows: Rows, most: int) -> None:
    found = int(hitting.eliminations(classes(rows), most, 100)[0])
    possible = any(_exposes(rows, ruled_out) for n in range(most + 1) for ruled_out in combinations(_values(rows), n))
    if found <= most:
        assert possible
        assert truth(rows, [9] * 3) < found + 2  # Theorem 1: diversity l resists l − 2


def _values(rows: Rows) -> list[tuple[int, int]]:
    return sorted({(a, value) for row in rows for a, value in enumerate(row)})


def _exposes(rows: Rows, ruled_out: tuple[tuple[int, int], ...]) -> bool:
    left = [row for row in rows if not any(row[a] == value for a, value in ruled_out)]
    return bool(left) and any(len(set(column)) == 1 for column in zip(*left, strict=True))
