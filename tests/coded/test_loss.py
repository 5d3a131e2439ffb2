"""The loss of a cell, by the formulas; and that labels, objectives, cuts and specialization all lose the same."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import Mondrian, Optimal, Pais
from shoal.coded import Coded, loss
from shoal.coded.coding import DistinctValues, Publishing, code_quasi
from shoal.coded.domains import QuasiDomain
from shoal.coded.recoding import Cuts, Recoding, shown_columns
from shoal.coded.stats import Members
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.kernels.cutting import span_loss
from shoal.progress import silent
from shoal.roles.columns import Column, Data
from shoal.search.geometry import geometry
from shoal.search.lattice import Checked, Lattice
from shoal.search.objectives import objective
from shoal.search.specialization import Specialization
from tests.effort import examples
from tests.pets import TREE, frame, plan
from tests.recodings import Table, tables

quick = settings(max_examples=examples(30), deadline=None)


def domain(values: list[str], how: Publishing, **column: Any) -> QuasiDomain:
    found = DistinctValues(pl.Series("q", values), np.ones(len(values), np.int64))
    return code_quasi(found, Column(role="quasi-identifier", **column), Data().absent, how)[0]


# -- the formulas -----------------------------------------------------------------------------------------------------


def test_a_node_of_n_of_m_leaves_loses_n_less_one_of_m_less_one(pets: Path) -> None:
    found = domain(["ant", "cat", "dog"], Publishing(), hierarchy=shoal.tree(str(pets)))
    assert found.leaves == 5  # two of which nobody has
    by_text = dict(zip(found.texts, loss.node_losses(found).T.tolist(), strict=True))
    assert by_text["ant"] == pytest.approx([0, 1 / 4, 1]) and by_text["cat"] == pytest.approx([0, 1 / 4, 1])
    assert loss.leaf_loss(found) == pytest.approx(1 / 4)
    assert loss.of_leaves(found, np.array([1, 3, 5])).tolist() == pytest.approx([0, 2 / 4, 1])


def test_a_tree_of_one_leaf_loses_nothing() -> None:
    found = domain(["a"], Publishing())
    assert loss.node_losses(found).tolist() == [[0.0], [0.0]]
    assert loss.of_codes(found, 0, 0).tolist() == [0.0] and loss.leaf_loss(found) == 1.0


def test_a_range_loses_its_length_over_that_of_the_column() -> None:
    found = domain(["10", "20", "60", "110"], Publishing())
    assert loss.of_codes(found, [0, 0, 1, 2], [0, 3, 2, 3]).tolist() == pytest.approx([0, 1, 0.4, 0.5])
    assert loss.of_range(0.25, 0.75) == pytest.approx(0.5)


def test_a_range_with_a_missing_value_loses_everything() -> None:
    found = domain(["?", "10", "20"], Publishing())
    assert loss.of_codes(found, [0, 0, 1], [0, 1, 2]).tolist() == [0.0, 1.0, 1.0]


def test_a_set_of_n_of_m_values_loses_n_less_one_of_m_less_one() -> None:
    found = domain(["a", "b", "c", "?"], Publishing(categories="sets"))
    assert loss.of_codes(found, [0, 0, 1], [0, 3, 2]).tolist() == pytest.approx([0, 1, 1 / 3])


def test_the_lowest_node_above_codes_is_found(pets: Path) -> None:
    found = domain(list(TREE), Publishing(), hierarchy=shoal.tree(str(pets)))
    low, high = (np.array(each) for each in zip(*product(range(5), range(5)), strict=True))
    low, high = low[low <= high], high[low <= high]
    paths = [found.tree.path(code) for code in range(5)]
    expected = [
        next(level for level in range(3) if len({paths[code][level] for code in range(i, j + 1)}) == 1)
        for i, j in zip(low.tolist(), high.tolist(), strict=True)
    ]
    assert loss.lowest_levels(found, low, high).tolist() == expected
    leaves = [1 if i == j else 5 if level == 2 else 2 for i, j, level in zip(low, high, expected, strict=True)]
    assert loss.of_codes(found, low, high).tolist() == pytest.approx([(n - 1) / 4 for n in leaves])


# -- everybody who counts it ------------------------------------------------------------------------------------------


def lost(coded: Coded, recoding: Recoding, members: Members) -> list[float]:
    """The mean loss of a released row in every column, from what classes show."""
    rows = np.bincount(members.class_of, members.weight)
    return [float((shown.loss * rows).sum() / rows.sum()) for shown in shown_columns(recoding, coded, members).values()]


@given(table=tables())
@quick
def test_objectives_lose_what_labels_do(table: Table) -> None:
    lattice = Lattice(table.coded, [shoal.KAnonymity(k=2)])
    goal, weights = objective("loss", lattice), np.array(list(table.weights.values()))
    for node in table.nodes():
        classes = lattice.classes(node)
        every = np.ones(len(classes), np.bool_)
        partition = lattice.partition(Checked(classes, every, 0, ~every, 0))
        by_column = lost(table.coded, partition.recoding, partition.members)
        assert goal.floor_of(node) == pytest.approx(np.average(by_column, weights=weights))
        assert goal.cost_of(partition) == pytest.approx(goal.floor_of(node))


@given(st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from(["hierarchy", "sets"]))
@quick
def test_specialization_loses_what_labels_do(pets: Path, seed: int, missing: bool, categories: str) -> None:
    asked = plan(pets, shoal.KAnonymity(k=3)).changed(release={"categories": categories})
    coded = fit(LocalEngine(frame(seed, 40, missing=missing)), asked).coded
    state = Specialization(coded, asked.enforced)
    everybody = Members(np.arange(len(coded.counted)), np.array([0, len(coded.counted)]), coded.counted.weight)
    assert state.ncp == pytest.approx(np.mean(lost(coded, Cuts(state.recoded()), everybody)))
    partition = Pais().partition(coded, asked.enforced, 0.0, 0, silent)
    steps = partition.record.steps
    by_column = lost(coded, partition.recoding, partition.members)
    assert steps is not None and (not steps or steps[-1].ncp == pytest.approx(np.mean(by_column)))


@pytest.mark.parametrize("algorithm", [Mondrian(), Pais(), Optimal(), Optimal(local=True)])
@pytest.mark.parametrize("seed", range(3))
def test_the_manifest_says_what_labels_lose(pets: Path, algorithm: Any, seed: int) -> None:
    asked = plan(pets, shoal.KAnonymity(k=3)).changed(algorithm=algorithm)
    table = frame(seed, 60, missing=True)
    coded = fit(LocalEngine(table), asked).coded
    partition = algorithm.partition(coded, asked.enforced, 0.0, 0, silent)
    by_column = lost(coded, partition.recoding, partition.members)
    found = shoal.anonymize(table, asked).steward
    searched = dict(zip(coded.names, by_column, strict=True))
    listed = [name for name in coded.names if asked.columns[name].hierarchy or asked.columns[name].type == "text"]
    assert {name: found.measures["ncp_by_column"][name] for name in listed} == pytest.approx(
        {name: searched[name] for name in listed}
    )
    if found.search.cost is not None:
        assert found.search.cost == pytest.approx(np.mean(by_column))


@pytest.mark.parametrize("categories", ["hierarchy", "sets"])
def test_cuts_are_chosen_by_the_same_loss(pets: Path, categories: str) -> None:
    """The kernels of Mondrian know of a side only its first and last code and how many different ones it has."""
    asked = plan(pets, shoal.KAnonymity(k=3)).changed(algorithm=Mondrian(), release={"categories": categories})
    coded = fit(LocalEngine(frame(0, 60, missing=True)), asked).coded
    known = geometry(coded)
    for a, column in enumerate(coded.quasi):
        for low, high in product(range(column.size), repeat=2):
            if low <= high:
                found = span_loss(known, a, low, high, high - low + 1)
                assert found == pytest.approx(loss.of_codes(column, low, high)[0])
