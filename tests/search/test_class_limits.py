from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.models import ExtendedPSensitive, KAnonymity, LDiversity, PSensitive
from shoal.search import lattice as lattice_module
from shoal.search.class_limits import most_classes, rows_beyond
from shoal.search.lattice import Lattice
from tests.effort import examples
from tests.recodings import Table, tables
from tests.search.test_lattice import table_of

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=7)


@given(SIZES, st.integers(0, 8))
def test_the_smallest_classes_are_suppressed(sizes: list[int], most: int) -> None:
    kept = min(most, len(sizes))
    fewest = min(sum(sizes) - sum(chosen) for chosen in combinations(sizes, kept))
    assert rows_beyond(np.array(sizes), most) == fewest


@given(st.lists(SIZES, min_size=1, max_size=4), st.integers(1, 5))
def test_finer_classes_lose_no_less(parts: list[list[int]], most: int) -> None:
    """`parts`: the sizes of the parts of each class."""
    coarse = np.array([sum(sizes) for sizes in parts])
    fine = np.array([size for sizes in parts for size in sizes])
    assert rows_beyond(fine, most) >= rows_beyond(coarse, most)


def test_the_narrowest_model_counts() -> None:
    coded = table_of("af", "ah", "bh").coded
    assert most_classes(coded, [KAnonymity(k=2), LDiversity("disease", l=2)]) is None
    assert most_classes(coded, [KAnonymity(k=2), PSensitive(p=2, k=2, columns=("disease",))]) == 1


MODELS = st.builds(PSensitive, p=st.integers(2, 3), k=st.just(3), columns=st.just(("disease",))) | st.builds(
    ExtendedPSensitive, p=st.integers(2, 3), k=st.just(3), columns=st.just(("disease",))
)


@given(table=tables(), model=MODELS, suppression=st.sampled_from([0.0, 0.2, 0.5]))
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_lattice_finds_the_same_with_and_without_the_limit(
    table: Table, model: PSensitive, suppression: float
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        limited = Lattice(table.coded, [model], suppression)
        patch.setattr(lattice_module, "most_classes", lambda coded, models: None)
        free = Lattice(table.coded, [model], suppression)
    for node in table.nodes():
        ours, theirs = limited.check(node), free.check(node)
        assert limited.feasible(ours) == free.feasible(theirs)
        assert ours.least_lost <= limited.limit or theirs.least_lost > limited.limit
        if limited.looked[node].judged:
            assert (ours.passing == theirs.passing).all()
