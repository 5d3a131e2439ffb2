"""The cutting kernels choose the cut that the definition chooses, over numbers, trees and sets alike."""

from __future__ import annotations

from collections import Counter
from math import log2
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.algorithms.mondrian import geometry
from shoal.coded import Coded
from shoal.coded.domains import RANGE, SET, TREE
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.hierarchies import Prefix
from shoal.kernels import cutting
from shoal.models import KAnonymity
from shoal.plan import Plan, ReleaseSettings
from shoal.roles.columns import Column
from tests.effort import examples

COLUMNS = {
    "n": Column(role="quasi-identifier", weight=2.0),
    "t": Column(role="quasi-identifier", hierarchy=Prefix(), type="text"),
    "w": Column(role="quasi-identifier", weight=0.7),
}
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "5", "9", "?"]),
        st.sampled_from(["10", "11", "20", "21", "30"]),
        st.sampled_from(["x", "y", "z"]),
    ),
    min_size=2,
    max_size=16,
)
quick = settings(max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def coded_of(rows: list[Any], categories: str) -> Coded:
    plan = Plan(columns=COLUMNS, models=[KAnonymity(k=2)], release=ReleaseSettings(categories=categories))
    return fit(LocalEngine(pl.DataFrame(rows, schema=list(COLUMNS), orient="row")), plan).coded


def loss(coded: Coded, rows: list[int], a: int) -> float:
    """What publishing these rows alike loses in attribute a, from what labels mean."""
    column = coded.quasi[a]
    codes = sorted({int(coded.counted.by_row[row, a]) for row in rows})
    if column.published == SET:
        return (len(codes) - 1) / max(column.leaves - 1, 1)
    if column.published == RANGE:
        return float(min(1.0, column.position[codes[-1]] - column.position[codes[0]]))
    assert column.published == TREE and column.hierarchy is not None and column.leaves_under is not None
    for level, nodes in enumerate(column.hierarchy.levels):
        if len({int(nodes.of_leaf[code]) for code in codes}) == 1:
            return (int(column.leaves_under[level, codes[0]]) - 1) / max(column.leaves - 1, 1)
    raise AssertionError("a tree has a top")


def weighted_loss(coded: Coded, rows: list[int]) -> float:
    return sum(column.weight * loss(coded, rows, a) for a, column in enumerate(coded.quasi))


def scores(coded: Coded, rows: list[int], floor: int) -> dict[tuple[int, frozenset[int]], float]:
    """(attribute, rows of the left side) → how good the cut is by the loss rule."""
    weight = coded.counted.weight
    total, found = int(weight[rows].sum()), {}
    for a, column in enumerate(coded.quasi):
        counts: Counter[int] = Counter()
        for row in rows:
            counts[int(coded.counted.by_row[row, a])] += int(weight[row])
        by_count = column.published == SET
        codes = sorted(counts, key=lambda code: (-counts[code], code) if by_count else (code,))
        for i in range(1, len(codes)):
            left = [row for row in rows if coded.counted.by_row[row, a] in codes[:i]]
            right = [row for row in rows if coded.counted.by_row[row, a] not in codes[:i]]
            size = int(weight[left].sum())
            if min(size, total - size) < floor:
                continue
            less = total * weighted_loss(coded, rows)
            less -= size * weighted_loss(coded, left) + (total - size) * weighted_loss(coded, right)
            p = size / total
            even = -(p * log2(p) + (1 - p) * log2(1 - p))
            found[a, frozenset(left)] = less * even**cutting.EVENNESS
    return found


@given(ROWS, st.sampled_from(["hierarchy", "sets"]), st.integers(1, 3))
@quick
def test_the_proposed_cut_is_the_best_by_definition(rows: list[Any], categories: str, floor: int) -> None:
    coded = coded_of(rows, categories)
    n = len(coded.counted.by_row)
    order = np.arange(n, dtype=np.int64)
    middles, attributes, _ = cutting.propose(
        coded.counted.by_row,
        coded.counted.weight,
        order,
        np.array([0]),
        np.array([n]),
        floor,
        cutting.LOSS,
        geometry(coded),
    )
    expected = scores(coded, list(range(n)), floor)
    if not expected:
        assert middles[0] == -1
        return
    chosen = (int(attributes[0]), frozenset(order[: middles[0]].tolist()))
    assert sorted(order.tolist()) == list(range(n))
    assert expected[chosen] == pytest.approx(max(expected.values()), abs=1e-9)


@given(ROWS, st.sampled_from(["hierarchy", "sets"]), st.integers(1, 3), st.sampled_from([cutting.LOSS, cutting.MEDIAN]))
@quick
def test_alternatives_are_all_cuts_and_expanding_performs_them(
    rows: list[Any], categories: str, floor: int, rule: int
) -> None:
    coded = coded_of(rows, categories)
    n, codes, weight, g = len(coded.counted.by_row), coded.counted.by_row, coded.counted.weight, geometry(coded)
    order, starts, ends = np.arange(n, dtype=np.int64), np.array([0]), np.array([n])
    node, attribute, cut, *_ = cutting.alternatives(codes, weight, order, starts, ends, floor, rule, g)
    firsts, lasts = np.zeros(len(node), np.int64), np.full(len(node), n)
    copies, offsets, last_left = cutting.expand(codes, weight, order, firsts, lasts, attribute, cut, rule, g)
    seen = set()
    for t, a in enumerate(attribute.tolist()):
        left, right = (copies[offsets[2 * t + side] : offsets[2 * t + side + 1]].tolist() for side in (0, 1))
        assert sorted(left + right) == list(range(n))
        assert not {int(codes[row, a]) for row in left} & {int(codes[row, a]) for row in right}
        assert min(int(weight[left].sum()), int(weight[right].sum())) >= floor
        assert last_left[t] in codes[left, a]
        seen.add((a, frozenset(left)))
    assert len(seen) == len(node)
    if rule == cutting.LOSS:
        assert seen == set(scores(coded, list(range(n)), floor))
    assert np.array_equal(order, np.arange(n))


def test_nodes_are_cut_each_by_itself() -> None:
    coded = coded_of([(str(i % 9), f"{i % 4}0", "xyz"[i % 3]) for i in range(40)], "hierarchy")
    n, g = len(coded.counted.by_row), geometry(coded)
    half = n // 2
    together = np.arange(n, dtype=np.int64)
    starts, ends = np.array([0, half]), np.array([half, n])
    both = cutting.propose(coded.counted.by_row, coded.counted.weight, together, starts, ends, 1, cutting.LOSS, g)
    for which in (0, 1):
        alone = np.arange(n, dtype=np.int64)
        one = cutting.propose(
            coded.counted.by_row,
            coded.counted.weight,
            alone,
            starts[which : which + 1],
            ends[which : which + 1],
            1,
            0,
            g,
        )
        assert [int(each[0]) for each in one] == [int(each[which]) for each in both]
        assert np.array_equal(alone[starts[which] : ends[which]], together[starts[which] : ends[which]])


def test_a_node_that_does_not_vary_cannot_be_cut() -> None:
    coded = coded_of([("1", "10", "x")] * 3, "hierarchy")
    order = np.arange(len(coded.counted.by_row), dtype=np.int64)
    middles, *_ = cutting.propose(
        coded.counted.by_row, coded.counted.weight, order, np.array([0]), np.array([len(order)]), 1, 0, geometry(coded)
    )
    assert middles.tolist() == [-1]
