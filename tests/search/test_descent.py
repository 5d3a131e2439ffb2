"""Descent: what it finds and claims is true, whatever it draws, and drawn again it is the same."""

from __future__ import annotations

import math
import time
from functools import cache
from itertools import count

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import Optimal
from shoal.coded import Coded
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.errors import CannotBeMet
from shoal.models import KAnonymity
from shoal.progress import silent
from shoal.search.best_first import BestFirst, Found
from shoal.search.descent import Descent
from shoal.search.lattice import Lattice
from shoal.search.nodes import Node
from shoal.search.objectives import objective
from tests.effort import examples
from tests.models.strategies import SEARCHED
from tests.recodings import MEASURES, model_sets, suppressions, tables

quick = settings(
    max_examples=examples(40),
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.parametrize("kind", SEARCHED)
@given(data=st.data())
@quick
def test_a_descent_never_claims_too_much(kind: str, data: st.DataObject) -> None:
    models = data.draw(model_sets(kind))
    table, suppression = data.draw(tables(rows=8, columns=2)), data.draw(suppressions(models))
    assume(max(len(table.groups(node)) for node in table.nodes()) <= 6)
    measure, limit = data.draw(st.sampled_from(MEASURES)), math.floor(suppression * len(table.rows))
    costs = table.all_costs(measure, models, limit)
    lattice, seed = Lattice(table.coded, models, suppression), data.draw(st.integers(0, 2**32))
    try:
        found = Descent(lattice, objective(measure, lattice), time.monotonic() + 0.02, silent, seed).run()
    except CannotBeMet:
        return
    partition = lattice.partition(found.best)
    classes = table.classes_of(partition)
    assert table.keep_promises(models, table.published(classes))
    assert table.rows_without([rows for rows, _ in classes]) <= limit
    assert table.cost(measure, classes) == pytest.approx(found.cost, abs=1e-9)
    assert found.lower_bound <= min(costs.values()) + 1e-9
    if found.proven:
        assert found.cost == pytest.approx(min(costs.values()), abs=1e-9)


@cache
def wide() -> Coded:
    """Nine columns of two or three values each."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{a}": rng.integers(0, 2 + a % 2, 300).astype(str) for a in range(9)})
    columns = {name: shoal.quasi() for name in frame.columns}
    plan = shoal.Plan(columns=columns, models=[KAnonymity(k=2)], algorithm=Optimal())
    return fit(LocalEngine(frame), plan).coded


def descended(seed: int, measure: str, looks: int) -> tuple[Found, list[Node], Lattice]:
    """What a descent finds before the clock was asked so often, and the nodes it looked at, in order."""
    lattice, clock = Lattice(wide(), [KAnonymity(k=20)], 0.05), count()
    goal = objective(measure, lattice)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "monotonic", lambda: next(clock))
        found = Descent(lattice, goal, looks, silent, seed).run()
    return found, list(lattice.looked), lattice


@pytest.mark.parametrize("measure", MEASURES)
def test_the_same_seed_finds_the_same(measure: str) -> None:
    (one, looked, _), (again, looked_again, _) = (descended(3, measure, 300) for _ in range(2))
    assert looked == looked_again
    assert (one.cost, one.lower_bound, one.proven) == (again.cost, again.lower_bound, again.proven)
    assert one.best.classes.node == again.best.classes.node


@pytest.mark.parametrize("measure", MEASURES)
def test_another_seed_looks_elsewhere_and_is_as_sound(measure: str) -> None:
    lattice = Lattice(wide(), [KAnonymity(k=20)], 0.05)
    least = BestFirst(lattice, objective(measure, lattice), math.inf, silent).run()
    assert least.proven
    ways = set()
    for seed in range(4):
        found, looked, own = descended(seed, measure, 300)
        ways.add(tuple(looked))
        assert own.holds(own.partition(found.best)) and own.feasible(found.best)
        assert found.cost >= least.cost - 1e-9
        assert found.lower_bound is not None and found.lower_bound <= least.cost + 1e-9
        assert found.proven is (found.cost <= found.lower_bound + 1e-12)
    assert len(ways) > 1


def test_the_first_way_down_draws_nothing() -> None:
    """It always takes the step that saves most: no seed changes what a hasty search finds."""
    hasty = [descended(seed, "loss", 15)[1] for seed in range(3)]
    assert hasty[0] == hasty[1] == hasty[2]
