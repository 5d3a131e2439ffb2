"""Blocks: rows that no label may cover together are apart, and a search that cannot start says why."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.coded import Coded
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.errors import CannotBeMet
from shoal.hierarchies import Prefix
from shoal.models import KAnonymity, LDiversity
from shoal.models.base import Monotone
from shoal.models.beta_likeness import BetaLikeness
from shoal.search.blocks import blocks, require_start


def coded_of(coarsest: int | None) -> Coded:
    frame = pl.DataFrame({"zip": ["10", "20", "11", "21", "22"], "ill": ["a", "a", "a", "b", "b"]})
    limit = {} if coarsest is None else {"coarsest": coarsest}
    columns = {"zip": shoal.quasi(Prefix(steps=(1,)), type="text", **limit), "ill": shoal.sensitive()}
    return fit(LocalEngine(frame), shoal.Plan(columns=columns, models=[LDiversity("ill", l=2)])).coded


def test_without_a_limit_there_is_one_block() -> None:
    order, nodes = blocks(coded_of(None))
    assert order.tolist() == [0, 1, 2, 3, 4]
    assert (nodes.starts.tolist(), nodes.ends.tolist()) == ([0], [5])
    assert nodes.boxes.tolist() == [[[0, 4]]]


def test_a_limit_keeps_nodes_apart() -> None:
    order, nodes = blocks(coded_of(1))
    assert order.tolist() == [0, 1, 2, 3, 4]
    assert (nodes.starts.tolist(), nodes.ends.tolist()) == ([0, 3], [3, 5])
    assert nodes.boxes.tolist() == [[[0, 2]], [[3, 4]]]
    assert nodes.only(nodes.starts[1:] * 0 + 1).ends.tolist() == [5]


def test_a_search_that_cannot_start_says_why() -> None:
    require_start(coded_of(1), [KAnonymity(k=2)], "k-member")
    with pytest.raises(CannotBeMet, match="in 1 of 2 parts that 'coarsest' keeps apart"):
        require_start(coded_of(1), [KAnonymity(k=3)], "k-member")
    with pytest.raises(CannotBeMet, match="when all rows form a single class") as caught:
        require_start(coded_of(None), [KAnonymity(k=6)], "k-member")
    assert "no recoding can help" in caught.value.hint


class Fickle(BetaLikeness):
    """A model that no class passes, and that says nothing of merged classes."""

    @property
    def monotone(self) -> Monotone:
        return Monotone.NONE

    def passes(self, stats):  # type: ignore[no-untyped-def]
        return stats.sizes < 0


def test_a_model_that_may_hold_below_names_the_algorithm_that_tries() -> None:
    with pytest.raises(CannotBeMet) as caught:
        require_start(coded_of(None), [Fickle("ill", beta=1)], "k-member")
    assert "'k-member' starts there; use 'optimal'" in caught.value.hint
