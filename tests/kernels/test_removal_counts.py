from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np

from shoal.items.removal.classes import Rows
from shoal.items.rules import Diversity
from shoal.kernels import removal_counts
from tests.items.made import labels_linked
from tests.items.removal.brute import class_of, random_class


def test_options_are_the_closed_sets_of_kept_items() -> None:
    """For every linked set of labels, the largest kept set with it is an option, and nothing else is."""
    random = np.random.default_rng(14)
    for _ in range(60):
        _, _, knowledge = random_class(random, 6)
        row = "abcdef"[: int(random.integers(1, 7))]
        rows = Rows.of(class_of([row], [1], knowledge))
        problem = rows.problem(Diversity(Fraction(1), 2))
        room = sum(comb(len(row), v) for v in range(len(row) + 1))
        options = removal_counts.enumerated(problem, np.array([0]), np.array([len(row)]), room)
        largest: dict[frozenset[int], str] = {}
        for left in range(len(row) + 1):
            for kept in combinations(row, left):
                largest[frozenset(labels_linked(frozenset(kept), knowledge))] = "".join(kept)
        found = set()
        for v in range(len(row) + 1):
            chosen = options.order[options.first[0, v] : options.first[0, v + 1]].tolist()
            assert options.sizes[chosen].tolist() == sorted(options.sizes[chosen].tolist(), reverse=True)
            assert options.most[0, v] == max(options.sizes[chosen], default=-1)
            for option in chosen:
                kept_items = "".join(item for i, item in enumerate(row) if int(options.masks[option]) >> i & 1)
                assert len(kept_items) == len(row) - v
                found.add(kept_items)
        assert found == set(largest.values())
