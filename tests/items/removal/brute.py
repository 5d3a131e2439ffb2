"""Random small classes, and the least cost of a removal by trying all of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from shoal.items.beliefs import Belief
from shoal.items.linking import labels_of
from shoal.items.removal import ClassItems
from shoal.items.rules import Closeness, Diversity, Rule
from shoal.roles.knowledge import Knowledge
from tests.items.made import labels_linked, sparse

ITEMS = "abcdef"
Allowed = Callable[[list[Fraction]], bool]


def class_of(sets: Sequence[str], weights: Sequence[int], knowledge: Knowledge) -> ClassItems:
    items = sorted({item for each in sets for item in each} | set(ITEMS))
    offsets, members = sparse([[items.index(item) for item in each] for each in sets])
    return ClassItems(offsets, members, np.array(weights, np.int64), labels_of(items, knowledge))


def random_class(random: np.random.Generator, terms: int) -> tuple[list[str], list[int], Knowledge]:
    """Sets with weights, of at most so many terms in all rows, and a knowledge table."""
    density = random.choice([0.4, 0.6, 0.8])
    labels = {
        str(label): [item for item in ITEMS[:5] if random.random() < density] for label in range(random.integers(1, 7))
    }
    sets, weights = [], []
    room = int(random.integers(1, terms + 1))
    for _ in range(int(random.integers(1, 5))):
        pool = ITEMS if random.random() < 0.2 else ITEMS[:5]
        each = "".join(sorted(random.choice(list(pool), int(random.integers(0, 4)), replace=False)))
        weight = int(random.integers(1, 4))
        weight = min(weight, room // max(len(each), 1)) if each else weight
        if weight and each not in sets:
            sets.append(each)
            weights.append(weight)
            room -= weight * len(each)
    return (sets, weights, Knowledge.of(labels)) if sets else random_class(random, terms)


def random_rule(random: np.random.Generator, sets: Sequence[str], knowledge: Knowledge) -> tuple[Rule, Allowed]:
    """A rule of either kind, and its definition over the exact beliefs."""
    if random.random() < 0.6:
        c, l = Fraction(int(random.integers(1, 5)), int(random.integers(1, 4))), int(random.integers(1, 5))

        def is_diverse(beta: list[Fraction]) -> bool:
            shares = sorted((share for share in beta if share), reverse=True)
            return not shares or (len(shares) >= l and shares[0] <= c * sum(shares[l - 1 :]))

        return Diversity(c, l), is_diverse
    weights = random.integers(0, 4, len(sets) + 1)
    weights[-1] += 1
    t = Fraction(int(random.integers(0, 12)), 12)
    every = class_of([*sets, ""], weights.tolist(), knowledge)
    reference = Belief(every.items.links(every.offsets, every.members), every.weights)
    over, under = reference.exact
    alpha = [Fraction(int(each), under) for each in over]
    return Closeness(t, reference), lambda beta: sum((b - a) ** 2 for b, a in zip(beta, alpha, strict=True)) <= t**2


def least_cost(sets: Sequence[str], weights: Sequence[int], knowledge: Knowledge, allows: Allowed) -> Fraction | None:
    """The least cost over all removals; None if none satisfies the rule."""
    rows = [each for each, weight in zip(sets, weights, strict=True) for _ in range(weight)]
    choices = {each: _choices(each, len(rows), knowledge) for each in set(rows)}
    verdicts: dict[tuple[Fraction, ...], bool] = {}
    best: Fraction | None = None
    for chosen in itertools.product(*(choices[row] for row in rows)):
        cost = sum((cost for cost, _ in chosen), Fraction(0))
        if best is not None and cost >= best:
            continue
        beta = tuple(sum(shares, Fraction(0)) for shares in zip(*(shares for _, shares in chosen), strict=True))
        if beta not in verdicts:
            verdicts[beta] = allows(list(beta))
        if verdicts[beta]:
            best = cost
    return best


def _choices(row: str, rows: int, knowledge: Knowledge) -> list[tuple[Fraction, list[Fraction]]]:
    """The cost of every subset of a row's items, and what it adds to the belief."""
    choices = []
    for left in range(len(row) + 1):
        cost = sum((Fraction(1, j) for j in range(left + 1, len(row) + 1)), Fraction(0))
        for kept in itertools.combinations(row, left):
            linked = labels_linked(frozenset(kept), knowledge)
            share = Fraction(1, max(len(linked), 1) * rows)
            choices.append((cost, [share if label in linked else Fraction(0) for label in range(knowledge.size)]))
    return choices
