"""Splits: what is known of a step before it is made."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from shoal.coded.combinations import Bound, Seen
from shoal.search.splits import Node, Verdict, Watched


def test_a_node_counts_its_codes_and_is_known_by_what_it_holds() -> None:
    assert Node(0, 2, 5, 1).codes == 4 and Node(0, 3, 3, 1).codes == 1
    assert len({Node(0, 2, 5, 1), Node(0, 2, 5, 1), Node(0, 2, 4, 1)}) == 2


def test_what_is_watched_knows_the_largest_share_it_may_have() -> None:
    watched = Watched(Bound(2, 5, Fraction(1, 3)), np.zeros(1, np.int32), 1, Seen())
    assert watched.most == pytest.approx(1 / 3)


def test_a_verdict_that_allows_blames_nobody() -> None:
    verdict = Verdict(True, (Seen(5),))
    assert (verdict.watched, verdict.columns, verdict.failing) == (None, (), -1)
