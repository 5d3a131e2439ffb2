"""Clustering: clusters of units that pass are kept, what fails is clustered again or merged, and no row is lost."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.coded import Coded
from shoal.models import ClassModel, KAnonymity, LDiversity
from shoal.search.clustering import Clustering
from shoal.search.clusters import Classes, units_of
from shoal.search.judging import Judge
from tests.algorithms.test_k_member import coded_of, table


def clustering_of(coded: Coded, models: tuple[ClassModel, ...], blocks: int = 1) -> Clustering:
    units = units_of(coded, models)
    return Clustering(Judge(coded, models, units), np.arange(len(units)) % blocks)


def grown(clustering: Clustering) -> Classes:
    for size, most in clustering.rounds:
        clustering.grow(size, most)
    return clustering.collected()


@pytest.mark.parametrize("models", [(KAnonymity(k=4),), (KAnonymity(k=4), LDiversity("d", l=3))])
@pytest.mark.parametrize("blocks", [1, 3])
def test_every_row_is_in_one_class_of_its_block(models: tuple[ClassModel, ...], blocks: int) -> None:
    clustering = clustering_of(coded_of(table(300, 1)), models, blocks)
    classes = grown(clustering)
    placed = np.bincount(classes.unit, weights=classes.weight, minlength=len(clustering.units))
    assert placed.tolist() == clustering.units.size.tolist()
    assert (clustering.block[classes.unit] == classes.block[classes.class_of]).all()


def test_clusters_are_as_small_as_the_models_allow() -> None:
    clustering = clustering_of(coded_of(table(300, 1)), (KAnonymity(k=4),))
    assert clustering.rounds == [(4, 1 << 60)]
    classes = grown(clustering)
    passing = clustering.judge.passing(classes)
    assert np.median(classes.rows[passing]) == 4
    merged, all_pass = clustering.merged(classes, passing, 20)
    assert all_pass.all() and len(merged) <= len(classes)


def test_clusters_that_fail_are_clustered_again_in_larger_ones() -> None:
    clustering = clustering_of(coded_of(table(300, 1)), (KAnonymity(k=4), LDiversity("d", l=3)))
    sizes = [size for size, _ in clustering.rounds]
    assert sizes == sorted(sizes) and sizes[0] == 4 < sizes[-1]
    kept = []
    for size, most in clustering.rounds:
        clustering.grow(size, most)
        kept.append(sum(len(set(number.tolist())) for _, _, number in clustering.kept))
    assert kept == sorted(kept) and kept[0] < kept[-1]


def test_a_class_without_a_partner_stays_as_it_is() -> None:
    clustering = clustering_of(coded_of([("1", "10", "a")] * 2 + [("9", "30", "a")]), (KAnonymity(k=2),), blocks=2)
    classes = grown(clustering)
    found, passing = clustering.merged(classes, clustering.judge.passing(classes), 5)
    assert len(found) == len(classes) and not passing.all()
