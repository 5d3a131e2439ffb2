"""The sets by which models tell rows apart."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.arrays import Int32
from shoal.coded.counted import Counted
from shoal.models.base import ClassModel


def sets_read(counted: Counted, models: Sequence[ClassModel]) -> list[Int32]:
    """The sets of every column whose items some model reads: int32 [d] each, in the order of the columns' names.

    Rows with different sets are not alike to such a model, even if they agree in all sensitive columns.
    """
    names = sorted({name for model in models for name in model.reads_items})
    return [counted.items[name] for name in names]
