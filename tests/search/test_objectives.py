"""Objectives: costs and bounds against plain sums over cells and classes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from shoal.models import KAnonymity
from shoal.search.lattice import Lattice
from shoal.search.objectives import MEASURES, objective
from tests.effort import examples
from tests.recodings import MEASURES as ALL_MEASURES
from tests.recodings import SUPPRESSIONS, Table, tables

quick = settings(
    max_examples=examples(60),
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def test_every_measure_is_tried_here() -> None:
    assert sorted(MEASURES) == sorted(ALL_MEASURES)


@pytest.mark.parametrize("measure", MEASURES)
@given(table=tables(), k=st.integers(2, 5), suppression=st.sampled_from(SUPPRESSIONS))
@quick
def test_a_node_costs_what_its_cells_and_classes_do(measure: str, table: Table, k: int, suppression: float) -> None:
    lattice = Lattice(table.coded, [KAnonymity(k=k)], suppression)
    goal = objective(measure, lattice)
    bounds = np.array(goal.bounds())
    for node in table.nodes():
        checked = lattice.check(node)
        partition = lattice.partition(checked)
        classes = table.classes_of(partition)
        if classes:
            cost = table.cost(measure, classes)
            assert goal.cost(checked) == pytest.approx(cost, abs=1e-12)
            assert goal.cost_of(partition) == pytest.approx(cost, abs=1e-12)
            assert bounds[node] <= cost + 1e-12
            assert goal.least(checked) <= cost + 1e-12


@pytest.mark.parametrize("measure", MEASURES)
@given(table=tables(), k=st.integers(2, 5), data=st.data())
@quick
def test_what_a_node_shows_of_others_bounds_their_cost(measure: str, table: Table, k: int, data: st.DataObject) -> None:
    lattice = Lattice(table.coded, [KAnonymity(k=k)], 0.5)
    goal = objective(measure, lattice)
    bounds = np.array(goal.bounds())
    looked = lattice.check(data.draw(st.sampled_from(table.nodes())))
    goal.tighten_above(looked, bounds)
    if lattice.feasible(looked):
        goal.tighten(looked, goal.cost(looked), bounds)
    for node in table.nodes():
        checked = lattice.check(node)
        if lattice.feasible(checked):
            assert bounds[node] <= goal.cost(checked) + 1e-12


@pytest.mark.parametrize("measure", ["loss", "precision", "entropy"])
@given(table=tables())
@quick
def test_columns_add_up_to_the_floor_of_a_node(measure: str, table: Table) -> None:
    lattice = Lattice(table.coded, [KAnonymity(k=2)])
    goal = objective(measure, lattice)
    for node in table.nodes():
        parts = [goal.column_floor(a, level) for a, level in enumerate(node)]
        assert goal.floor_of(node) == pytest.approx(sum(parts))
        assert goal.floor_of(node) == pytest.approx(goal.bounds()[node])


def test_a_suppressed_row_is_lost_even_in_a_column_of_one_value() -> None:
    rows = tuple({"q0": "a", "q1": v, "disease": "flu", "months": "9", "who": "ann"} for v in "aab")
    trees = {"q0": {"a": ("a", "*")}, "q1": {"a": ("a", "*"), "b": ("b", "*")}}
    lattice = Lattice(Table(rows, trees, {"q0": 1.0, "q1": 1.0}).coded, [KAnonymity(k=2)], 0.5)
    assert objective("loss", lattice).cost(lattice.check((0, 0))) == pytest.approx(1 / 3)
