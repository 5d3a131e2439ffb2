"""One made-up table in the three forms it is judged in: coded for the search, released for verification, plain rows.

The three are built separately from the same rows, so that a mistake in one shows as a disagreement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from shoal.coded import Coded, coded_values, stats_of
from shoal.coded.coding import coded_sets
from shoal.coded.stats import MemberStats
from shoal.hierarchies.base import Hierarchy
from shoal.models.evidence import CLASS, COUNT, PERSON, Evidence, SensitiveFacts
from shoal.roles.columns import Column, quasi_sensitive
from shoal.roles.knowledge import Knowledge
from tests.oracle import Row, Setting


@dataclass(frozen=True)
class Sensitive:
    """A sensitive column: its values in order, each with its path to the top, its type and protected nodes."""

    paths: Mapping[str, tuple[str, ...]]
    type: Literal["real"] | None = None
    protected: tuple[str, ...] = ()


DISEASE = Sensitive(
    {
        "flu": ("flu", "lung", "inner", "*"),
        "asthma": ("asthma", "lung", "inner", "*"),
        "ulcer": ("ulcer", "stomach", "inner", "*"),
        "rash": ("rash", "skin", "outer", "*"),
        "HIV": ("HIV", "virus", "outer", "*"),
    },
    protected=("lung", "outer", "virus"),  # the last is protected twice
)
# As text "10" sorts before "9", and "-1" before "-2": only a numeric order is right.
MONTHS = Sensitive(
    {
        "-2": ("-2", "below ten", "*"),
        "-1": ("-1", "below ten", "*"),
        "9": ("9", "below ten", "*"),
        "10": ("10", "ten and more", "*"),
        "10.5": ("10.5", "ten and more", "*"),
    },
    type="real",
    protected=("ten and more",),
)
COLUMNS = {"disease": DISEASE, "months": MONTHS}
ITEMS = "symptoms"
"""A set-valued column. Rows that do not have it have no items."""
KNOWLEDGE = {
    "cold": ("ache", "cough"),
    "flu": ("ache", "cough", "fever"),
    "measles": ("fever", "rash"),
    "gout": ("ache",),
    "mumps": ("fever", "ache"),
    "unexplained": (),
}
SETS = (None, "ache", "cough", "fever", "ache|cough", "ache|fever", "ache|cough|fever", "fever|rash", "rash", "zest")
"""Sets of items; of the last, no label is known, and two items have one label each."""

ITEM_PATHS = {
    "ache": ("ache", "inner", "*"),
    "cough": ("cough", "lung", "*"),
    "fever": ("fever", "inner", "*"),
    "hives": ("hives", "outer", "*"),
    "rash": ("rash", "outer", "*"),
    "sneeze": ("sneeze", "lung", "*"),
    "zest": ("zest", "zest", "*"),
}
"""A hierarchy of these items, with some that no row has."""


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
            protected={name: column.protected for name, column in COLUMNS.items()},
            knowledge={ITEMS: KNOWLEDGE},
        )

    def regrouped(self, class_of: Sequence[int]) -> Made:
        return replace(self, class_of=tuple(class_of))


def encode(made: Made) -> tuple[Coded, list[int]]:
    """The rows as the search sees them, equal ones of a class as one with a weight; and the class of each."""
    keys = [
        (c, row["disease"], row["months"], row["who"] if made.by_person else None, row.get(ITEMS))
        for row, c in _numbered(made)
    ]
    weight = Counter(keys) if not made.by_person else None
    distinct = list(weight) if weight is not None else keys
    people = {who: i for i, who in enumerate(sorted({row["who"] or "" for row in made.rows}))}
    coded = coded_values(
        {"disease": [key[1] or "" for key in distinct], "months": [key[2] or "" for key in distinct]},
        weight=[weight[key] if weight is not None else 1 for key in distinct],
        person=[people[key[3] or ""] for key in distinct] if made.by_person else None,
        settings={name: _settings(made, name) for name in COLUMNS},
        order={name: _labels(made, name) for name in COLUMNS},
    )
    sensitive = {name: replace(coded.sensitive[name], hierarchy=_hierarchy(made, name)) for name in COLUMNS}
    coded = coded_sets({ITEMS: [key[4] or "" for key in distinct]}, Knowledge.of(KNOWLEDGE), coded)
    return replace(coded, sensitive=sensitive), [key[0] for key in distinct]


def stats(made: Made) -> MemberStats:
    """The statistics of the released classes, in the order of their numbers."""
    coded, class_of = encode(made)
    numbers = sorted({number for number in class_of if number >= 0})
    return stats_of(coded, [[i for i, c in enumerate(class_of) if c == number] for number in numbers])


def evidence(made: Made, *, with_input: bool = True, with_trees: bool = True) -> Evidence:
    """What verification sees: the released rows alone, counted, and the input's counts where asked for.

    Without trees values are in the order of their type.
    """
    released = Counter(
        (c, *(row[name] for name in COLUMNS), row.get(ITEMS) or "", *([row["who"]] if made.by_person else []))
        for row, c in _numbered(made)
        if c >= 0
    )
    columns = {CLASS: pl.Int64} | dict.fromkeys((*COLUMNS, ITEMS), pl.String)
    columns |= {PERSON: pl.String} if made.by_person else {}
    rows = pl.DataFrame(list(released), schema=columns, orient="row")
    facts = {
        name: SensitiveFacts(_settings(made, name), column.paths if with_trees else {})
        for name, column in COLUMNS.items()
    }
    facts[ITEMS] = SensitiveFacts(quasi_sensitive(), knowledge=Knowledge.of(KNOWLEDGE))
    labels = rows.select(CLASS, pl.col(CLASS).cast(pl.String).alias("quasi-identifier")).unique()
    return Evidence(
        rows.with_columns(pl.Series(COUNT, list(released.values()), pl.Int64)),
        facts,
        {name: _input_counts(made, name) for name in (*COLUMNS, ITEMS)} if with_input else {},
        labels,
    )


def repeated(counted: Evidence) -> Evidence:
    """The same evidence with an entry of its own for every released row."""
    times = counted.rows[COUNT].to_list()
    rows = counted.rows[[row for row, n in enumerate(times) for _ in range(n)]]
    return replace(counted, rows=rows.with_columns(pl.lit(1, dtype=pl.Int64).alias(COUNT)))


def _numbered(made: Made) -> list[tuple[Row, int]]:
    return list(zip(made.rows, made.class_of, strict=True))


def _settings(made: Made, name: str) -> Column:
    column = COLUMNS[name]
    counts = name in made.missing_counts
    return Column(role="sensitive", type=column.type, protected=column.protected, missing_counts=counts)


def _labels(made: Made, name: str) -> list[str]:
    return [*([""] if _has_missing(made, name) else []), *COLUMNS[name].paths]


def _hierarchy(made: Made, name: str) -> Hierarchy:
    tree = Hierarchy.from_paths(COLUMNS[name].paths.values())
    return tree.with_missing() if _has_missing(made, name) else tree


def _has_missing(made: Made, name: str) -> bool:
    return any(row[name] is None for row in made.rows)


def _input_counts(made: Made, name: str) -> pl.DataFrame:
    if made.by_person:
        counts = Counter(value for value, _ in {(row.get(name), row["who"]) for row in made.rows})
    else:
        counts = Counter(row.get(name) for row in made.rows)
    return pl.DataFrame(
        {"value": list(counts), "count": list(counts.values())}, schema={"value": pl.String, "count": pl.Int64}
    )
