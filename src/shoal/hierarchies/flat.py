"""Value → `*`: the default hierarchy of a text column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.hierarchies.base import Hierarchy, Level, text_of
from shoal.hierarchies.placing import Placed, by_meaning
from shoal.labels import ANY


@dataclass(frozen=True)
class Flat:
    """Releases a value unchanged or as `*`.

    >>> Flat().build(pl.Series(["f", "m"])).path(0)
    ('f', '*')
    """

    kind: ClassVar[str] = "flat"

    def build(self, values: pl.Series, counts: pl.Series | None = None) -> Hierarchy:
        return Hierarchy.topped([Level.leaves(text_of(values))])

    def placed(self, labels: Sequence[str], among: Sequence[str] | None = None) -> Placed:
        return by_meaning(labels, among or labels, bands=False)

    def paths(self, labels: Sequence[str]) -> list[tuple[str, ...]]:
        return [(label, ANY) for label in labels]
