"""The lattice: grouping at any node, what one node shows of others, and what is said when none will do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from shoal.coded import ClassStats, Coded, Partition, keys, stats_of
from shoal.coded.recoding import Levels
from shoal.errors import CannotBeMet
from shoal.models import LKC, AlphaK, ClassModel, KAnonymity, LDiversity
from shoal.search import lattice as lattice_module
from shoal.search.lattice import Lattice
from shoal.search.nodes import below
from tests.effort import examples
from tests.models.strategies import MODELS, SEARCHED
from tests.recodings import Table, model_sets, suppressions, tables

quick = settings(
    max_examples=examples(40),
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@given(table=tables(), data=st.data(), short=st.booleans())
@quick
def test_classes_are_those_of_plain_python_whatever_was_grouped_before(
    table: Table, data: st.DataObject, short: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if short:  # of memory, and of room in a key
            patch.setattr(lattice_module, "_KEPT_ENTRIES", 3)
            patch.setattr(keys, "ROOM", 4)
        lattice = Lattice(table.coded, [KAnonymity(k=2)])
        for node in data.draw(st.lists(st.sampled_from(table.nodes()), min_size=1, max_size=12)):
            classes = lattice.classes(node)
            expected = {table.labels(rows[0], node): len(rows) for rows in table.groups(node)}
            some_row = [table.row_of.index(row) for row in classes.row]
            found = dict(zip((table.labels(row, node) for row in some_row), classes.weight.tolist(), strict=True))
            assert found == expected and len(classes) == len(expected)
            assert classes.counts.sum() == len(table.rows)


@pytest.mark.parametrize("kind", SEARCHED)
@given(data=st.data())
@quick
def test_above_a_feasible_node_all_are_where_that_is_claimed(kind: str, data: st.DataObject) -> None:
    models, table = data.draw(model_sets(kind)), data.draw(tables())
    lattice = Lattice(table.coded, models, data.draw(suppressions(models)))
    if not lattice.monotone:
        return
    feasible = np.zeros([height + 1 for height in table.heights], np.bool_)
    for node in table.nodes():
        feasible[node] = lattice.feasible(lattice.check(node))
    for node in table.nodes():
        assert feasible[node] or not feasible[below(node)].any()


def refinements(classes: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """All non-empty subsets of every class."""
    for rows in classes:
        for flags in product([False, True], repeat=len(rows)):
            if any(flags):
                yield [row for row, kept in zip(rows, flags, strict=True) if kept]


def fewest_lost(model: ClassModel, coded: Coded, classes: Sequence[Sequence[int]]) -> int:
    """Rows that the best finer partition leaves out, by trying every set of kept rows and every way to cut it."""
    weight = coded.counted.weight
    everything = [row for members in classes for row in members]
    parts = list(refinements(classes))
    best = sum(int(weight[row]) for row in everything)
    against_input = dict(zip(map(tuple, parts), model.passes(stats_of(coded, parts)).tolist(), strict=True))
    for flags in product([False, True], repeat=len(everything)):
        kept = {row for row, flag in zip(everything, flags, strict=True) if flag}
        lost = sum(int(weight[row]) for row in everything if row not in kept)
        if not kept or lost >= best:
            continue
        inside = [part for part in parts if kept.issuperset(part)]
        fine = [against_input[tuple(part)] or not model.input_binds for part in inside]
        if model.relative_to_released:
            released = stats_of(coded, [sorted(kept)]).among_themselves().released
            fine_among = model.passes(replace(stats_of(coded, inside), released=released)).tolist()
            fine = [a and b for a, b in zip(fine, fine_among, strict=True)]
        passing = [frozenset(part) for part, good in zip(inside, fine, strict=True) if good]
        if all(_divides(frozenset(kept & set(members)), passing) for members in classes):
            best = lost
    return best


def _divides(rows: frozenset[int], parts: list[frozenset[int]]) -> bool:
    """Whether the rows can be cut into some of the parts."""
    if not rows:
        return True
    first = min(rows)
    return any(first in part and part <= rows and _divides(rows - part, parts) for part in parts)


@pytest.mark.parametrize("kind", SEARCHED)
@given(data=st.data())
@settings(quick, max_examples=examples(60))
def test_no_finer_partition_loses_fewer_rows_than_a_model_claims(kind: str, data: st.DataObject) -> None:
    model, table = data.draw(MODELS[kind]), data.draw(tables(rows=7, columns=1))
    distinct = len(table.coded.counted)
    class_of = data.draw(st.lists(st.integers(0, 1), min_size=distinct, max_size=distinct))
    classes = [members for c in (0, 1) if (members := [row for row in range(distinct) if class_of[row] == c])]
    stats: ClassStats = stats_of(table.coded, classes)
    assert model.least_lost(stats, model.passes(stats)) <= fewest_lost(model, table.coded, classes)


def table_of(*values: str) -> Table:
    """One quasi-identifier whose value is the first letter, a disease from the second."""
    disease = {"f": "flu", "h": "HIV", "u": "ulcer"}
    rows = tuple({"q0": v[0], "disease": disease[v[1]], "months": "9", "who": "ann"} for v in values)
    return Table(rows, {"q0": {"a": ("a", "*"), "b": ("b", "*")}}, {"q0": 1.0})


def test_a_failure_names_the_model_and_the_share_that_would_have_to_go() -> None:
    table = table_of("af", "ah", "bh", "bh", "bh")
    lattice = Lattice(table.coded, [KAnonymity(k=2), AlphaK("disease", alpha=0.5, k=1)], 0.4)
    for node in table.nodes():
        lattice.check(node)
    error = lattice.cannot_be_met()
    assert isinstance(error, CannotBeMet)
    assert "3 rows (60 %)" in error.allowed
    assert "suppression = 0.6" in error.hint
    assert "'alpha-k'" in error.hint
    relaxed = Lattice(table.coded, lattice.models, 0.6)
    assert relaxed.feasible(relaxed.check((0,)))


def test_a_failure_everywhere_says_so() -> None:
    lattice = Lattice(table_of("af", "bf").coded, [LDiversity("disease", l=2)], 0.5)
    lattice.check((1,))
    assert "In no recoding does a class pass" in lattice.cannot_be_met().allowed


def test_under_lkc_the_table_passes_or_fails_as_a_whole() -> None:
    table = table_of("af", "af", "af", "bh", "bf")
    lattice = Lattice(table.coded, [LKC(1, 2, 0.4, "disease", ("HIV",))])
    assert not lattice.check((0,)).passing.any()  # among those with b half have it, though those with a are safe
    assert lattice.check((0,)).least_lost > lattice.limit
    assert lattice.check((1,)).passing.all()


def test_a_failure_under_lkc_offers_no_suppression() -> None:
    lattice = Lattice(table_of("af", "af", "bf").coded, [KAnonymity(k=2), LKC(1, 1, 0.5, "disease")])
    for node in ((0,), (1,)):
        assert not lattice.feasible(lattice.check(node))
    assert str(lattice.cannot_be_met()) == "No recoding satisfies the models. Hint: relax model 'lkc'."


def test_no_row_is_left_out_under_lkc() -> None:
    coded = table_of("af", "af", "bf").coded
    with pytest.raises(AssertionError, match="a model judges the whole table, and rows may be suppressed"):
        Lattice(coded, [LKC(1, 2, 1, "disease")], 0.4)


def test_what_is_known_is_counted_by_published_label() -> None:
    """A class at a higher level may show the same label as one at a lower: together they are a cell."""
    tree = {"a": ("a", "a", "*"), "b": ("b", "b", "*")}
    rows = tuple({"q0": q, "disease": "flu", "months": "9", "who": "ann"} for q in "aabb")
    lattice = Lattice(Table(rows, {"q0": tree}, {"q0": 1.0}).coded, [LKC(1, 2, 1, "disease")])
    assert len(lattice.coded.counted) == 2

    def parted(*levels: int) -> Partition:
        recoding = Levels(np.array(levels, np.int16)[:, None])
        return Partition.of_rows(np.array([0, 1]), 2, lattice.coded.counted.weight, recoding)

    for levels in ((0, 1), (1, 0), (0, 2)):
        assert lattice.holds(parted(*levels))
    tighter = Lattice(lattice.coded, [LKC(1, 3, 1, "disease")])
    assert not tighter.holds(parted(0, 0))
    assert tighter.holds(parted(2, 2))


def test_classes_that_look_alike_are_judged_as_one() -> None:
    """Two classes of one row each, both shown as `*`, are a class of two; told apart they are not."""
    coded = table_of("af", "bh").coded
    lattice = Lattice(coded, [LDiversity("disease", l=2)])
    for level, fine in ((1, True), (0, False)):
        recoding = Levels(np.full((2, 1), level, np.int16))
        assert lattice.holds(Partition.of_rows(np.array([0, 1]), 2, coded.counted.weight, recoding)) is fine
    nobody = Partition.of_rows(np.array([-1, -1]), 0, coded.counted.weight, Levels(np.zeros((0, 1), np.int16)))
    assert not lattice.holds(nobody)


@given(table=tables(), data=st.data())
@quick
def test_the_partition_of_a_node_has_its_passing_classes(table: Table, data: st.DataObject) -> None:
    models = (KAnonymity(k=data.draw(st.integers(2, 4))),)
    lattice, node = Lattice(table.coded, models, 1.0), data.draw(st.sampled_from(table.nodes()))
    partition = lattice.partition(lattice.check(node))
    passing = [rows for rows in table.groups(node) if table.judged(models[0], [rows], range(len(table.rows)))[0]]
    found = [(sorted(rows), at) for rows, at in table.classes_of(partition)]
    assert sorted(found) == sorted((sorted(rows), node) for rows in passing)


@given(table=tables(), data=st.data())
@quick
def test_some_rows_alone_are_grouped_and_judged_as_if_there_were_no_others(table: Table, data: st.DataObject) -> None:
    lattice, node = Lattice(table.coded, [KAnonymity(k=2)]), data.draw(st.sampled_from(table.nodes()))
    some = np.array(sorted(data.draw(st.sets(st.sampled_from(range(len(table.coded.counted))), min_size=1))), np.int64)
    ids, passing = lattice.check_rows(some, node)
    rows = {int(row): table.row_of.index(int(row)) for row in some}
    labels = [table.labels(rows[int(row)], node) for row in some]
    for i in range(len(some)):
        for j in range(len(some)):
            assert (ids[i] == ids[j]) == (labels[i] == labels[j])
        members = some[ids == ids[i]]
        assert passing[ids[i]] == (stats_of(table.coded, [members.tolist()]).sizes[0] >= 2)
    together = stats_of(table.coded, [some.tolist()]).sizes[0] >= 2
    assert lattice.passes_together(some) is bool(together)
    assert not lattice.passes_together(some[:0])
    common = lattice.common_levels(some)
    assert len({table.labels(row, common) for row in rows.values()}) == 1
    for a in range(len(common)):
        if common[a]:
            lower = (*common[:a], common[a] - 1, *common[a + 1 :])
            assert len({table.labels(row, lower) for row in rows.values()}) > 1
