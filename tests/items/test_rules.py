from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.items.beliefs import Belief
from shoal.items.linking import linked
from shoal.items.rules import Closeness, Diversity, belief_of, distances, largest_l, passing
from shoal.roles.knowledge import Knowledge
from tests.effort import examples
from tests.items.made import belief, counts_of, domain_of, is_close, is_diverse, labels_linked

ITEMS = st.frozensets(st.sampled_from("abcdef"), max_size=4)
LABELS = st.lists(st.frozensets(st.sampled_from("abcde"), max_size=5), max_size=8)
CLASSES = st.lists(st.dictionaries(st.integers(0, 5), st.integers(1, 4), min_size=1), min_size=1, max_size=4)
SHARES = st.sampled_from([Fraction(n, d) for n, d in ((1, 4), (1, 3), (1, 2), (1, 1), (3, 2), (2, 1))])


@given(st.lists(ITEMS, min_size=6, max_size=6), LABELS, CLASSES, SHARES, st.integers(1, 6))
@settings(max_examples=examples(300), deadline=None)
def test_both_rules_equal_their_definitions(
    sets: list[frozenset[str]], labels: list[frozenset[str]], classes: list[dict[int, int]], share: Fraction, l: int
) -> None:
    knowledge = Knowledge.of({str(number): items for number, items in enumerate(labels)})
    links, counts = linked(domain_of(sets), knowledge), counts_of(classes)
    rows = [[sets[s] for s, n in each.items() for _ in range(n)] for each in classes]
    betas = [belief(each, knowledge) for each in rows]
    assert passing(Diversity(share, l), links, counts).tolist() == [is_diverse(beta, share, l) for beta in betas]
    l_of = [max((i for i in range(1, len(labels) + 2) if is_diverse(b, share, i)), default=0) for b in betas]
    assert largest_l(share, links, counts).tolist() == l_of
    alpha = belief([row for each in rows for row in each], knowledge)
    reference = Belief(links, counts.dense(len(sets)))
    for t in (share, share / 4):
        assert passing(Closeness(t, reference), links, counts).tolist() == [is_close(b, alpha, t) for b in betas]
    expected = [float(sum((b - a) ** 2 for b, a in zip(beta, alpha, strict=True))) ** 0.5 for beta in betas]
    assert distances(reference, links, counts).tolist() == pytest.approx(expected, abs=1e-7)


def test_a_class_exactly_at_the_threshold_passes() -> None:
    """Three labels with 1/3 + 1/6 + 1/2 in sums that floats do not add up to equal shares."""
    knowledge = Knowledge.of({"x": "abc", "y": "bcd", "z": "cde"})
    sets = [frozenset(each) for each in ("ab", "c", "bcd", "de", "cd")]
    links = linked(domain_of(sets), knowledge)
    counts = counts_of([{0: 3, 1: 1, 2: 3, 3: 3}])
    assert passing(Diversity(Fraction(1), 3), links, counts).tolist() == [True]
    assert largest_l(Fraction(1), links, counts).tolist() == [3]


def test_the_distance_that_equals_t_passes_exactly() -> None:
    knowledge = Knowledge.of({"x": "a", "y": "b"})
    links = linked(domain_of([frozenset("a"), frozenset("b")]), knowledge)
    reference = Belief(links, np.array([1, 1]))
    counts = counts_of([{0: 8, 1: 2}])  # 0.3 from 1/2 in both labels
    assert passing(Closeness(Fraction(3, 10), reference), links, counts).tolist() == [False]
    assert not Closeness(Fraction(424264068, 10**9), reference).allows(belief_of(links, counts, 0))
    assert Closeness(Fraction(424264069, 10**9), reference).allows(belief_of(links, counts, 0))
    only_x = counts_of([{0: 7, 1: 1}])
    near = Closeness(Fraction(1, 8), Belief(links, np.array([3, 1])))
    assert near.allows(belief_of(links, only_x, 0)) is (Fraction(2, 64) <= Fraction(1, 64))


def test_more_labels_than_machine_integers_hold_are_compared_exactly() -> None:
    """Sizes 1 to 60: their common denominator has 84 bits."""
    names = [f"{label:02}" for label in range(60)]
    knowledge = Knowledge.of({name: names[: label + 1] for label, name in enumerate(names)})
    sets = [frozenset([name]) for name in names]
    links, counts = linked(domain_of(sets), knowledge), counts_of([dict.fromkeys(range(60), 1)])
    assert sorted(links.sizes.tolist()) == list(range(1, 61))
    beta = belief(sets, knowledge)
    exact, under = belief_of(links, counts, 0).exact
    assert [Fraction(int(over), under) for over in exact] == beta
    for l in (1, 5, 20, 40):
        assert passing(Diversity(Fraction(1), l), links, counts).tolist() == [is_diverse(beta, Fraction(1), l)]


@given(st.integers(0, 6), SHARES, st.integers(1, 8))
def test_diversity_is_feasible_if_removing_everything_satisfies_it(labels: int, c: Fraction, l: int) -> None:
    uniform = [Fraction(1, labels or 1)] * labels
    assert Diversity(c, l).feasible(labels) == is_diverse(uniform, c, l)


def test_rows_that_link_to_nothing_count_as_rows() -> None:
    knowledge = Knowledge.of({"x": "a", "y": "ab"})
    links = linked(domain_of([frozenset("a"), frozenset("q"), frozenset()]), knowledge)
    assert labels_linked(frozenset("q"), knowledge) == set()
    assert Belief(links, np.array([1, 3, 0])).shares.tolist() == [0.125, 0.125]
    assert passing(Diversity(Fraction(1), 2), links, counts_of([{1: 5}, {0: 1, 1: 9}])).tolist() == [True, True]
    assert largest_l(Fraction(1), links, counts_of([{1: 5}])).tolist() == [3]
    assert Diversity(Fraction(1), 9).allows(belief_of(links, counts_of([{1: 5}]), 0))


def test_no_knowledge_and_very_much_of_it() -> None:
    nothing = linked(domain_of([frozenset("a"), frozenset()]), Knowledge.of({}))
    assert passing(Diversity(Fraction(1), 2), nothing, counts_of([{0: 1, 1: 1}])).tolist() == [True]
    assert Diversity(Fraction(1), 2).feasible(0)
    much = Knowledge.of({str(label): ["a", "b"] if label % 2 else ["a"] for label in range(10_000)})
    links = linked(domain_of([frozenset("a"), frozenset("ab"), frozenset()]), much)
    assert links.sizes.tolist() == [10_000, 5_000, 10_000]
    counts = counts_of([{0: 1, 1: 1, 2: 1}, {1: 1}])
    assert passing(Diversity(Fraction(1), 9_000), links, counts).tolist() == [True, False]
    assert largest_l(Fraction(1), links, counts).tolist() == [9_999, 5_000]
