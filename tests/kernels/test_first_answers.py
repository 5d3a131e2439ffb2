from __future__ import annotations

from fractions import Fraction

import numpy as np

from shoal.items.removal.answering import _many
from shoal.items.removal.classes import Rows
from shoal.items.rules import Diversity
from shoal.kernels import first_answers
from shoal.roles.knowledge import Knowledge
from tests.items.removal.brute import class_of

KNOWLEDGE = Knowledge.of({"x": "abc", "y": "ab", "z": "ad"})


def answered(names: list[str], budget: int, low: int, high: int, l: int = 2) -> tuple[list[bool], list[int], list[int]]:
    """The answers for classes of one row each, of which those from `low` to below `high` are asked for."""
    rows = [Rows.of(class_of([name], [1], KNOWLEDGE)) for name in names]
    many = _many(rows, Diversity(Fraction(1), l))
    kept, nodes = np.ones(int(many.starts[-1]), np.bool_), np.zeros(len(rows), np.int64)
    status, room = np.full(len(rows), -1, np.int8), rows[0].room(1, 4)
    first_answers.answers(many, low, high, budget, room, np.empty(2, np.int64), kept, nodes, status)
    return kept.tolist(), nodes.tolist(), status.tolist()


def test_answers_by_hand() -> None:
    """The first row links to x alone, and to x and y without c; the second links to both; the third has z alone."""
    kept, nodes, status = answered(["abc", "ab", "ad"], 100, 0, 3)
    assert kept == [True, True, False, True, True, True, False]
    assert nodes == [3, 0, 2]
    assert status == [first_answers.ANSWERED] * 3


def test_only_the_classes_asked_for_are_answered() -> None:
    kept, _, status = answered(["abc", "abc", "abc"], 100, 1, 2)
    assert kept == [True] * 5 + [False] + [True] * 3
    assert status == [-1, first_answers.ANSWERED, -1]


def test_a_class_that_needs_more_nodes_stays_open() -> None:
    """Every term of the row is tried once, but two have to be removed."""
    assert answered(["abc"], 0, 0, 1, l=3)[2] == [first_answers.OPEN]
