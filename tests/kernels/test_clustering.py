"""Growing clusters: the trie finds what a full scan finds, and no unit is lost or used twice."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.coded import Coded
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.hierarchies import Prefix
from shoal.kernels import clustering
from shoal.kernels.cutting import SET, span_loss
from shoal.models import KAnonymity
from shoal.search.geometry import geometry

NOBODY = np.empty(0, np.int64), np.empty(0, np.int32)


def coded_of(n: int, seed: int, categories: str) -> Coded:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": [str(x) for x in rng.integers(0, 40, n)],
            "zip": [f"{x:02d}" for x in rng.integers(0, 30, n)],
            "sex": ["fmd"[x] for x in rng.integers(0, 3, n)],
        }
    )
    columns = {"age": shoal.quasi(), "zip": shoal.quasi(Prefix(), type="text"), "sex": shoal.quasi(weight=0.5)}
    release = shoal.ReleaseSettings(categories=categories)
    return fit(LocalEngine(frame), shoal.Plan(columns=columns, models=[KAnonymity(k=2)], release=release)).coded


def lost(coded: Coded, rows: list[int]) -> float:
    """The weighted loss of publishing rows as one class."""
    known, total = geometry(coded), 0.0
    for a in range(len(coded.quasi)):
        codes = {int(coded.counted.by_row[row, a]) for row in rows}
        distinct = len(codes) if known.kind[a] == SET else 0
        total += known.weight[a] * span_loss(known, a, min(codes), max(codes), distinct)
    return total


def grown(coded: Coded, kind: Any, needed: Any, target: int, most: int, persons: Any = NOBODY) -> Any:
    rows = len(coded.counted)
    columns = np.arange(3)
    order = np.lexsort(coded.counted.quasi[::-1])
    free = coded.counted.weight.copy()
    entries = clustering.grow(
        coded.counted.by_row, kind, free, needed, *persons, order, np.arange(rows), np.array([0]), np.array([rows]),
        columns, target, most, geometry(coded),
    )  # fmt: skip
    return (*(part.tolist() for part in entries), free)


@pytest.mark.parametrize("tabulated", [4096, 5])
@pytest.mark.parametrize("few", [16, 1])
@pytest.mark.parametrize("categories", ["hierarchy", "sets"])
def test_every_row_that_joins_adds_as_little_as_any(
    categories: str, few: int, tabulated: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if few != 16 or tabulated != 4096:  # a compiled kernel knows these numbers: run what it was compiled from
        monkeypatch.setattr(clustering, "FEW", few)
        monkeypatch.setattr(clustering, "TABULATED", tabulated)
        monkeypatch.setattr(clustering, "grow", getattr(clustering.grow, "py_func", clustering.grow))
    coded = coded_of(90, 4, categories)
    weight, rows = coded.counted.weight, len(coded.counted)
    row, units, cluster, free = grown(coded, np.zeros(rows, np.int32), np.ones(rows, np.bool_), 4, 1 << 60)
    assert not free.any()
    assert np.bincount(row, weights=units, minlength=rows).tolist() == weight.tolist()
    left, members = weight.copy(), dict[int, list[int]]()
    complete = [number for number in set(cluster) if cluster.count(number) > 1]
    assert len(complete) > 10
    for r, u, number in zip(row, units, cluster, strict=True):
        here = members.setdefault(number, [])
        if here:
            best = min(lost(coded, [*here, other]) for other in range(rows) if left[other] > 0)
            assert lost(coded, [*here, r]) == pytest.approx(best, abs=1e-12)
        here.append(r)
        left[r] -= u


def test_a_cluster_takes_only_so_many_of_a_kind() -> None:
    coded = coded_of(120, 5, "sets")
    rows = len(coded.counted)
    kind = (np.arange(rows) % 3).astype(np.int32)
    row, units, cluster, _ = grown(coded, kind, np.ones(rows, np.bool_), 4, 2)
    held: dict[tuple[int, int], int] = {}
    for r, u, number in zip(row, units, cluster, strict=True):
        held[number, kind[r]] = held.get((number, kind[r]), 0) + u
    complete = {number for number in cluster if sum(u for (n, _), u in held.items() if n == number) >= 4}
    assert len(complete) > 10
    assert max(u for (number, _), u in held.items() if number in complete) == 2


def test_what_need_not_be_placed_is_taken_only_as_far_as_it_helps() -> None:
    frame = pl.DataFrame({"age": ["1"] + ["2"] * 9, "zip": ["00"] * 10, "sex": ["f"] * 10})
    plan = shoal.Plan(columns={name: shoal.quasi() for name in frame.columns}, models=[KAnonymity(k=2)])
    coded = fit(LocalEngine(frame), plan).coded
    row, units, cluster, free = grown(coded, np.zeros(2, np.int32), np.array([True, False]), 4, 1 << 60)
    assert (row, units, cluster, free.tolist()) == ([0, 1], [1, 3], [0, 0], [0, 6])


def test_a_cluster_of_persons_counts_each_once_and_divides_none() -> None:
    coded = coded_of(60, 6, "sets")
    rows = len(coded.counted)
    persons = np.arange(rows + 1), (np.arange(rows) % 7).astype(np.int32)
    row, units, cluster, _ = grown(coded, np.zeros(rows, np.int32), np.ones(rows, np.bool_), 3, 1 << 60, persons)
    assert sorted(row) == list(range(rows)) and units == coded.counted.weight[row].tolist()
    people = {n: {r % 7 for r, number in zip(row, cluster, strict=True) if number == n} for n in set(cluster)}
    assert sum(len(each) == 3 for each in people.values()) > 5
    assert all(len(each) in (1, 3) for each in people.values())


@pytest.mark.parametrize("categories", ["hierarchy", "sets"])
def test_the_partner_of_a_class_is_the_one_that_loses_least(categories: str) -> None:
    coded = coded_of(60, 7, categories)
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(coded.counted))
    offsets = np.array([0, 1, 4, 9, 15, len(rows)])
    size = np.array([coded.counted.weight[rows[a:b]].sum() for a, b in pairwise(offsets)])
    parts = [rows[a:b].tolist() for a, b in pairwise(offsets)]

    def cost(one: int, other: int) -> tuple[bool, float]:
        together = int(size[one] + size[other])
        before = size[one] * lost(coded, parts[one]) + size[other] * lost(coded, parts[other])
        return together < 7, together * lost(coded, parts[one] + parts[other]) - before

    every = np.arange(5)
    found = clustering.partners(
        coded.counted.by_row, rows, offsets, size, every, every * 0, every * 0 + 5, 7, geometry(coded)
    )
    expected = [min((other for other in range(5) if other != one), key=lambda o: cost(one, o)) for one in range(5)]
    assert found.tolist() == expected
    alone = clustering.partners(
        coded.counted.by_row, rows, offsets, size, every[:1], every[:1], every[:1] + 1, 7, geometry(coded)
    )
    assert alone.tolist() == [-1]
