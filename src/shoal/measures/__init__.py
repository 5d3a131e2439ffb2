"""Measures of utility. To add one, write one file here and list its class in `ALL`."""

from shoal.measures.base import Measure, Outcome
from shoal.measures.class_size import ClassSize
from shoal.measures.discernibility import Discernibility
from shoal.measures.item_loss import ItemLoss
from shoal.measures.ncp import Ncp
from shoal.measures.precision import Precision

ALL: tuple[type[Measure], ...] = (Ncp, Discernibility, Precision, ClassSize, ItemLoss)


def measure(outcome: Outcome) -> dict[str, object]:
    """Every figure of every measure, by name."""
    return {name: figure for cls in ALL for name, figure in cls().of(outcome).items()}


__all__ = ["ALL", "ClassSize", "Discernibility", "ItemLoss", "Measure", "Ncp", "Outcome", "Precision", "measure"]
