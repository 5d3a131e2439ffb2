from __future__ import annotations

from fractions import Fraction

import numpy as np

from shoal.items.beliefs import Belief
from shoal.items.removal.classes import Rows
from shoal.kernels import removing
from tests.items.removal.brute import class_of, random_class, random_rule


def test_sums_stay_those_of_the_kept_terms() -> None:
    """Removing and putting back in any order leads to the sums of a fresh start."""
    random = np.random.default_rng(13)
    for _ in range(60):
        names, weights, knowledge = random_class(random, 10)
        rule, _ = random_rule(random, names, knowledge)
        rows = Rows.of(class_of(names, weights, knowledge))
        problem, state = rows.problem(rule), rows.state(np.ones(rows.terms, np.bool_))
        removing.begin(problem, state)
        for term in random.permutation(rows.terms)[: rows.terms // 2]:
            removing.remove(problem, state, int(term))
        starts = np.concatenate([[0], np.cumsum(rows.left(state.kept))]).astype(np.int64)
        links = rows.labels_of.links(starts, rows.items[state.kept])
        assert state.bits.tolist() == links.bits.tolist()
        assert state.sizes.tolist() == links.sizes.tolist()
        over, under = Belief(links, rows.weights).exact
        expected = [float(Fraction(int(each), under) * len(rows.weights)) for each in over]
        assert np.allclose(state.sums, expected, rtol=0, atol=1e-12)
        assert sorted(state.touched[: state.number[0]].tolist()) == np.flatnonzero(over).tolist()


def test_greedy_and_restore_keep_to_their_budget() -> None:
    names, weights, knowledge = ["abcde", "abc"], [2, 2], random_class(np.random.default_rng(1), 3)[2]
    rule, _ = random_rule(np.random.default_rng(2), names, knowledge)
    rows = Rows.of(class_of(names, weights, knowledge))
    problem, state = rows.problem(rule), rows.state(np.zeros(rows.terms, np.bool_))
    removing.begin(problem, state)
    assert removing.restore(problem, state, 3) <= 3
    state = rows.state(np.ones(rows.terms, np.bool_))
    removing.begin(problem, state)
    assert removing.greedy(problem, state, removing.MARGIN, 3)[2] <= 3
