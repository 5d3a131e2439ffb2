from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from shoal.items.beliefs import Belief
from shoal.items.linking import labels_of
from shoal.items.removal import METHODS, ClassItems, Removal, first_answers, improved, solve
from shoal.items.rules import Diversity, Rule
from shoal.roles.knowledge import Knowledge
from tests.items.removal.brute import class_of, least_cost, random_class, random_rule

CLASSES = 2_500


def check_shape(sets: ClassItems, found: Removal, rule: Rule) -> None:
    """The rows of every set keep subsets of it, and the rule allows what they reveal."""
    kept: Counter[int] = Counter()
    for s, origin in enumerate(found.origin.tolist()):
        own = set(sets.members[sets.offsets[origin] : sets.offsets[origin + 1]].tolist())
        assert set(found.members[found.offsets[s] : found.offsets[s + 1]].tolist()) <= own
        kept[origin] += int(found.weights[s])
    assert [kept[origin] for origin in range(len(sets.weights))] == sets.weights.tolist()
    allowed = rule.allows(Belief(sets.items.links(found.offsets, found.members), found.weights))
    assert allowed is found.found
    assert found.lower_bound <= found.cost + 1e-9 or not found.found


def test_the_cost_is_the_least_of_all_removals() -> None:
    random, seen = np.random.default_rng(17), Counter[str]()
    for _ in range(CLASSES):
        names, weights, knowledge = random_class(random, 9)
        rule, allows = random_rule(random, names, knowledge)
        sets = class_of(names, weights, knowledge)
        least = least_cost(names, weights, knowledge, allows)
        found = solve(sets, rule, 10**6)
        check_shape(sets, found, rule)
        assert found.proven
        assert found.found == (least is not None)
        if least is not None:
            assert found.cost == pytest.approx(float(least), abs=1e-9)
        seen["infeasible" if least is None else "untouched" if not least else "removed"] += 1
    assert min(seen["infeasible"], seen["untouched"], seen["removed"]) > 200


@pytest.mark.parametrize("method", METHODS)
def test_every_method_satisfies_the_rule_even_without_a_budget(method: str) -> None:
    random = np.random.default_rng(5)
    for _ in range(150):
        names, weights, knowledge = random_class(random, 12)
        rule, allows = random_rule(random, names, knowledge)
        sets = class_of(names, weights, knowledge)
        least = least_cost(names, weights, knowledge, allows) if sum(map(len, names)) < 9 else None
        for budget in (0, 3, 10**6):
            found = solve(sets, rule, budget, method=method)
            check_shape(sets, found, rule)
            if isinstance(rule, Diversity) and rule.feasible(knowledge.size):
                assert found.found
            if least is not None and found.found:
                assert found.lower_bound - 1e-9 <= float(least) <= found.cost + 1e-9


def test_the_papers_searches_are_optimal_when_complete() -> None:
    random = np.random.default_rng(6)
    for _ in range(150):
        names, weights, knowledge = random_class(random, 7)
        rule, allows = random_rule(random, names, knowledge)
        least = least_cost(names, weights, knowledge, allows)
        for method in ("adaptive", "depth-first"):
            found = solve(class_of(names, weights, knowledge), rule, 10**6, method=method)
            assert found.proven
            assert (found.cost if found.found else None) == (None if least is None else pytest.approx(float(least)))


def test_a_removal_by_hand() -> None:
    """Both rows link to flu alone. One item less links one of them to two labels, which suffices for l = 2, c = 3."""
    knowledge = Knowledge.of({"flu": "abc", "cold": "ab", "cough": "c"})
    sets = class_of(["abc"], [2], knowledge)
    found = solve(sets, Diversity(Fraction(3), 2))
    assert (found.cost, found.share, found.proven) == (pytest.approx(1 / 3), pytest.approx(1 / 11), True)
    assert found.weights.tolist() == [1, 1]
    assert found.origin.tolist() == [0, 0]
    assert [found.members[a:b].tolist() for a, b in zip(found.offsets, found.offsets[1:], strict=False)] == [
        [0, 1],
        [0, 1, 2],
    ]


@pytest.mark.parametrize("method", METHODS)
def test_rows_at_the_edges(method: str) -> None:
    diverse = Diversity(Fraction(1), 2)
    everything = Knowledge.of({"all": "abcdef", "x": "a", "y": "b"})
    for names, cost in ([""], 0.0), (["a"], 0.0), (["ab"], 0.5), (["c"], 1.0), (["cd"], 1.5), (["q"], 0.0):
        found = solve(class_of(names, [1], everything), diverse, method=method)
        assert (found.found, found.cost) == (True, pytest.approx(cost)), names
    nothing = Knowledge.of({})
    assert solve(class_of(["ab", ""], [1, 1], nothing), diverse, method=method).cost == 0
    single = Knowledge.of({"only": "abc"})
    found = solve(class_of(["ab"], [3], single), diverse, method=method)
    assert (found.found, found.cost) == (False, 0)
    assert found.proven or method == "greedy"


def test_ten_thousand_labels() -> None:
    knowledge = Knowledge.of({str(label): "ab" if label % 2 else "a" for label in range(10_000)})
    found = solve(class_of(["ab", "a"], [1, 1], knowledge), Diversity(Fraction(1), 9_999))
    assert found.found
    assert found.proven


@pytest.mark.parametrize("budget", [0, 500])
def test_a_class_of_many_rows_is_satisfied(budget: int) -> None:
    random = np.random.default_rng(3)
    knowledge = Knowledge.of(
        {str(label): [item for item in "abcdef" if random.random() < 0.5] for label in range(20)} | {"last": "abcdef"}
    )
    names = ["abcdef"[i:j] for i in range(6) for j in range(i, 7)]
    names = sorted(set(names))
    sets = class_of(names, [40] * len(names), knowledge)
    rule = Diversity(Fraction(1, 3), 12)
    found = solve(sets, rule, budget)
    check_shape(sets, found, rule)
    assert found.found
    assert 0 < found.lower_bound <= found.cost < found.whole
    assert not found.proven


