"""Covering against all levels there are."""

from __future__ import annotations

import math
import time
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.search.covering import Covering
from tests.effort import examples

COLUMNS = st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=4), min_size=1, max_size=4)


@given(columns=COLUMNS, data=st.data())
@settings(deadline=None, max_examples=examples(150))
def test_the_cheapest_levels_past_all_failures_are_found(columns: list[list[int]], data: st.DataObject) -> None:
    costs = [[float(cost) for cost in sorted(column)] for column in columns]
    nodes = list(product(*(range(len(column)) for column in costs)))
    failures = data.draw(st.lists(st.sampled_from(nodes), max_size=8))
    problem = Covering(costs)
    for failed in failures:
        problem.rule_out(failed)
    allowed = [
        node for node in nodes if not any(all(x <= f for x, f in zip(node, failed, strict=True)) for failed in failures)
    ]
    least = min((sum(costs[a][x] for a, x in enumerate(node)) for node in allowed), default=math.inf)
    found = problem.cheapest(time.monotonic() + 60, 10**6)
    assert found.bound == pytest.approx(least)
    assert (found.levels is None) is (not allowed)
    if found.levels is not None:
        assert found.levels in allowed
        assert sum(costs[a][x] for a, x in enumerate(found.levels)) == pytest.approx(least)
    for early in (problem.cheapest(time.monotonic() - 1, 10**6), problem.cheapest(time.monotonic() + 60, 0)):
        assert early.levels is None
        assert early.bound <= least + 1e-9
