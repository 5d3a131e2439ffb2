"""Random small tables of everything a plan can hold, each with what an honest reader needs to judge its release.

A quasi-identifier here knows its own domain, its setting in the plan and, written out anew and without any of the
library, what its labels mean: whether a label covers a value, how much it loses and how high in a tree it stands.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from shoal import labels
from shoal.hierarchies import Dates, File, Intervals, Prefix
from shoal.roles.columns import Column
from tests.models.tables import COLUMNS, ITEM_PATHS, ITEMS, KNOWLEDGE, SETS

Value = str | None
Row = dict[str, Value]

JOBS = {
    "nurse": ("nurse", "care", "indoors", "*"),
    "doctor": ("doctor", "care", "indoors", "*"),
    "clerk": ("clerk", "office", "indoors", "*"),
    "farmer": ("farmer", "land", "outdoors", "*"),
    "ranger": ("ranger", "land", "outdoors", "*"),
    "nobody has this": ("nobody has this", "land", "outdoors", "*"),
}
AGES = {str(age): (str(age), f"{age // 10}x", "*") for age in range(15, 60)} | {"unknown": ("unknown", "none", "*")}
AWKWARD = ["f", "m", "*", "[1, 2]", "{a, b}", "\\x", "a, b", 'say "x"', "naïve", "two\nlines", "a;b", "[", "0"]


@dataclass(frozen=True)
class Quasi:
    """A quasi-identifier: values to draw from, its plan entry, and an honest reading of its labels.

    `paths` says value → labels up to the top for the values at hand, where the plan gives it a hierarchy; with
    `every_leaf` its leaves are all that `paths` lists, not only the values at hand. `coded`: top- and bottom-coding.
    """

    name: str
    domain: tuple[str, ...]
    settings: Callable[[Path], dict[str, Any]]
    kind: str = "text"
    paths: Callable[[Sequence[str]], Mapping[str, tuple[str, ...]]] | None = None
    every_leaf: bool = False
    coded: Callable[[str], str] = field(default=lambda value: value)

    def number(self, text: str) -> Fraction:
        if self.kind == "date":
            return Fraction(datetime.date.fromisoformat(text).toordinal())
        return Fraction(text)


def _intervals(values: Sequence[str]) -> dict[str, tuple[str, ...]]:
    def band(value: str, width: int) -> str:
        low = int(value) // width * width
        return f"[{low}, {low + width - 1}]"

    return {value: (value, band(value, 5), band(value, 20), "*") for value in values}


def _prefixes(values: Sequence[str]) -> dict[str, tuple[str, ...]]:
    longest = max(len(value) for value in values)
    steps = range(longest - 1, 0, -1)
    return {
        value: (value, *(value[:step] + "*" if len(value) >= step else value for step in steps), "*")
        for value in values
    }


def _calendar(values: Sequence[str]) -> dict[str, tuple[str, ...]]:
    return {value: (value, value[:7], value[:4], "*") for value in values}


def _given(tree: Mapping[str, tuple[str, ...]]) -> Callable[[Sequence[str]], Mapping[str, tuple[str, ...]]]:
    return lambda _values: tree


def write_trees(folder: Path) -> None:
    """The hierarchy files and the knowledge table that plans name."""
    trees = {"jobs": JOBS, "ages": AGES, ITEMS: ITEM_PATHS, **{n: c.paths for n, c in COLUMNS.items()}}
    for name, tree in trees.items():
        lines = [";".join(path) for path in tree.values()]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lines = [f"{label},{'|'.join(items)}" for label, items in KNOWLEDGE.items()]
    (folder / "knowledge.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


QUASI = (
    Quasi("age", tuple(str(n) for n in (20, 21, 22, 25, 30, 31, 45, 58)), lambda _: {}, "integer"),
    Quasi(
        "coded",
        ("5", "17", "18", "40", "41", "90", "95"),
        lambda _: {"top": 60, "bottom": 10},
        "integer",
        coded=lambda value: str(min(max(int(value), 10), 60)),
    ),
    Quasi("huge", tuple(str(2**60 + n) for n in (0, 1, 2, 7, 9)), lambda _: {"weight": 2.5}, "integer"),
    Quasi("score", ("0.1", "0.25", "0.3", "1.5", "2", "-3.75"), lambda _: {"type": "real"}, "real"),
    Quasi("born", ("1950-01-31", "1950-02-01", "1981-12-31", "2000-02-29"), lambda _: {}, "date"),
    Quasi(
        "banded",
        ("0", "3", "4", "5", "19", "20", "39"),
        lambda _: {"hierarchy": Intervals(widths=(5, 20))},
        "integer",
        _intervals,
    ),
    Quasi(
        "years",
        ("18", "19", "20", "33", "34", "59"),
        lambda folder: {"hierarchy": File(str(folder / "ages.csv"))},
        "integer",
        _given(AGES),
        every_leaf=True,
    ),
    Quasi(
        "seen",
        ("1999-12-31", "2000-01-01", "2000-01-02", "2000-05-05"),
        lambda _: {"hierarchy": Dates(levels=("month", "year"))},
        "date",
        _calendar,
    ),
    Quasi(
        "zip",
        ("02139", "02138", "02144", "10001", "1000"),
        lambda _: {"hierarchy": Prefix(), "type": "text"},
        paths=_prefixes,
    ),
    Quasi(
        "job",
        ("nurse", "doctor", "clerk", "farmer", "ranger"),
        lambda folder: {"hierarchy": File(str(folder / "jobs.csv"))},
        paths=_given(JOBS),
        every_leaf=True,
    ),
    Quasi(
        "sex",
        tuple(AWKWARD),
        lambda _: {"weight": 0.5, "type": "text"},
        paths=lambda values: {value: (value, "*") for value in values},
    ),
)


@dataclass(frozen=True)
class Made:
    """A random table and the plan columns it goes with."""

    rows: tuple[Row, ...]
    quasi: tuple[Quasi, ...]
    person: bool
    missing_counts: frozenset[str]

    def columns(self, folder: Path, sets: Column | None = None) -> dict[str, Column]:
        """Plan columns; hierarchy files lie in `folder`. `sets`: the settings of the set-valued column."""
        found = {q.name: Column(role="quasi-identifier", **q.settings(folder)) for q in self.quasi}
        for name in COLUMNS:
            found[name] = Column(
                role="sensitive",
                hierarchy=File(str(folder / f"{name}.csv")),
                type="real" if name == "months" else None,
                missing_counts=name in self.missing_counts,
                protected=COLUMNS[name].protected,
            )
        return found | {
            ITEMS: sets or Column(role="insensitive"),
            "who": Column(role="identifier"),
            "note": Column(role="insensitive"),
            "goal": Column(role="target"),
        }


@st.composite
def tables(draw: st.DrawFn, *, persons: bool | None = None) -> Made:
    """A few rows over two or three quasi-identifiers, with values missing now and then."""
    quasi = draw(st.lists(st.sampled_from(QUASI), min_size=1, max_size=3, unique_by=lambda q: q.name))
    gone = draw(st.sampled_from([[], [None]]))
    domains = {q.name: [*draw(_subset(q.domain)), *gone] for q in quasi}
    domains |= {name: [*draw(_subset(tuple(column.paths))), *gone] for name, column in COLUMNS.items()}
    goals = draw(st.sampled_from([["yes", "no"], [*map(str, range(12)), *gone]]))
    domains |= {ITEMS: draw(st.lists(st.sampled_from(SETS), min_size=1, max_size=5))}
    domains |= {"who": list("abcdefghijklmnop"), "note": ["007", " x ", "NA", None, "-0"], "goal": goals}
    cells = st.tuples(*(st.sampled_from(domain) for domain in domains.values()))
    row = cells.map(lambda values: dict(zip(domains, values, strict=True)))
    rows = draw(st.lists(row, min_size=3, max_size=28))
    counting = frozenset(draw(st.sets(st.sampled_from(sorted(COLUMNS)))))
    return Made(tuple(rows), tuple(quasi), draw(st.booleans()) if persons is None else persons, counting)


def _subset(domain: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(domain), min_size=2, max_size=5, unique=True)


class Reading:
    """What the labels of one quasi-identifier mean in one table, from the input values and the plan alone."""

    def __init__(self, quasi: Quasi, values: Sequence[Value], *, by_level: bool, categories: str) -> None:
        self.quasi = quasi
        self.values = [None if value is None else quasi.coded(value) for value in values]
        self.present = sorted({value for value in self.values if value is not None})
        self.has_missing = any(value is None for value in self.values)
        self.paths = dict(quasi.paths(self.present)) if quasi.paths and self.present else {}
        has_levels = bool(self.paths) or quasi.kind == "text"
        as_sets = categories == "sets" and quasi.kind == "text"
        self.as_tree = by_level or (has_levels and not as_sets)

    @property
    def leaves(self) -> set[str]:
        """Every leaf of the hierarchy, or every value of the data."""
        named = set(self.paths) if self.paths and self.quasi.every_leaf else set(self.present)
        return named | ({""} if self.has_missing else set())

    def covers(self, label: str, value: Value) -> bool:
        """Whether a released label is true of an input value."""
        if self.as_tree:
            return label == labels.exact(value or "") or label in self._labels_above(value)
        meaning = labels.read(label)
        if isinstance(meaning, labels.Anything):
            return True
        if isinstance(meaning, labels.OneOf):
            return (value or "") in meaning.values
        if isinstance(meaning, labels.Range):
            low, high = self.quasi.number(meaning.low), self.quasi.number(meaning.high)
            return value is not None and low <= self.quasi.number(value) <= high
        if value is None or self.quasi.kind == "text" or meaning.value == "":
            return meaning.value == (value or "")
        return self.quasi.number(meaning.value) == self.quasi.number(value)

    def loss(self, label: str, released: set[str]) -> Fraction:
        """The share that a label leaves open beyond one value, of what the specification lists or `released` names."""
        meaning = labels.read(label)
        if label == "*":
            return Fraction(1)
        if label == "" or label in {labels.exact(value or "") for value in self.values} - set(self._inner):
            return Fraction()
        if self.quasi.every_leaf:
            under = sum(self._is_under(leaf, label) for leaf in self.paths)
            under += isinstance(meaning, labels.OneOf) and "" in meaning.values  # a missing value is a leaf of its own
            return Fraction(min(max(under, 1), len(self.paths)) - 1, len(self.paths) - 1)
        if self.quasi.name == "zip" and not isinstance(meaning, labels.OneOf):
            length = max(len(each) for each in released - {"*"})
            return Fraction(length - len(label) + 1, length)
        if isinstance(meaning, labels.OneOf):
            return Fraction(len(meaning.values) - 1, max(len(self._named(released)) - 1, 1))
        if label.startswith("group "):
            return Fraction(1, int(label.split()[-1]))
        ends = [end for each in released if each not in ("", "*") for end in self._ends(each)]
        low, high = self._ends(label)
        return (high - low) / (max(ends) - min(ends)) if max(ends) > min(ends) else Fraction(high > low)

    @property
    def _inner(self) -> set[str]:
        return {label for path in self.paths.values() for label in path[1:]} - set(self.paths)

    def _is_under(self, leaf: str, label: str) -> bool:
        """Whether a leaf of a file belongs to a node, a set or a range."""
        meaning = labels.read(label)
        if label in self.paths[leaf]:
            return True
        if isinstance(meaning, labels.OneOf):
            return leaf in meaning.values
        return isinstance(meaning, labels.Range) and self._is_value(leaf) and self.covers(label, leaf)

    def _named(self, released: set[str]) -> set[str]:
        """Every value that the labels name."""
        every = [labels.read(label) for label in released]
        sets = {value for each in every if isinstance(each, labels.OneOf) for value in each.values}
        exact = {each.value for each in every if isinstance(each, labels.Exactly)}
        return sets | {value for value in exact if not value.startswith("group ")}

    def _ends(self, label: str) -> tuple[Fraction, Fraction]:
        """The first and the last number, or day, of a label."""
        if self.quasi.name == "seen" and len(label) in (4, 7):
            year, month = int(label[:4]), int(label[5:] or 1)
            after = (
                datetime.date(year + 1, 1, 1) if len(label) == 4 or month == 12 else datetime.date(year, month + 1, 1)
            )
            return Fraction(datetime.date(year, month, 1).toordinal()), Fraction(after.toordinal() - 1)
        meaning = labels.read(label)
        if isinstance(meaning, labels.Range):
            return self.quasi.number(meaning.low), self.quasi.number(meaning.high)
        assert isinstance(meaning, labels.Exactly)
        return self.quasi.number(meaning.value), self.quasi.number(meaning.value)

    def _is_value(self, leaf: str) -> bool:
        """A leaf such as `unknown` among numbers can be under a node, but never inside a range."""
        if self.as_tree or leaf == "" or self.quasi.kind == "text":
            return True
        try:
            return self.quasi.number(leaf) is not None
        except ValueError:
            return False

    def _labels_above(self, value: Value) -> tuple[str, ...]:
        if value is None:
            return ("*",)
        return self.paths[value][1:] if self.paths else ("*",)