def test_not_all_equal_rows_of_a_large_class_lose_items() -> None:
    """All 90 rows link to flu alone. Without c in m of them, flu has 90 - m / 2, and cold m / 2, a ninth for m = 18."""
    knowledge = Knowledge.of({"flu": "abc", "cold": "ab"})
    found = solve(class_of(["abc"], [90], knowledge), Diversity(Fraction(9), 2))
    assert (found.found, found.cost) == (True, pytest.approx(18 / 3))
    assert found.weights.tolist() == [18, 72]


def test_many_different_rows_are_satisfied_soon_and_never_worse_than_by_the_paper() -> None:
    random = np.random.default_rng(7)
    items = [f"{item:02}" for item in range(40)]
    knowledge = Knowledge.of({str(label): [i for i in items if random.random() < 0.5] for label in range(80)})
    offsets = np.arange(0, 81 * 6, 6)
    members = np.concatenate([np.sort(random.choice(40, 6, replace=False)) for _ in range(80)]).astype(np.int32)
    sets = ClassItems(offsets, members, np.ones(80, np.int64), labels_of(items, knowledge))
    rule = Diversity(Fraction(1, 20), 60)
    ours, papers = solve(sets, rule, 2_000), solve(sets, rule, 2_000, method="adaptive")
    check_shape(sets, ours, rule)
    check_shape(sets, papers, rule)
    assert 0 < ours.lower_bound <= ours.cost <= papers.cost + 1e-9


@pytest.mark.parametrize("budget", [0, 2, 7, 30, 3_000])
def test_ours_is_never_worse_than_adaptive_with_as_many_nodes(budget: int) -> None:
    random = np.random.default_rng(budget)
    for _ in range(150):
        names, weights, knowledge = random_class(random, 14)
        rule, _ = random_rule(random, names, knowledge)
        sets = class_of(names, weights, knowledge)
        ours, papers = solve(sets, rule, budget), solve(sets, rule, budget, method="adaptive")
        assert ours.found or not papers.found
        assert not papers.found or ours.cost <= papers.cost + 1e-9


def test_an_answer_is_improved_and_never_made_worse() -> None:
    random, better = np.random.default_rng(23), 0
    for _ in range(200):
        names, weights, knowledge = random_class(random, 12)
        rule, _ = random_rule(random, names, knowledge)
        sets = class_of(names, weights, knowledge)
        first, found = solve(sets, rule, 5, method="greedy"), solve(sets, rule, 5, method="greedy")
        for budget in (1, 10, 100, 10**6):
            new = improved(sets, rule, found, budget)
            check_shape(sets, new, rule)
            assert new.found or not found.found
            assert not found.found or new.cost <= found.cost
            assert new.lower_bound >= found.lower_bound and new.nodes >= found.nodes
            found = new
        assert found.proven
        better += first.found and found.cost < first.cost
    assert better > 2


def test_rows_emptied_in_haste_are_filled_again_with_more_nodes() -> None:
    random = np.random.default_rng(7)
    items = [f"{item:02}" for item in range(40)]
    knowledge = Knowledge.of({str(label): [i for i in items if random.random() < 0.5] for label in range(80)})
    members = np.concatenate([np.sort(random.choice(40, 6, replace=False)) for _ in range(200)]).astype(np.int32)
    sets = ClassItems(np.arange(0, 201 * 6, 6), members, np.ones(200, np.int64), labels_of(items, knowledge))
    rule = Diversity(Fraction(1, 20), 30)
    (hasty,) = first_answers([sets], rule, 1_000)
    assert hasty.is_hasty
    better = improved(sets, rule, hasty, 10**5)
    check_shape(sets, better, rule)
    assert better.cost < hasty.cost / 4


def test_seconds_end_a_search() -> None:
    random = np.random.default_rng(4)
    knowledge = Knowledge.of({str(n): [i for i in "abcdef" if random.random() < 0.5] for n in range(60)})
    sets = class_of(["abcdef", "abcde", "bcdef", "acdef"], [12, 12, 12, 12], knowledge)
    rule = Diversity(Fraction(1, 20), 25)
    for method in METHODS:
        found = solve(sets, rule, 10**12, seconds=0.2, method=method)
        check_shape(sets, found, rule)
        assert found.found


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ValueError, match="best-first, adaptive"):
        solve(class_of(["a"], [1], Knowledge.of({})), Diversity(Fraction(1), 2), method="quick")


SOLVES = """
import sys
import numpy as np
from shoal.items.removal import METHODS, solve
from tests.items.removal.brute import class_of, random_class, random_rule
random = np.random.default_rng(21)
for _ in range(8):
    names, weights, knowledge = random_class(random, 7)
    rule, _ = random_rule(random, names, knowledge)
    for method in METHODS:
        found = solve(class_of(names, weights, knowledge), rule, 40, method=method)
        sys.stdout.write(f"{found.members.tolist()} {found.lower_bound} {found.nodes}\\n")
"""


def test_plain_python_finds_the_same_as_compiled_code() -> None:
    def ran(**environment: str) -> str:
        command = [sys.executable, "-W", "error::RuntimeWarning", "-c", SOLVES]
        return subprocess.run(
            command, env={**os.environ, **environment}, capture_output=True, text=True, check=True
        ).stdout

    compiled = ran()
    assert compiled.count("\n") == 8 * len(METHODS)
    assert ran(NUMBA_DISABLE_JIT="1") == compiled
