"""What full-domain algorithms share: the classes of one node are published, and the rest is suppressed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.algorithms import ALL
from shoal.algorithms.full_domain import FullDomain
from shoal.coded.recoding import Levels
from shoal.coded.record import SearchRecord
from shoal.errors import PlanError
from shoal.models import KAnonymity
from shoal.progress import Progress, silent
from shoal.search.best_first import Found
from shoal.search.lattice import Lattice
from shoal.search.objectives import MEASURES, objective
from tests.effort import examples
from tests.recodings import Table, tables

FULL_DOMAIN = [algorithm for algorithm in ALL if issubclass(algorithm, FullDomain)]


@dataclass(frozen=True)
class Highest(FullDomain):
    """The top of the lattice, whatever it costs."""

    kind = "highest"

    def search(self, lattice: Lattice, seed: int, progress: Progress) -> Found:
        checked = lattice.check(lattice.top)
        return Found(checked, objective(self.measure, lattice).cost(checked))


@given(table=tables(), measure=st.sampled_from(MEASURES))
@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_search_is_all_that_an_algorithm_needs(table: Table, measure: str) -> None:
    partition = Highest(measure).partition(table.coded, [KAnonymity(k=2)], 1.0, 0, silent)
    everybody = list(range(len(table.rows)))
    passes = table.judged(KAnonymity(k=2), [everybody], everybody)[0]
    assert table.classes_of(partition) == ([(everybody, table.heights)] if passes else [])
    assert isinstance(partition.recoding, Levels)
    record = replace(partition.record, lattice=None)
    assert record == SearchRecord(lattice_nodes=len(table.nodes()), nodes_checked=1)


@pytest.mark.parametrize("algorithm", FULL_DOMAIN, ids=lambda algorithm: algorithm.kind)
def test_full_domain_algorithms_publish_levels_and_judge_tables(algorithm: type[FullDomain]) -> None:
    assert algorithm.recoding is Levels and algorithm.recodes_by_level
    assert algorithm.suppresses and algorithm.judges_tables and not algorithm.wants_target
    assert algorithm.forms == ("generalized",)


@pytest.mark.parametrize("algorithm", [Highest, *FULL_DOMAIN], ids=lambda algorithm: algorithm.kind)
def test_a_measure_that_is_not_there_is_refused(algorithm: type[FullDomain]) -> None:
    assert algorithm().measure == "loss"
    with pytest.raises(PlanError, match=rf"{algorithm.__name__} measure must be one of loss, .*; got 'beauty'"):
        algorithm(measure="beauty")


def test_nothing_is_refused_unless_an_algorithm_says_so() -> None:
    assert Highest().refuses([KAnonymity(k=2)], 0.5, persons=True) == ""
