"""A model of sets and an algorithm that removes items, for tests of set-valued columns in every part of the program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Mondrian
from shoal.arrays import Flags
from shoal.coded.counted import Coded
from shoal.coded.domains import ItemDomain
from shoal.coded.partition import Edit, Partition
from shoal.coded.stats import ClassStats
from shoal.models import KAnonymity
from shoal.models.about import About
from shoal.models.base import ClassModel, Monotone
from shoal.models.evidence import CLASS, Evidence, Finding
from shoal.progress import Progress, silent
from shoal.roles import spec


@dataclass(frozen=True)
class FewItems(ClassModel):
    """No released row has more than `most` items. Only removing items can help, so the search need not look at them."""

    column: str
    most: int

    kind: ClassVar[str] = "few-items"
    about: ClassVar[About] = KAnonymity.about

    @property
    def monotone(self) -> Monotone:
        return Monotone.UPWARD

    @property
    def floor(self) -> int:
        return 1

    @property
    def reads(self) -> tuple[str, ...]:
        return ()

    @property
    def reads_items(self) -> tuple[str, ...]:
        return (self.column,)

    def passes(self, stats: ClassStats) -> Flags:
        assert stats.items(self.column).values.max(initial=-1) < stats.item_domain(self.column).size
        return np.ones(len(stats), np.bool_)

    def holds(self, evidence: Evidence) -> Finding:
        separator = evidence.facts[self.column].settings.separator
        sets = evidence.rows[self.column]
        assert not sets.null_count()
        items = pl.Series([len(text.split(separator)) if text else 0 for text in sets.to_list()], dtype=pl.Int64)
        failing = evidence.rows.filter(items > self.most)[CLASS].n_unique()
        return Finding(holds=failing == 0, achieved={"most": int(items.max() or 0)}, failing=failing)  # type: ignore[call-overload]


@dataclass(frozen=True)
class Trimming(Mondrian):
    """Mondrian, and then every row keeps its first `most` items; of `halved` rows, half keep their last ones instead.

    The halves are entries of the same row and class with different sets.
    """

    most: int = 1
    halved: bool = False

    def partition(
        self,
        coded: Coded,
        models: Sequence[ClassModel],
        suppression: float,
        seed: int = 0,
        progress: Progress = silent,
    ) -> Partition:
        found = super().partition(coded, models, suppression, seed, progress)
        for name, domain in coded.items.items():
            found = trimmed(found, coded, domain, self.most, name=name, halved=self.halved)
        return found


def trimmed(
    partition: Partition, coded: Coded, domain: ItemDomain, most: int, *, name: str, halved: bool = False
) -> Partition:
    """The partition with an edit of a column after which no set has more than `most` items."""
    row, class_of, weight, kept = [], [], [], []
    for r, c, w in zip(partition.row.tolist(), partition.class_of.tolist(), partition.weight.tolist(), strict=True):
        items = domain.of_set(int(coded.counted.items[name][r]))
        parts = [(w - w // 2, items[:most]), (w // 2, items[-most:])] if halved else [(w, items[:most])]
        for rows, some in parts:
            if rows:
                row.append(r), class_of.append(c), weight.append(rows), kept.append(some)  # type: ignore[func-returns-value]
    offsets = np.searchsorted(np.array(class_of), np.arange(partition.classes + 1))
    sets = sorted(set(kept))
    new = domain_of(domain, sets)
    codes = np.array([sets.index(some) for some in kept], np.int32)
    return replace(
        partition,
        row=np.array(row, np.int64),
        offsets=offsets.astype(np.int64),
        weight=np.array(weight, np.int64),
        edits={**partition.edits, name: Edit(new, codes)},
    )


def domain_of(domain: ItemDomain, sets: Sequence[Sequence[str]]) -> ItemDomain:
    """The domain with other sets of its items."""
    place = {item: code for code, item in enumerate(domain.items)}
    members = np.array([place[item] for some in sets for item in some], np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(some) for some in sets])]).astype(np.int64)
    return replace(domain, offsets=offsets, members=members)


def make_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets plan files name the model, as they can name those of Shoal."""
    given = spec.from_table

    def from_table(family: Sequence[type], what: str, table: object) -> Any:
        return given((*family, FewItems) if what == "model" else family, what, table)

    monkeypatch.setattr(spec, "from_table", from_table)


PATIENTS = pl.DataFrame(
    {
        "age": [31, 32, 33, 34, 51, 52, 53, 54],
        "symptoms": ["fever|cough", "cough | fever", "", "rash", "fever|cough|rash", None, "rash|rash", "NA|cough"],
        "note": list("hgfedcba"),
    }
)
CANONICAL = ["cough|fever", "cough|fever", "", "rash", "cough|fever|rash", "", "rash", "cough"]
"""The sets of these patients."""


def plan(most: int = 9, algorithm: Any = None, **parts: Any) -> shoal.Plan:
    """A plan for these patients."""
    columns = {
        "age": shoal.quasi(type="integer"),
        "symptoms": shoal.quasi_sensitive(),
        "note": shoal.insensitive(),
    }
    models = [KAnonymity(k=2), FewItems("symptoms", most)]
    return shoal.Plan(**{"columns": columns, "models": models, "algorithm": algorithm or Mondrian(), **parts})


def listed(frame: pl.DataFrame, column: str = "symptoms") -> pl.DataFrame:
    """The frame with lists in place of the texts of a column, as they are written."""
    return frame.with_columns(pl.col(column).str.split("|"))


@dataclass(frozen=True)
class DifferentSets(FewItems):
    """Every class has at least `most` different sets: a promise that a search must look at."""

    kind: ClassVar[str] = "different-sets"

    @property
    def floor(self) -> int:
        return self.most

    def passes(self, stats: ClassStats) -> Flags:
        passing: Flags = np.diff(stats.items(self.column).offsets) >= self.most
        return passing

    def holds(self, evidence: Evidence) -> Finding:
        sets = evidence.rows.group_by(CLASS).agg(pl.col(self.column).n_unique())[self.column]
        failing = int((sets < self.most).sum())
        return Finding(holds=failing == 0, achieved={"most": int(sets.min() or 0)}, failing=failing)  # type: ignore[call-overload]
