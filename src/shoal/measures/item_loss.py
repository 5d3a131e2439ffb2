"""Item loss: the share of the items of set-valued columns that were removed, or lost by generalizing them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shoal.measures.base import Outcome


class ItemLoss:
    """The removal cost of set-valued columns, as a share of the cost of removing every item.

    Removing an item from a row that has j items left costs 1/j. The items that are left share equally what it would
    cost to remove them; one that is generalized loses of its part the share of all other leaves of the hierarchy that
    its label has under it, as in `ncp`. A suppressed row loses all its items; rows that were left out for missing
    values do not count. The cost depends on the input, so it is for the steward only.
    Paper: Shi, Xiong, Fung, Anonymizing data with quasi-sensitive attribute values, CIKM 2010.
    """

    name: ClassVar[str] = "item_loss"
    goal: ClassVar[str] = "lower"
    about: ClassVar[str] = "share of the removal cost of all items, 0 to 1; for the steward, if a column is set-valued"

    def of(self, outcome: Outcome) -> dict[str, object]:
        return {} if outcome.removal is None else lost(outcome.removal)


def lost(removal: Mapping[str, tuple[float, float]]) -> dict[str, object]:
    """The figures for column → its removal cost and the cost of removing all its items."""
    whole = (sum(cost for cost, _ in removal.values()), sum(whole for _, whole in removal.values()))
    return {"item_loss": _share(*whole), "item_loss_by_column": {name: _share(*each) for name, each in removal.items()}}


def _share(cost: float, whole: float) -> float:
    return cost / whole if whole else 0.0
