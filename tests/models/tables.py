"""One made-up table in the three forms it is judged in: encoded for the search, released for verification, plain rows.

The three are built separately from the same rows, so that a mistake in one shows as a disagreement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal.coded.partition import ClassStats, Rows, SensitiveCodes, stats_of
from shoal.hierarchies.base import Hierarchy
from shoal.models.base import CLASS, PERSON, Evidence, SensitiveFacts
from tests.oracle import Row, Setting


@dataclass(frozen=True)
class Column:
    """A sensitive column: its values in order, each with its path to the top, and how verification sorts them."""

    paths: Mapping[str, tuple[str, ...]]
    order: str


DISEASE = Column(
    {
        "flu": ("flu", "lung", "inner", "*"),
        "asthma": ("asthma", "lung", "inner", "*"),
        "ulcer": ("ulcer", "stomach", "inner", "*"),
        "rash": ("rash", "skin", "outer", "*"),
        "HIV": ("HIV", "virus", "outer", "*"),
    },
    order="tree",
)
# As text "10" sorts before "9", and "-1" before "-2": only a numeric order is right.
MONTHS = Column(
    {
        "-2": ("-2", "below ten", "*"),
        "-1": ("-1", "below ten", "*"),
        "9": ("9", "below ten", "*"),
        "10": ("10", "ten and more", "*"),
        "10.5": ("10.5", "ten and more", "*"),
    },
    order="number",
)
COLUMNS = {"disease": DISEASE, "months": MONTHS}


@dataclass(frozen=True)
class Made:
    """Rows with a class each (-1: suppressed), and what the plan says of them. Persons are in column `who`."""

    rows: tuple[Row, ...]
    class_of: tuple[int, ...]
    by_person: bool = False
    missing_counts: frozenset[str] = frozenset()

    def classes(self) -> list[list[Row]]:
        """The released classes as plain rows, in the order of their numbers."""
        numbers = sorted({number for number in self.class_of if number >= 0})
        return [[row for row, c in zip(self.rows, self.class_of, strict=True) if c == number] for number in numbers]

    def setting(self) -> Setting:
        return Setting(
            person="who" if self.by_person else None,
            missing_counts=self.missing_counts,
            order={name: list(column.paths) for name, column in COLUMNS.items()},
            paths={name: column.paths for name, column in COLUMNS.items()},
        )

    def regrouped(self, class_of: Sequence[int]) -> Made:
        return replace(self, class_of=tuple(class_of))


def encode(made: Made) -> tuple[Rows, list[int]]:
    """The rows as the search sees them, equal ones of a class as one with a weight; and the class of each."""
    keys = [(c, row["disease"], row["months"], row["who"] if made.by_person else None) for row, c in _numbered(made)]
    weight = Counter(keys) if not made.by_person else None
    distinct = list(weight) if weight is not None else keys
    people = {who: i for i, who in enumerate(sorted({row["who"] or "" for row in made.rows}))}
    rows = Rows(
        weight=np.array([weight[key] if weight is not None else 1 for key in distinct], np.int64),
        sensitive={
            "disease": _codes(made, "disease", [key[1] for key in distinct]),
            "months": _codes(made, "months", [key[2] for key in distinct]),
        },
        person=np.array([people[key[3] or ""] for key in distinct], np.int32) if made.by_person else None,
    )
    return rows, [key[0] for key in distinct]


def stats(made: Made) -> ClassStats:
    """The statistics of the released classes, in the order of their numbers."""
    rows, class_of = encode(made)
    numbers = sorted({number for number in class_of if number >= 0})
    return stats_of(rows, [[i for i, c in enumerate(class_of) if c == number] for number in numbers])


def evidence(made: Made, *, with_input: bool = True) -> Evidence:
    """What verification sees: the released rows alone, and the input's counts where asked for."""
    released = [(row, c) for row, c in _numbered(made) if c >= 0]
    frame = pl.DataFrame(
        {CLASS: [c for _, c in released], **{name: [row[name] for row, _ in released] for name in COLUMNS}},
        schema={CLASS: pl.Int64} | dict.fromkeys(COLUMNS, pl.String),
    )
    if made.by_person:
        frame = frame.with_columns(pl.Series(PERSON, [row["who"] for row, _ in released], pl.String))
    facts = {
        name: SensitiveFacts(missing_counts=name in made.missing_counts, order=column.order, paths=column.paths)
        for name, column in COLUMNS.items()
    }
    labels = frame.select(pl.col(CLASS).cast(pl.String).alias("quasi-identifier"))
    return Evidence(frame, facts, {name: _input_counts(made, name) for name in COLUMNS} if with_input else {}, labels)


def _numbered(made: Made) -> list[tuple[Row, int]]:
    return list(zip(made.rows, made.class_of, strict=True))


def _codes(made: Made, name: str, values: list[str | None]) -> SensitiveCodes:
    column = COLUMNS[name]
    has_missing = any(row[name] is None for row in made.rows)
    tree = Hierarchy.from_paths(column.paths.values())
    labels = ("", *column.paths) if has_missing else tuple(column.paths)
    code = {label: i for i, label in enumerate(labels)}
    return SensitiveCodes(
        name,
        np.array([code[value or ""] for value in values], np.int32),
        labels,
        missing=0 if has_missing and name not in made.missing_counts else -1,
        hierarchy=tree.with_missing() if has_missing else tree,
    )


def _input_counts(made: Made, name: str) -> pl.DataFrame:
    if made.by_person:
        counts = Counter(value for value, _ in {(row[name], row["who"]) for row in made.rows})
    else:
        counts = Counter(row[name] for row in made.rows)
    return pl.DataFrame(
        {"value": list(counts), "count": list(counts.values())}, schema={"value": pl.String, "count": pl.Int64}
    )
