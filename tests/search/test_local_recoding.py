"""Local recoding: what a sweep releases keeps every promise, whatever it began with."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from shoal.coded import Partition
from shoal.models import ALL, KAnonymity, LDiversity
from shoal.progress import silent
from shoal.search import local_recoding
from shoal.search.lattice import Lattice
from shoal.search.local_recoding import _chain, sweep
from shoal.search.objectives import objective
from tests.effort import examples
from tests.recodings import MEASURES, Table, model_sets, suppressions, tables

quick = settings(
    max_examples=examples(40),
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
BY_CLASS = sorted(model.kind for model in ALL if not model.judges_table and not model.removes_items)
"""Models that judge one class at a time: only with these are rows recoded one by one."""


@pytest.mark.parametrize("kind", BY_CLASS)
@given(data=st.data(), few=st.booleans())
@quick
def test_what_is_swept_up_keeps_every_promise(kind: str, data: st.DataObject, few: bool) -> None:
    models = data.draw(model_sets(kind).filter(lambda ms: not any(model.judges_table for model in ms)))
    table, suppression = data.draw(tables()), data.draw(suppressions(models))
    lattice = Lattice(table.coded, models, suppression)
    goal = objective(data.draw(st.sampled_from(MEASURES)), lattice)
    start = None
    if data.draw(st.booleans()):
        checked = lattice.check(data.draw(st.sampled_from(table.nodes())))
        start = lattice.partition(checked)
    with pytest.MonkeyPatch.context() as patch:
        if few:  # of the nodes are swept
            patch.setattr(local_recoding, "_SWEPT", 1)
        found = sweep(lattice, goal, math.inf, silent, start)
    if found is None:
        return
    classes = table.classes_of(found)
    assert table.keep_promises(models, table.published(classes))
    assert table.rows_without([rows for rows, _ in classes]) <= math.floor(suppression * len(table.rows))


def lettered(*values: str, suppression: float = 0.0, k: int = 2) -> tuple[Table, Lattice]:
    """Rows of one column of letters: a and b have a node of their own above them, c stands alone."""
    tree = {"a": ("a", "ab", "*"), "b": ("b", "ab", "*"), "c": ("c", "c", "*")}
    rows = tuple({"q0": v, "disease": "flu", "months": "9", "who": "ann"} for v in values)
    table = Table(rows, {"q0": tree}, {"q0": 1.0})
    return table, Lattice(table.coded, [KAnonymity(k=k)], suppression)


def swept(lattice: Lattice, start: Partition | None = None, deadline: float = math.inf) -> Partition | None:
    return sweep(lattice, objective("loss", lattice), deadline, silent, start)


def by_label(table: Table, partition: Partition | None) -> dict[tuple[str, ...], int]:
    assert partition is not None
    return {labels: len(rows) for labels, rows in table.published(table.classes_of(partition)).items()}


def test_every_row_keeps_the_cheapest_level_at_which_it_finds_a_class() -> None:
    table, lattice = lettered("a", "a", "a", "b", "c", "c")
    assert by_label(table, swept(lattice)) == {("a",): 3, ("*",): 3}  # b alone needs the rows that were taken last
    table, lattice = lettered("a", "b", "c", "c")
    assert by_label(table, swept(lattice)) == {("ab",): 2, ("c",): 2}


def test_rows_that_find_no_class_are_suppressed_where_that_is_allowed() -> None:
    table, lattice = lettered("a", "a", "a", "b", "c", "c", suppression=0.2)
    assert by_label(table, swept(lattice)) == {("a",): 3, ("c",): 2}


def test_classes_that_a_sweep_begins_with_stay() -> None:
    """At the first level a and b are one class; by itself the sweep would not have joined them."""
    table, lattice = lettered("a", "a", "b", "b", "c", "c")
    assert by_label(table, swept(lattice)) == {("a",): 2, ("b",): 2, ("c",): 2}
    start = lattice.partition(lattice.check((1,)))
    assert by_label(table, swept(lattice, start)) == {("ab",): 4, ("c",): 2}


def test_where_not_even_all_rows_together_pass_there_is_nothing() -> None:
    table, _ = lettered("a", "b")
    assert swept(Lattice(table.coded, [LDiversity("disease", l=2)])) is None
    assert swept(Lattice(table.coded, [KAnonymity(k=3)], 0.5)) is None


def test_a_sweep_that_is_out_of_time_makes_one_class_of_all() -> None:
    table, lattice = lettered("a", "a", "b", "b")
    assert by_label(table, swept(lattice, deadline=-math.inf)) == {("ab",): 4}  # the lowest level at which all agree


@given(table=tables(), measure=st.sampled_from(MEASURES))
@quick
def test_a_chain_goes_from_the_bottom_to_the_top(table: Table, measure: str) -> None:
    lattice = Lattice(table.coded, [KAnonymity(k=2)])
    chain: list[Any] = _chain(lattice, objective(measure, lattice))
    assert chain[0] == (0,) * len(table.heights) and chain[-1] == table.heights
    for lower, higher in pairwise(chain):
        assert sorted(b - a for a, b in zip(lower, higher, strict=True)) == [*[0] * (len(lower) - 1), 1]
