"""A draft: a release that is not verified yet, with the content of its manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.coded.counted import Coded
from shoal.coded.partition import Partition
from shoal.coded.recoding import Shown
from shoal.coded.record import SearchRecord
from shoal.engines.base import Witness
from shoal.manifest import Manifest, MissingEffect
from shoal.measures import Outcome, measure
from shoal.plan import Plan
from shoal.verification.anatomy import verify_tables
from shoal.verification.verdicts import Verification
from shoal.version import VERSION


class AtLevel(NamedTuple):
    """The part of a column that is published at one level of its hierarchy: the number of rows and their labels."""

    level: int
    rows: int
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Private:
    """The steward's private data, written to the private folder and never published.

    `input_counts`: sensitive column → `value`, `count` in the input. `rule`: column → `value`, `label` of a global
    recoding.
    """

    input_counts: Mapping[str, pl.DataFrame]
    witness: Witness
    suppressed_by_reason: Mapping[str, int] = field(default_factory=dict)
    rule: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    input_sha256: str | None = None
    plan_text: str | None = None


@dataclass(frozen=True)
class Described:
    """Facts about a release besides its tables: the size int64 [classes] and the labels of each class.

    `by_level`: column → rows and labels at each level, in ascending order, if classes have levels. `step_values`:
    column → its released values in order, if the search recorded steps.
    """

    rows: Int64
    shown: Mapping[str, Shown]
    by_level: Mapping[str, tuple[AtLevel, ...]] = field(default_factory=dict)
    step_values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def levels(self) -> dict[str, int]:
        """Column → level, for columns with the same level in all rows."""
        return {name: levels[0].level for name, levels in self.by_level.items() if len(levels) == 1}


def described(coded: Coded, partition: Partition, shown: Mapping[str, Shown]) -> Described:
    """The facts about a release of these classes."""
    has_steps = partition.record.steps is not None
    values = partition.recoding.values(coded) if has_steps else {}
    return Described(partition.rows, shown, _by_level(partition, shown), values)


def _by_level(partition: Partition, shown: Mapping[str, Shown]) -> dict[str, tuple[AtLevel, ...]]:
    """Column → rows and labels at each level; empty if classes have no levels."""
    levels, rows = partition.recoding.class_levels(), partition.rows
    if levels is None or not partition.classes:
        return {}
    by_level = {}
    for a, (name, column) in enumerate(shown.items()):
        classes_at = {level: np.flatnonzero(levels[:, a] == level) for level in np.unique(levels[:, a]).tolist()}
        by_level[name] = tuple(
            AtLevel(level, int(rows[classes].sum()), _labels_of(column, classes))
            for level, classes in classes_at.items()
        )
    return by_level


def _labels_of(column: Shown, classes: Int64) -> tuple[str, ...]:
    """The labels of the given classes, sorted."""
    return tuple(sorted({column.labels[code] for code in np.unique(column.codes[classes]).tolist()}))


@dataclass(frozen=True)
class Draft:
    """A release that is not verified yet."""

    tables: Mapping[str, pl.DataFrame]
    plan: Plan
    rows_in: int
    described: Described
    record: SearchRecord
    warnings: tuple[str, ...]
    missing: MissingEffect | None
    private: Private

    def verified(self, tables: Mapping[str, pl.DataFrame]) -> Verification:
        """The verification of the tables, as built or as written, with the private data."""
        witness = self.private.witness
        return verify_tables(
            tables,
            self.plan,
            persons=witness.persons,
            input_counts=self.private.input_counts,
            linked=witness.linked,
        )

    def manifest(self, verification: Verification, timings: Mapping[str, float]) -> Manifest:
        """The manifest of the verified release."""
        several = {name: levels for name, levels in self.described.by_level.items() if len(levels) > 1}
        return Manifest(
            shoal_version=VERSION,
            rows_in=self.rows_in,
            rows_released=verification.rows,
            rows_suppressed=self.rows_in - verification.rows,
            classes=verification.classes,
            form=self.plan.release.form,
            algorithm=self.plan.algorithm.kind,
            models=verification.verdicts,
            measures=self._measures(verification),
            timings={step: round(seconds, 4) for step, seconds in timings.items()},
            warnings=self.warnings,
            notes=verification.notes,
            search=self.record,
            missing=self.missing,
            levels=self.described.levels,
            rows_by_level={name: {str(each.level): each.rows for each in levels} for name, levels in several.items()},
            step_values=self.described.step_values,
        )

    def _measures(self, verification: Verification) -> dict[str, object]:
        shown = list(self.described.shown.values())
        return measure(
            Outcome(
                columns=tuple(self.described.shown),
                rows_in=self.rows_in,
                class_rows=verification.sizes.to_numpy().astype(np.int64),
                rows=self.described.rows,
                loss=np.stack([column.loss for column in shown], axis=1),
                level=np.stack([column.level for column in shown], axis=1),
            )
        )
