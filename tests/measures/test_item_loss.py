"""Item loss: the removal cost as a share of that of all items."""

from __future__ import annotations

from dataclasses import replace

from shoal.measures import ItemLoss
from tests.measures.outcomes import HAND


def test_the_cost_is_a_share_of_that_of_all_items() -> None:
    one = ItemLoss().of(replace(HAND, removal={"ill": (1.5, 6.0)}))
    assert one == {"item_loss": 0.25, "item_loss_by_column": {"ill": 0.25}}
    empty = ItemLoss().of(replace(HAND, removal={"ill": (0.0, 0.0)}))
    assert empty == {"item_loss": 0.0, "item_loss_by_column": {"ill": 0.0}}


def test_columns_are_weighed_by_their_items() -> None:
    both = ItemLoss().of(replace(HAND, removal={"ill": (1.5, 6.0), "drugs": (0.5, 2.0 / 3), "none": (0.0, 0.0)}))
    assert both["item_loss"] == 2 / (6 + 2 / 3)
    assert both["item_loss_by_column"] == {"ill": 0.25, "drugs": 0.75, "none": 0.0}


def test_it_is_not_published() -> None:
    assert ItemLoss().of(replace(HAND, removal=None)) == {}
