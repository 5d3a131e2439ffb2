"""What a form is: it turns a partition into the tables that are published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.coded.encode import Encoded
from shoal.coded.partition import Int64, Partition
from shoal.models.base import ClassModel


class AtLevel(NamedTuple):
    """What is published of a column at one level of its hierarchy: how many rows, and their labels."""

    level: int
    rows: int
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Released:
    """The published tables by file name (without ending), and what measures need to know of them.

    `row` int64 [rows]: the input row behind each row of the main table; never published.
    `columns`: the quasi-identifiers, in the order of `loss` and `level`. `rows` int64 [classes]: rows of each class.
    `loss` float64 [classes, quasi-identifiers]: share of a cell's information that each class gives up, 0 to 1.
    `level` alike: share of the hierarchy's height climbed, NaN where a column is not published by hierarchy.
    `levels`: column → level, where every row has the same. `by_level`: column → what is published at each level, in
    ascending order, where rows were recoded by level.
    `values`: column → its released values in the order of its codes, where every row is recoded alike.
    `linked`: class and sensitive values of each row of the main table, where the tables do not link them; never
    published.
    """

    tables: Mapping[str, pl.DataFrame]
    row: Int64
    columns: tuple[str, ...]
    rows: Int64
    loss: NDArray[np.float64]
    level: NDArray[np.float64]
    levels: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    linked: pl.DataFrame | None = None
    by_level: Mapping[str, tuple[AtLevel, ...]] = field(default_factory=dict)

    @property
    def main(self) -> pl.DataFrame:
        """The table that has a row for every released one."""
        return next(iter(self.tables.values()))


class Form(Protocol):
    """A way to publish a partition."""

    kind: ClassVar[str]

    def refuses(self, models: Sequence[ClassModel], columns: Sequence[str]) -> str:
        """Why these models on a table with these columns cannot be released so; empty when they can."""
        ...

    def release(
        self, frame: pl.DataFrame, encoded: Encoded, partition: Partition, ranges: str, sensitive: Sequence[str]
    ) -> Released:
        """The tables to publish. `frame` holds what is published unchanged and the sensitive columns, in table order.

        Quasi-identifiers in `frame` are replaced; rows are sorted by every released column.
        """
        ...
