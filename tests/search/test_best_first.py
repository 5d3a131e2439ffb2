"""Best-first search against brute force over the whole lattice, regrouped and judged in plain Python."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from itertools import count

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from shoal.errors import CannotBeMet
from shoal.models import ClassModel, KAnonymity
from shoal.progress import silent
from shoal.search.best_first import BestFirst, Found, is_proven
from shoal.search.lattice import Lattice
from shoal.search.nodes import lowered
from shoal.search.objectives import objective
from tests.effort import examples
from tests.models.strategies import SEARCHED
from tests.recodings import MEASURES, Table, model_sets, suppressions, tables

quick = settings(
    max_examples=examples(40),
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
KINDS = SEARCHED
RELATIVE = ("t-closeness", "beta-likeness", "delta-disclosure")


def searched(table: Table, models: Sequence[ClassModel], suppression: float, measure: str) -> Found:
    lattice = Lattice(table.coded, models, suppression)
    return BestFirst(lattice, objective(measure, lattice), math.inf, silent).run()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in RELATIVE[1:]])
@given(data=st.data())
@quick
def test_a_search_finds_the_best_of_all_nodes(kind: str, data: st.DataObject) -> None:
    models = data.draw(model_sets(kind).filter(lambda ms: not any(m.relative_to_released for m in ms)))
    table, suppression = data.draw(tables()), data.draw(suppressions(models))
    measure = data.draw(st.sampled_from(MEASURES))
    costs = table.all_costs(measure, models, math.floor(suppression * len(table.rows)))
    if not costs:
        with pytest.raises(CannotBeMet):
            searched(table, models, suppression, measure)
        return
    found = searched(table, models, suppression, measure)
    assert found.proven
    assert found.cost == pytest.approx(min(costs.values()), abs=1e-9)
    assert found.lower_bound == pytest.approx(found.cost, abs=1e-9)
    node = found.best.classes.node
    assert costs[node] == pytest.approx(found.cost, abs=1e-9)
    below = (lowered(node, a) for a in range(len(node)) if node[a])
    assert all(costs.get(lower, math.inf) > found.cost + 1e-9 for lower in below), "another generalizes less"


@pytest.mark.parametrize("kind", RELATIVE)
@given(data=st.data())
@quick
def test_what_is_said_of_the_best_is_true_where_leaving_rows_out_moves_the_yardstick(
    kind: str, data: st.DataObject
) -> None:
    models = data.draw(model_sets(kind).filter(lambda ms: any(m.relative_to_released for m in ms)))
    table, suppression = data.draw(tables(rows=8, columns=2)), data.draw(suppressions(models))
    assume(max(len(table.groups(node)) for node in table.nodes()) <= 6)
    measure, limit = data.draw(st.sampled_from(MEASURES)), math.floor(suppression * len(table.rows))
    costs = table.all_costs(measure, models, limit)
    lattice = Lattice(table.coded, models, suppression)
    try:
        found = BestFirst(lattice, objective(measure, lattice), math.inf, silent).run()
    except CannotBeMet:
        assert not costs or limit > 0
        return
    partition = lattice.partition(found.best)
    classes = table.classes_of(partition)
    assert table.keep_promises(models, table.published(classes))
    assert table.rows_without([rows for rows, _ in classes]) <= limit
    assert table.cost(measure, classes) == pytest.approx(found.cost, abs=1e-9)
    assert found.lower_bound <= min(costs.values()) + 1e-9
    if found.proven:
        assert found.cost == pytest.approx(min(costs.values()), abs=1e-9)
    if limit == 0:
        assert found.proven


@given(table=tables(), k=st.integers(2, 4), measure=st.sampled_from(MEASURES), ticks=st.integers(0, 12))
@quick
def test_a_search_that_runs_out_of_time_claims_no_more_than_it_knows(
    table: Table, k: int, measure: str, ticks: int
) -> None:
    """The clock ticks once whenever it is asked."""
    models, limit = (KAnonymity(k=k),), len(table.rows) // 2
    costs = table.all_costs(measure, models, limit)
    lattice = Lattice(table.coded, models, 0.5)
    goal, clock = objective(measure, lattice), count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "monotonic", lambda: next(clock))
        if not costs:
            with pytest.raises(CannotBeMet):
                BestFirst(lattice, goal, ticks, silent).run()
            return
        found = BestFirst(lattice, goal, ticks, silent).run()
    assert found.cost == pytest.approx(costs[found.best.classes.node], abs=1e-9)
    assert found.lower_bound is not None and found.lower_bound <= min(costs.values()) + 1e-9
    if found.proven:
        assert found.cost == pytest.approx(min(costs.values()), abs=1e-9)


def test_of_equals_the_one_that_changes_less_is_taken() -> None:
    """Everybody has the same town: to hide it changes no class, and the cost by classes is the same."""
    rows = tuple({"q0": "a", "q1": v, "disease": "flu", "months": "9", "who": "ann"} for v in "aabb")
    tree = {"a": ("a", "*"), "b": ("b", "*")}
    table = Table(rows, {"q0": tree, "q1": tree}, {"q0": 1.0, "q1": 1.0})
    assert searched(table, [KAnonymity(k=2)], 0.0, "discernibility").best.classes.node == (0, 0)


def test_progress_is_told_as_a_share() -> None:
    rows = tuple({"q0": q, "disease": "flu", "months": "9", "who": "ann"} for q in "aab")
    lattice = Lattice(Table(rows, {"q0": {q: (q, "*") for q in "ab"}}, {"q0": 1.0}).coded, [KAnonymity(k=2)])
    told: list[tuple[str, float]] = []
    BestFirst(lattice, objective("loss", lattice), math.inf, lambda *each: told.append(each)).run()
    assert told and all(step == "search" and 0 <= share <= 1 for step, share in told)


@pytest.mark.parametrize("largest", [1e308, 1e300, 1.0])
def test_the_optimum_is_right_whatever_the_weights(largest: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum of such weights is infinite; plans refuse them too."""
    monkeypatch.setattr("shoal.plan.checks._check_column", lambda *_: None)
    rows = tuple({"q0": q0, "q1": q1, "disease": "flu", "months": "9", "who": ""} for q0 in "ab" for q1 in "ab") * 2
    tree = {"a": ("a", "*"), "b": ("b", "*")}
    table = Table(rows, {"q0": tree, "q1": tree}, {"q0": largest, "q1": largest}, by_person=False)
    lattice = Lattice(table.coded, [KAnonymity(k=4)])
    found = BestFirst(lattice, objective("loss", lattice), math.inf, silent).run()
    assert sum(found.best.classes.node) == 1
    assert found.cost == pytest.approx(0.5) and found.proven


@pytest.mark.parametrize("cost", [math.nan, math.inf])
def test_costs_that_are_no_numbers_prove_nothing(cost: float) -> None:
    assert not is_proven(cost, cost)
    assert is_proven(0.5, 0.5) and not is_proven(0.5, 0.4)
