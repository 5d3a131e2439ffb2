from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from shoal.items.removal.classes import Rows
from shoal.items.removal.tail_sets import _begun
from shoal.items.rules import Diversity
from shoal.kernels import removing, tail_sets
from shoal.roles.knowledge import Knowledge
from tests.items.removal.brute import class_of


@pytest.mark.parametrize("kernel", ["plain", "adaptive"])
def test_every_set_of_terms_is_one_node(kernel: str) -> None:
    """Nothing passes, so nothing is skipped: 2^n - 1 removals are tried, and the state returns to the root."""
    knowledge = Knowledge.of({"x": "abc", "y": "b"})
    rows = Rows.of(class_of(["ab", "abc", "c"], [1, 1, 1], knowledge))
    problem = rows.problem(Diversity(Fraction(1), 3))
    for budget in itertools.chain(range(1, 20), [10**6]):
        state = rows.state(np.ones(rows.terms, np.bool_))
        removing.begin(problem, state)
        search = _begun(rows.terms, rows.terms)
        status, _ = getattr(tail_sets, kernel)(problem, state, search, budget)
        assert search.nodes[0] == min(budget, 2**rows.terms - 1)
        assert status == (removing.DONE if budget == 10**6 else removing.SPENT)
    assert state.kept.all()
    assert search.best[0] == np.inf
