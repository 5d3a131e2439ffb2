"""The lattice: grouping at any node, what one node shows of others, and what is said when none will do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from shoal.coded.partition import ClassStats, Partition, Rows, stats_of
from shoal.errors import CannotBeMet
from shoal.models import LKC, AlphaK, ClassModel, KAnonymity, LDiversity
from shoal.search import lattice as lattice_module
from shoal.search.lattice import Lattice, among_released
from shoal.search.searching import below
from tests.models.strategies import MODELS
from tests.recodings import Table, model_sets, suppressions, tables

quick = settings(
    max_examples=40,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@given(table=tables(), data=st.data(), short=st.booleans())
@quick
def test_groups_are_those_of_plain_python_whatever_was_grouped_before(
    table: Table, data: st.DataObject, short: bool
) -> None:
    encoded = table.encoded()
    with pytest.MonkeyPatch.context() as patch:
        if short:  # of memory, and of room in a key
            patch.setattr(lattice_module, "_KEPT_ENTRIES", 3)
            patch.setattr(lattice_module, "_KEY_ROOM", 4)
        lattice = Lattice(encoded, [KAnonymity(k=2)])
        for node in data.draw(st.lists(st.sampled_from(table.nodes()), min_size=1, max_size=12)):
            groups = lattice.groups(node)
            expected = {table.labels(rows[0], node): len(rows) for rows in table.groups(node)}
            some_row = [encoded.row_of.tolist().index(row) for row in groups.row]
            found = dict(zip((table.labels(row, node) for row in some_row), groups.weight.tolist(), strict=True))
            assert found == expected
            assert groups.counts.sum() == len(table.rows)


@pytest.mark.parametrize("kind", sorted(MODELS))
@given(data=st.data())
@quick
def test_above_a_feasible_node_all_are_where_that_is_claimed(kind: str, data: st.DataObject) -> None:
    models, table = data.draw(model_sets(kind)), data.draw(tables())
    lattice = Lattice(table.encoded(), models, data.draw(suppressions(models)))
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


def fewest_lost(model: ClassModel, rows: Rows, classes: Sequence[Sequence[int]]) -> int:
    """Rows that the best finer partition leaves out, by trying every set of kept rows and every way to cut it."""
    everything = [row for members in classes for row in members]
    parts = list(refinements(classes))
    best = sum(int(rows.weight[row]) for row in everything)
    against_input = dict(zip(map(tuple, parts), model.passes(stats_of(rows, parts)).tolist(), strict=True))
    for flags in product([False, True], repeat=len(everything)):
        kept = {row for row, flag in zip(everything, flags, strict=True) if flag}
        lost = sum(int(rows.weight[row]) for row in everything if row not in kept)
        if not kept or lost >= best:
            continue
        inside = [part for part in parts if kept.issuperset(part)]
        fine = [against_input[tuple(part)] or not model.input_binds for part in inside]
        if model.relative_to_released:
            stats = among_released(rows, np.array(sorted(kept)), np.array([0, len(kept)]))
            fine_among = model.passes(stats_of(stats.rows, inside)).tolist()
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


@pytest.mark.parametrize("kind", sorted(MODELS))
@given(data=st.data())
@settings(quick, max_examples=60)
def test_no_finer_partition_loses_fewer_rows_than_a_model_claims(kind: str, data: st.DataObject) -> None:
    model, table = data.draw(MODELS[kind]), data.draw(tables(rows=7, columns=1))
    rows = table.encoded().rows
    distinct = len(rows.weight)
    class_of = data.draw(st.lists(st.integers(0, 1), min_size=distinct, max_size=distinct))
    classes = [members for c in (0, 1) if (members := [row for row in range(distinct) if class_of[row] == c])]
    stats: ClassStats = stats_of(rows, classes)
    assert model.least_lost(stats, model.passes(stats)) <= fewest_lost(model, rows, classes)


def table_of(*values: str) -> Table:
    """One quasi-identifier whose value is the first letter, a disease from the second."""
    disease = {"f": "flu", "h": "HIV", "u": "ulcer"}
    rows = tuple({"q0": v[0], "disease": disease[v[1]], "months": "9", "who": "ann"} for v in values)
    return Table(rows, {"q0": {"a": ("a", "*"), "b": ("b", "*")}}, {"q0": 1.0})


def test_a_failure_names_the_model_and_the_share_that_would_have_to_go() -> None:
    table = table_of("af", "ah", "bh", "bh", "bh")
    lattice = Lattice(table.encoded(), [KAnonymity(k=2), AlphaK("disease", alpha=0.5, k=1)], 0.4)
    for node in table.nodes():
        lattice.check(node)
    error = lattice.cannot_be_met()
    assert isinstance(error, CannotBeMet)
    assert "3 rows (60.0%)" in error.allowed
    assert "suppression = 0.6" in error.hint
    assert "'alpha-k'" in error.hint
    relaxed = Lattice(table.encoded(), lattice.models, 0.6)
    assert relaxed.feasible(relaxed.check((0,)))


def test_a_failure_everywhere_says_so() -> None:
    lattice = Lattice(table_of("af", "bf").encoded(), [LDiversity("disease", l=2)], 0.5)
    lattice.check((1,))
    assert "none a single class" in lattice.cannot_be_met().allowed


def test_under_lkc_the_table_passes_or_fails_as_a_whole() -> None:
    table = table_of("af", "af", "af", "bh", "bf")
    lattice = Lattice(table.encoded(), [LKC(1, 2, 0.4, "disease", ("HIV",))])
    assert not lattice.check((0,)).passing.any()  # among those with b half have it, though those with a are safe
    assert lattice.check((0,)).least_lost > lattice.limit
    assert lattice.check((1,)).passing.all()


def test_a_failure_under_lkc_offers_no_suppression() -> None:
    lattice = Lattice(table_of("af", "af", "bf").encoded(), [KAnonymity(k=2), LKC(1, 1, 0.5, "disease")])
    for node in ((0,), (1,)):
        assert not lattice.feasible(lattice.check(node))
    assert str(lattice.cannot_be_met()) == "No recoding satisfies the models. Hint: relax model 'lkc'."


def test_no_row_is_left_out_under_lkc() -> None:
    encoded = table_of("af", "af", "bf").encoded()
    with pytest.raises(AssertionError, match="judges all rows together"):
        Lattice(encoded, [LKC(1, 2, 1, "disease")], 0.4)


def test_what_is_known_is_counted_by_published_label() -> None:
    """A class at a higher level may show the same label as one at a lower: together they are a cell."""
    tree = {"a": ("a", "a", "*"), "b": ("b", "b", "*")}
    rows = tuple({"q0": q, "disease": "flu", "months": "9", "who": "ann"} for q in "aabb")
    lattice = Lattice(Table(rows, {"q0": tree}, {"q0": 1.0}).encoded(), [LKC(1, 2, 1, "disease")])
    assert len(lattice.encoded.codes) == 2
    for levels in ((0, 1), (1, 0), (0, 2)):
        parted = Partition(np.array([0, 1]), 2, levels=np.array(levels, np.int16)[:, None])
        assert lattice.holds(parted)
    tighter = Lattice(lattice.encoded, [LKC(1, 3, 1, "disease")])
    assert not tighter.holds(Partition(np.array([0, 1]), 2, levels=np.zeros((2, 1), np.int16)))
    assert tighter.holds(Partition(np.array([0, 1]), 2, levels=np.full((2, 1), 2, np.int16)))
