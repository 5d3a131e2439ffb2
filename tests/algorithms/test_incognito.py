"""Incognito against the minimal set found by brute force."""

from __future__ import annotations

import math

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import Incognito
from shoal.algorithms.incognito import minimal_nodes
from shoal.errors import CannotBeMet, PlanError
from shoal.models import KAnonymity, TCloseness
from shoal.progress import silent
from shoal.search.lattice import Lattice
from tests.effort import examples
from tests.models.strategies import SEARCHED
from tests.recodings import MEASURES, Node, model_sets, suppressions, tables

quick = settings(
    max_examples=examples(40),
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


def is_below(a: Node, b: Node) -> bool:
    return a != b and all(x <= y for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("kind", sorted(set(SEARCHED) - {"beta-likeness", "delta-disclosure"}))
@given(data=st.data())
@quick
def test_all_minimal_recodings_are_found_and_the_cheapest_is_released(kind: str, data: st.DataObject) -> None:
    models, table = data.draw(model_sets(kind)), data.draw(tables())
    suppression, measure = data.draw(suppressions(models)), data.draw(st.sampled_from(MEASURES))
    lattice = Lattice(table.coded, models, suppression)
    algorithm = Incognito(measure)
    if not lattice.monotone:
        if algorithm.refuses(models, suppression) == "" and not table.by_person:
            assert math.floor(suppression * len(table.rows)) == 0
        with pytest.raises(PlanError, match="optimal"):
            algorithm.partition(table.coded, models, suppression, 0, silent)
        return
    choices = {node: list(table.releases(models, node, lattice.limit)) for node in table.nodes()}
    feasible = [node for node, found in choices.items() if found]
    minimal = sorted(node for node in feasible if not any(is_below(lower, node) for lower in feasible))
    assert minimal_nodes(lattice, silent) == minimal
    if not minimal:
        with pytest.raises(CannotBeMet):
            algorithm.partition(table.coded, models, suppression, 0, silent)
        return
    partition = algorithm.partition(table.coded, models, suppression, 0, silent)
    assert partition.record.minimal == tuple(dict(zip(table.coded.names, node, strict=True)) for node in minimal)
    costs = [table.cost(measure, [(rows, node) for rows in choices[node][0]]) for node in minimal]
    assert table.cost(measure, table.classes_of(partition)) == pytest.approx(min(costs), abs=1e-9)


def test_it_refuses_what_it_cannot_prune_for() -> None:
    assert "t-closeness" in Incognito().refuses([TCloseness("ill", t=0.2)], 0.05)
    assert Incognito().refuses([TCloseness("ill", t=0.2)], 0.0) == ""
    with pytest.raises(PlanError, match="beauty"):
        Incognito(measure="beauty")


def test_a_lattice_too_large_to_list_is_refused_at_once() -> None:
    frame = pl.DataFrame({f"c{a}": ["x", "y"] * 5 for a in range(25)})
    plan = shoal.Plan(
        columns={name: shoal.quasi() for name in frame.columns}, models=[KAnonymity(k=2)], algorithm=Incognito()
    )
    with pytest.raises(PlanError, match=r"33554432 recodings.*optimal"):
        shoal.anonymize(frame, plan)


STRATEGY = st.builds(Incognito, measure=st.sampled_from(MEASURES))
"""Parameters that the contract of all algorithms tries."""
