"""Searches against brute force over the whole lattice, regrouped and judged in plain Python."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from shoal.errors import CannotBeMet
from shoal.models import ClassModel
from shoal.progress import silent
from shoal.search.lattice import Lattice
from shoal.search.objectives import objective
from shoal.search.searching import Descent, Found, Search
from tests.models.strategies import MODELS
from tests.recodings import MEASURES, Node, Table, model_sets, suppressions, tables

quick = settings(
    max_examples=40,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
KINDS = sorted(MODELS)
RELATIVE = ("t-closeness", "beta-likeness", "delta-disclosure")


def searched(table: Table, models: Sequence[ClassModel], suppression: float, measure: str, seconds: float) -> Found:
    lattice = Lattice(table.encoded(), models, suppression)
    return Search(lattice, objective(measure, lattice), time.monotonic() + seconds, silent).run()


def all_costs(table: Table, models: Sequence[ClassModel], limit: int, measure: str) -> dict[Node, float]:
    """What the cheapest release of every node that has one costs."""
    found = {}
    for node in table.nodes():
        costs = [table.cost(measure, [(rows, node) for rows in kept]) for kept in table.releases(models, node, limit)]
        if costs:
            found[node] = min(costs)
    return found


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in RELATIVE[1:]])
@given(data=st.data())
@quick
def test_a_search_finds_the_best_of_all_nodes(kind: str, data: st.DataObject) -> None:
    models = data.draw(model_sets(kind).filter(lambda ms: not any(m.relative_to_released for m in ms)))
    table, suppression = data.draw(tables()), data.draw(suppressions(models))
    measure = data.draw(st.sampled_from(MEASURES))
    costs = all_costs(table, models, math.floor(suppression * len(table.rows)), measure)
    if not costs:
        with pytest.raises(CannotBeMet):
            searched(table, models, suppression, measure, 60)
        return
    found = searched(table, models, suppression, measure, 60)
    assert found.proven
    assert found.cost == pytest.approx(min(costs.values()), abs=1e-9)
    assert found.lower_bound == pytest.approx(found.cost, abs=1e-9)
    assert costs[found.best.groups.node] == pytest.approx(found.cost, abs=1e-9)


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
    costs = all_costs(table, models, limit, measure)
    lattice = Lattice(table.encoded(), models, suppression)
    try:
        found = Search(lattice, objective(measure, lattice), time.monotonic() + 60, silent).run()
    except CannotBeMet:
        assert not costs or limit > 0
        return
    partition = lattice.partition(found.best)
    classes = table.classes_of(lattice.encoded, partition)
    assert table.keep_promises(models, table.published(classes))
    assert table.rows_without([rows for rows, _ in classes]) <= limit
    assert table.cost(measure, classes) == pytest.approx(found.cost, abs=1e-9)
    assert found.lower_bound <= min(costs.values()) + 1e-9
    if found.proven:
        assert found.cost == pytest.approx(min(costs.values()), abs=1e-9)
    if limit == 0:
        assert found.proven


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@quick
def test_a_descent_never_claims_too_much(kind: str, data: st.DataObject) -> None:
    models = data.draw(model_sets(kind))
    table, suppression = data.draw(tables(rows=8, columns=2)), data.draw(suppressions(models))
    assume(max(len(table.groups(node)) for node in table.nodes()) <= 6)
    measure, limit = data.draw(st.sampled_from(MEASURES)), math.floor(suppression * len(table.rows))
    costs = all_costs(table, models, limit, measure)
    lattice = Lattice(table.encoded(), models, suppression)
    try:
        found = Descent(lattice, objective(measure, lattice), time.monotonic() + 0.02, silent).run()
    except CannotBeMet:
        return
    partition = lattice.partition(found.best)
    classes = table.classes_of(lattice.encoded, partition)
    assert table.keep_promises(models, table.published(classes))
    assert table.rows_without([rows for rows, _ in classes]) <= limit
    assert table.cost(measure, classes) == pytest.approx(found.cost, abs=1e-9)
    assert found.lower_bound <= min(costs.values()) + 1e-9
    if found.proven:
        assert found.cost == pytest.approx(min(costs.values()), abs=1e-9)
