from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from shoal.items.beliefs import Belief
from shoal.items.linking import LabelsOfItems, labels_of
from shoal.items.removal import ClassItems, first_answers
from shoal.items.removal.answering import answered, first_answer
from shoal.items.removal.classes import Rows
from shoal.items.rules import Closeness, Diversity, Rule
from shoal.roles.knowledge import Knowledge
from tests.items.removal.brute import class_of, random_class, random_rule


def random_classes(random: np.random.Generator, number: int, knowledge: Knowledge) -> list[ClassItems]:
    """Classes over one knowledge table; some have equal rows, some rows have no items."""
    found = []
    for _ in range(number):
        names, weights, _ = random_class(random, 14)
        found.append(class_of(names, weights, knowledge))
    return found


@pytest.mark.parametrize("budget", [0, 5, 1_000])
def test_many_classes_get_the_answers_that_each_gets_alone(budget: int) -> None:
    random, removed = np.random.default_rng(31), 0
    for _ in range(40):
        names, _, knowledge = random_class(random, 9)
        rule, _ = random_rule(random, names, knowledge)
        classes = random_classes(random, 12, knowledge)
        together = answered([Rows.of(each) for each in classes], rule, budget)
        for sets, found in zip(classes, together, strict=True):
            alone = first_answer(Rows.of(sets), rule, budget)
            assert (found.found, found.cost, found.nodes) == (alone.found, alone.cost, alone.nodes)
            assert found.members.tolist() == alone.members.tolist()
            removed += found.cost > 0
    assert removed > 50


@pytest.mark.parametrize("threads", [1, 3])
def test_chunks_and_threads_change_nothing(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    knowledge = Knowledge.of({"x": "abc", "y": "ab", "z": "ade"})
    classes = random_classes(np.random.default_rng(3), 50, knowledge)
    rule = Diversity(Fraction(1), 3)
    expected = [first_answer(Rows.of(each), rule, 100).members.tolist() for each in classes]
    monkeypatch.setattr("shoal.items.removal.answering.CHUNK", 7)
    assert [each.members.tolist() for each in first_answers(classes, rule, 100, threads)] == expected


def test_no_classes_have_no_answers() -> None:
    assert list(first_answers([], Diversity(Fraction(1), 3), 100)) == []


def test_a_class_that_no_removal_saves_has_no_answer() -> None:
    sets = class_of(["ab"], [3], Knowledge.of({"only": "abc"}))
    (found,) = first_answers([sets], Diversity(Fraction(1), 2), 100)
    assert not found.found


def test_more_labels_than_a_word_has_bits() -> None:
    random = np.random.default_rng(7)
    items = [f"{item:02}" for item in range(40)]
    knowledge = Knowledge.of({str(label): [i for i in items if random.random() < 0.6] for label in range(150)})
    has = labels_of(items, knowledge)
    classes = [_random_sets(random, rows, has) for rows in (1, 2, 5, 1, 70)]
    every = _random_sets(random, 50, has)
    rules: list[Rule] = [Diversity(Fraction(1, 2), 25), Closeness(Fraction(1, 10), _belief(every))]
    for rule in rules:
        for sets, found in zip(classes, first_answers(classes, rule, 10_000), strict=True):
            assert found.members.tolist() == first_answer(Rows.of(sets), rule, 10_000).members.tolist()


def _random_sets(random: np.random.Generator, rows: int, has: LabelsOfItems) -> ClassItems:
    members = np.concatenate([np.sort(random.choice(len(has.bits), 6, replace=False)) for _ in range(rows)])
    return ClassItems(np.arange(0, 6 * rows + 1, 6), members.astype(np.int32), np.ones(rows, np.int64), has)


def _belief(sets: ClassItems) -> Belief:
    return Belief(sets.items.links(sets.offsets, sets.members), sets.weights)
