from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from shoal.items.beliefs import Belief
from shoal.items.linking import linked
from tests.items.made import belief, domain_of
from tests.items.test_linking import FIGURE_1

ROWS = ["Coughing, Headache, Sore throat", "Coughing, Headache", "Headache, Vomiting", "Headache, Sore throat"]


def test_the_beliefs_of_figure_1() -> None:
    """The first class links to flu alone; in the second, one of two rows links to nothing."""
    sets = [frozenset(row.split(", ")) for row in ROWS]
    links = linked(domain_of(sets), FIGURE_1)
    for weights, expected in (([1, 1, 0, 0], [1, 0]), ([0, 0, 1, 1], [Fraction(1, 2), 0]), ([0, 0, 3, 1], [0.25, 0])):
        found = Belief(links, np.array(weights))
        rows = [row for row, count in zip(sets, weights, strict=True) for _ in range(count)]
        assert belief(rows, FIGURE_1) == expected
        assert found.shares.tolist() == expected
        over, under = found.exact
        assert [Fraction(int(each), under) for each in over] == expected


def test_the_shares_of_a_class_without_rows_are_0() -> None:
    links = linked(domain_of([frozenset(["Headache"])]), FIGURE_1)
    found = Belief(links, np.array([0]))
    assert found.shares.tolist() == [0, 0]
    assert found.exact[0].tolist() == [0, 0]


def test_an_empty_set_spreads_over_all_labels() -> None:
    links = linked(domain_of([frozenset(), frozenset(["Headache"])]), FIGURE_1)
    assert Belief(links, np.array([1, 1])).shares.tolist() == pytest.approx([0.75, 0.25])
