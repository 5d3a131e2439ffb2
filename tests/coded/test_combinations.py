"""Counting combinations: against plain counting, on every number of threads, and cuts against trying each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations as choices
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shoal.coded import combinations
from shoal.coded.combinations import Bound, Line, Seen, Table, close_cuts, judge
from tests.effort import examples

quick = settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
EVERYTHING = 10**6


def counted(table: Table, rows: Sequence[int], known: int) -> tuple[int, Fraction]:
    """The smallest cell and the largest share among some entries, from sets and dictionaries alone."""
    nodes = table.nodes().T
    support, confidence = EVERYTHING, Fraction(0)
    most = min(known, nodes.shape[1])
    for columns in (chosen for n in range(min(1, most), most + 1) for chosen in choices(range(nodes.shape[1]), n)):
        cells: dict[tuple[int, ...], list[int]] = {}
        for row in rows:
            cells.setdefault(tuple(nodes[row, list(columns)].tolist()), []).append(row)
        for members in cells.values():
            n = _size(table, members)
            listed = {int(table.sensitive[row]) for row in members} - {-1}
            having = [_size(table, [row for row in members if table.sensitive[row] == s]) for s in listed]
            support = min(support, n)
            confidence = max([confidence, *(Fraction(m, n) for m in having)])
    return support, confidence


def _size(table: Table, rows: Sequence[int]) -> int:
    if table.person is None:
        return int(table.weight[rows].sum())
    return len(set(table.person[rows].tolist()))


def made(seed: int, *, entries: int, columns: int, values: int, groups: int = 1, persons: bool = False) -> Table:
    rng = np.random.default_rng(seed)
    nodes = rng.integers(0, rng.integers(1, 4, columns), (entries, columns)).astype(np.int32)
    for a in range(columns):
        nodes[:, a] = np.unique(nodes[:, a], return_inverse=True)[1].reshape(-1)
    offsets = np.concatenate([[0], np.sort(rng.integers(0, entries + 1, groups - 1)), [entries]]).astype(np.int64)
    group = np.repeat(np.arange(groups), np.diff(offsets))
    class_of = np.unique(np.column_stack([group, nodes]), axis=0, return_inverse=True)[1].reshape(-1)
    return Table(
        nodes=lambda: nodes.T.copy(),
        weight=np.ones(entries, np.int64) if persons else rng.integers(1, 4, entries),
        sensitive=rng.integers(-1, values, entries).astype(np.int32),
        values=values,
        class_of=class_of.astype(np.int32),
        classes=int(class_of.max()) + 1,
        groups=offsets,
        person=rng.integers(0, 6, entries).astype(np.int32) if persons else None,
    )


TABLES = st.builds(
    made,
    seed=st.integers(0, 2**32 - 1),
    entries=st.integers(1, 25),
    columns=st.integers(1, 5),
    values=st.integers(1, 3),
    groups=st.integers(1, 3),
    persons=st.booleans(),
)
BOUNDS = st.builds(
    Bound,
    known=st.just(1),
    support=st.integers(1, 5),
    confidence=st.sampled_from([Fraction(n, 6) for n in range(1, 7)]),
)


def whole(table: Table, known: int) -> tuple[int, Fraction]:
    parts = [
        counted(table, range(begin, end), known)
        for begin, end in zip(table.groups[:-1].tolist(), table.groups[1:].tolist(), strict=True)
    ]
    return min(support for support, _ in parts), max(confidence for _, confidence in parts)


def safe(found: tuple[int, Fraction], bound: Bound) -> bool:
    return found[0] >= bound.support and (bound.confidence == 1 or found[1] <= bound.confidence)


@given(TABLES, BOUNDS, st.integers(0, 5), st.integers(1, 3))
@quick
def test_a_verdict_is_that_of_plain_counting(table: Table, bound: Bound, known: int, threads: int) -> None:
    assert judge(table, bound, known, threads=threads).holds is safe(whole(table, known), bound)


@given(TABLES, st.integers(0, 5), st.integers(1, 3))
@quick
def test_what_was_seen_is_exact(table: Table, known: int, threads: int) -> None:
    support, confidence = whole(table, known)
    assume(confidence < 1)
    judged = judge(table, Bound(1, 1, Fraction(999_999, 1_000_000)), known, Seen(EVERYTHING), threads=threads)
    assert judged.holds
    assert (judged.seen.support, Fraction(judged.seen.having, judged.seen.of)) == (support, confidence)


def allowed(table: Table, place: Any, cut: int, bound: Bound, columns: Sequence[int], known: int) -> bool:
    """Whether both sides of a cut are safe, by plain counting."""
    narrow = replace(table, nodes=lambda: table.nodes()[list(columns)])
    left, entries = int((place <= cut).sum()), len(place)
    sides = [counted(narrow, rows, known) for rows in (range(left), range(left, entries)) if len(rows)]
    return all(safe(side, bound) for side in sides)


def lined(table: Table, entry: Any, place: Any, places: int) -> Line:
    return Line(entry, table.weight[entry], np.searchsorted(place, np.arange(places + 1)).astype(np.int64))


@given(TABLES, BOUNDS, st.integers(0, 2**32 - 1), st.sampled_from([1, 4, 1000]))
@quick
def test_cuts_are_closed_exactly_where_a_side_would_be_unsafe(
    table: Table, bound: Bound, seed: int, at_once: int
) -> None:
    rng = np.random.default_rng(seed)
    entries, places, columns = len(table.weight), 6, len(table.nodes())
    if table.person is not None:
        bound = replace(bound, confidence=Fraction(1))  # shares of persons are not swept
    chosen = rng.permutation(columns)[: rng.integers(1, columns + 1)].tolist()
    place = np.sort(rng.integers(0, places, entries))
    assume(allowed(table, place, places, bound, chosen, columns))
    closed = np.zeros(places - 1, np.bool_)
    entry = rng.permutation(entries).astype(np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(combinations, "_COUNTS_AT_ONCE", at_once)
        narrow = replace(table, nodes=lambda: table.nodes()[chosen])
        close_cuts(narrow, lined(table, entry, place, places), closed, bound)
    rows = replace(
        table,
        nodes=lambda: table.nodes()[:, entry],
        weight=table.weight[entry],
        sensitive=table.sensitive[entry],
        person=None if table.person is None else table.person[entry],
    )
    expected = [not allowed(rows, place, cut, bound, chosen, columns) for cut in range(places - 1)]
    assert closed.tolist() == expected


@given(TABLES, BOUNDS, st.integers(0, 3), st.integers(1, 3))
@quick
def test_the_blocking_columns_have_an_unsafe_cell(table: Table, bound: Bound, known: int, threads: int) -> None:
    judged = judge(table, bound, known, threads=threads)
    if not judged.holds:
        narrow = replace(table, nodes=lambda: table.nodes()[list(judged.blocking)])
        assert not safe(whole(narrow, len(judged.blocking)), bound)


@pytest.mark.parametrize("rare", [None, 0, 77_777, 199_999])
def test_threads_on_a_large_table_miss_nothing(monkeypatch: pytest.MonkeyPatch, rare: int | None) -> None:
    """Many rows, ten columns, cells of four: counted independently. One row that nobody else is like must be found."""
    rng = np.random.default_rng(3)
    rows, columns = 200_000, 10
    nodes = rng.integers(0, 2, (rows, columns)).astype(np.int32)
    if rare is not None:
        nodes[rare, 7] = 2
    packed: Any = nodes @ 3 ** np.arange(columns)
    _, first, class_of = np.unique(packed, return_index=True, return_inverse=True)
    weight = np.bincount(class_of.reshape(-1)).astype(np.int64)
    table = Table(
        nodes=lambda: nodes[first].T.copy(),
        weight=weight,
        sensitive=np.full(len(first), -1, np.int32),
        values=0,
        class_of=np.arange(len(first), dtype=np.int32),
        classes=len(first),
        groups=np.array([0, len(first)]),
    )
    sizes = [np.bincount(nodes[:, list(four)] @ np.array([1, 3, 9, 27])) for four in choices(range(columns), 4)]
    smallest = min(int(size[size > 0].min()) for size in sizes)
    assert smallest == 1 if rare is not None else smallest > 10_000
    monkeypatch.setattr(combinations, "PARALLEL_WORK", 0)
    monkeypatch.setattr(combinations, "_cores", lambda: 4)
    shared = judge(table, Bound(4, 1), 4, Seen(rows))
    assert shared.seen.support == smallest
    assert shared == judge(table, Bound(4, 1), 4, Seen(rows), threads=1)
    assert judge(table, Bound(4, smallest), 4).holds
    assert not judge(table, Bound(4, smallest + 1), 4).holds


def test_forty_columns_four_at_a_time_need_little_memory() -> None:
    rng = np.random.default_rng(1)
    nodes = rng.integers(0, 2, (300, 40)).astype(np.int32)
    table = Table(
        nodes=lambda: nodes.T.copy(),
        weight=np.full(300, 7, np.int64),
        sensitive=np.full(300, -1, np.int32),
        values=0,
        class_of=np.arange(300, dtype=np.int32),
        classes=300,
        groups=np.array([0, 300]),
    )
    counts = [
        np.unique(nodes[:, list(four)] @ np.array([1, 2, 4, 8]), return_counts=True)[1].min()
        for four in list(choices(range(40), 4))[::997]
    ]
    found = judge(table, Bound(4, 1), 4, Seen(EVERYTHING))
    assert found.holds and found.seen.support <= 7 * min(counts)
