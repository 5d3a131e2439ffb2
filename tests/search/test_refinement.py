"""Refinement never loses, never breaks a class, and finds what a better partition would have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from shoal.algorithms import KMember, Mondrian
from shoal.coded import Coded, Partition
from shoal.coded.recoding import Observed
from shoal.errors import CannotBeMet
from shoal.models import AlphaK, ClassModel, KAnonymity, LDiversity, TCloseness
from shoal.progress import silent
from shoal.search import refinement
from shoal.search.refinement import groups, neighbours, refined
from tests.algorithms.test_k_member import MODELS, ROWS, coded_of, loss, quick, table


def cut(coded: Coded, models: Sequence[ClassModel]) -> Partition:
    return Mondrian().partition(coded, models, 0.0, 0, silent)


@given(ROWS, MODELS)
@quick
def test_a_refined_partition_passes_loses_no_more_and_has_every_row(
    rows: list[Any], models: tuple[ClassModel, ...]
) -> None:
    coded = coded_of(rows)
    try:
        partition = cut(coded, models)
    except CannotBeMet:
        return
    better = refined(coded, models, partition, silent)
    assert all(model.passes(better.stats(coded)).all() for model in models)
    placed = np.bincount(better.row, weights=better.weight, minlength=len(coded.counted))
    assert placed.tolist() == coded.counted.weight.tolist()
    assert loss(coded, better) <= loss(coded, partition) + 1e-12


@pytest.mark.parametrize(
    "models",
    [
        (KAnonymity(k=5),),
        (KAnonymity(k=5), LDiversity("d", l=3)),
        (AlphaK("d", alpha=0.4, k=5),),
        (KAnonymity(k=5), TCloseness("d", t=0.3)),
    ],
)
@pytest.mark.parametrize("categories", ["hierarchy", "sets"])
def test_refining_lowers_the_loss(models: tuple[ClassModel, ...], categories: str) -> None:
    coded = coded_of(table(600, 1), categories)
    for algorithm in (Mondrian(), KMember()):
        given = algorithm.partition(coded, models, 0.0, 0, silent)
        better = type(algorithm)(refine=True).partition(coded, models, 0.0, 0, silent)
        assert loss(coded, better) < (0.95 if categories == "sets" else 1.0) * loss(coded, given)
        assert isinstance(better.recoding, Observed)
        assert all(model.passes(better.stats(coded)).all() for model in models)


@pytest.mark.parametrize("off", ["_regrouped", "_moved"])
def test_both_ways_lower_the_loss(off: str, monkeypatch: pytest.MonkeyPatch) -> None:
    coded, models = coded_of(table(600, 2), "sets"), (KAnonymity(k=5),)
    partition = cut(coded, models)
    monkeypatch.setattr(refinement, off, lambda _judge, _limits, classes, **_: classes)
    assert loss(coded, refined(coded, models, partition, silent)) < 0.97 * loss(coded, partition)


def test_what_cannot_be_better_stays_as_it_is() -> None:
    coded, models = coded_of([("1", "10", "a"), ("1", "10", "b")] * 3), (KAnonymity(k=2),)
    partition = cut(coded, models)
    assert refined(coded, models, partition, silent) is partition


def test_a_change_after_which_classes_fail_as_readers_see_them_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    coded, models = coded_of(table(600, 2)), (KAnonymity(k=5),)
    partition = cut(coded, models)
    monkeypatch.setattr(refinement.Judge, "failing_alike", lambda _judge, _classes: [(0, 1)])
    assert refined(coded, models, partition, silent) is partition


def test_groups_are_of_adjacent_classes_of_a_block() -> None:
    assert groups(np.array([3, 3, 3, 3, 3]), np.array([0, 0, 0, 0, 1]), 6).tolist() == [0, 0, 1, 1, 2]


def test_neighbours_differ_in_one_column_where_there_are_such() -> None:
    codes = np.array([(a, b) for a in range(3) for b in range(4)], np.int32)
    near = neighbours(codes)
    assert near.shape == (12, 5)
    for spot, others in enumerate(near.tolist()):
        assert others[0] == spot
        steps = [np.abs(codes[spot] - codes[other]).sum() for other in others[1:] if other >= 0]
        assert steps.count(1) >= 2, "a step along each column, except at an edge"


def test_rounds_end(monkeypatch: pytest.MonkeyPatch) -> None:
    coded, models = coded_of(table(600, 2)), (KAnonymity(k=5),)
    partition = cut(coded, models)
    monkeypatch.setattr(refinement, "_WORTH", 0.0)
    full = loss(coded, refined(coded, models, partition, silent))
    monkeypatch.setattr(refinement, "_ROUNDS", 1)
    assert full < loss(coded, refined(coded, models, partition, silent))


def test_the_record_tells_what_refinement_saved() -> None:
    coded, models = coded_of(table(600, 2), "sets"), (KAnonymity(k=5),)
    partition = cut(coded, models)
    better = refined(coded, models, partition, silent)
    assert better.record.refined_by == pytest.approx(1 - loss(coded, better) / loss(coded, partition))
    assert partition.record.refined_by is None
