"""Item loss: the removal cost as a share of that of all items."""

from __future__ import annotations

from dataclasses import replace

from shoal.measures import ItemLoss
from tests.measures.outcomes import HAND


def test_the_cost_is_a_share_of_that_of_all_items() -> None:
    assert ItemLoss().of(replace(HAND, removal=(1.5, 6.0))) == {"item_loss": 0.25}
    assert ItemLoss().of(replace(HAND, removal=(0.0, 0.0))) == {"item_loss": 0.0}


def test_it_is_not_published() -> None:
    assert ItemLoss().of(replace(HAND, removal=None)) == {}
