"""The anatomy form: quasi-identifiers unchanged in one table, every sensitive column counted by class in its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.coded.encode import TREE, Encoded
from shoal.coded.partition import Int64, Partition
from shoal.errors import PlanError
from shoal.forms.base import Released
from shoal.forms.generalized import sorted_rows, unchanged
from shoal.models.base import ClassModel
from shoal.table import file_name

CLASS_ID, VALUE, COUNT = "class_id", "value", "count"
QUASI_IDENTIFIERS = "quasi_identifiers"


def sensitive_table(column: str) -> str:
    """The name of the table that counts a sensitive column.

    >>> sensitive_table("diagnosis")
    'sensitive_diagnosis'
    """
    return f"sensitive_{file_name(column)}"


class Anatomy:
    """A row's class is told, and how often each sensitive value occurs in the class, but not which row has which.

    It bounds what can be learned of a person's sensitive values. It hides neither who is in the table nor which row
    is whose: quasi-identifiers stand as they are. Classes are numbered by the first of their rows in sorted order.
    Paper: Xiao, Tao, Anatomy: simple and effective privacy preservation, VLDB 2006.
    """

    kind: ClassVar[str] = "anatomy"

    def refuses(self, models: Sequence[ClassModel], columns: Sequence[str]) -> str:
        for model in models:
            if not model.reads:  # it speaks of identity alone
                return (
                    f"Model '{model.kind}' cannot be released as 'anatomy': it hides who is who, and an anatomy leaves "
                    'quasi-identifiers as they are. Hint: set form = "generalized", or ask for the class size with the '
                    "k of a diversity model, such as 'multi-sensitive'."
                )
            if model.judges != "classes":
                return f"Model '{model.kind}' judges generalized values, and an anatomy has none."
        if CLASS_ID in columns:
            return f"An anatomy adds a column '{CLASS_ID}', and the table has one. Hint: rename it."
        return ""

    def release(
        self, frame: pl.DataFrame, encoded: Encoded, partition: Partition, ranges: str, sensitive: Sequence[str]
    ) -> Released:
        problem = self.refuses((), frame.columns)
        if problem:
            raise PlanError(problem)
        class_of = partition.class_of[encoded.row_of]
        kept = np.flatnonzero(class_of >= 0)
        shown = [
            unchanged(_exact(encoded, name, kept) if name in encoded.names else frame[name].gather(kept))
            for name in frame.columns
            if name not in sensitive
        ]
        order = sorted_rows([key for _, key in shown])
        numbers = _by_appearance(class_of[kept][order], partition.classes)
        class_ids = numbers[class_of[kept]]
        order = sorted_rows([*(key for _, key in shown), class_ids.astype(np.int32)])
        main = pl.DataFrame([column for column, _ in shown] + [pl.Series(CLASS_ID, class_ids)])[order]
        linked = frame.select(sensitive)[kept[order]].with_columns(main[CLASS_ID])
        tables = {QUASI_IDENTIFIERS: main} | {sensitive_table(name): counted(linked, name) for name in sensitive}
        sizes = np.bincount(class_of[kept], minlength=partition.classes).astype(np.int64)
        climbed = np.array([0.0 if column.published == TREE else np.nan for column in encoded.quasi])
        return Released(
            tables,
            kept[order],
            encoded.names,
            sizes,
            loss=np.zeros((partition.classes, len(encoded.quasi))),
            level=np.tile(climbed, (partition.classes, 1)),
            linked=linked,
        )


def _exact(encoded: Encoded, name: str, kept: Int64) -> pl.Series:
    """A quasi-identifier as it is, but for top- and bottom-coding, which comes before anything else."""
    a = encoded.names.index(name)
    texts = pl.Series(name, encoded.quasi[a].texts, dtype=pl.String)
    return texts.gather(encoded.columns[a, encoded.row_of[kept]])


def counted(linked: pl.DataFrame, column: str) -> pl.DataFrame:
    """class_id, value, count: how often each value of a column occurs in each class."""
    groups = linked.group_by(CLASS_ID, pl.col(column).alias(VALUE)).agg(pl.len().cast(pl.Int64).alias(COUNT))
    return groups.sort(CLASS_ID, VALUE, nulls_last=False)


def _by_appearance(class_of: Int64, classes: int) -> Int64:
    """int64 [classes]: a number from 1 for every class, in the order in which they first appear."""
    found, firsts = np.unique(class_of, return_index=True)
    numbers = np.zeros(classes, np.int64)
    numbers[found[np.argsort(firsts)]] = np.arange(1, len(found) + 1)
    return numbers
