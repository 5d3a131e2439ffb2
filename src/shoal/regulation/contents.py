"""Contents of columns: what a raw or released column shows, by its name, its values and the plan.

Values do not leave this package: views receive counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import polars as pl

from shoal.labels import ANY, Exactly, Meaning, OneOf, Range, read
from shoal.plan import Plan
from shoal.profiling import signs
from shoal.profiling.facts import facts
from shoal.profiling.naming import readings
from shoal.profiling.recognition import recognized
from shoal.profiling.signs import QUASI, Sign
from shoal.roles.columns import Column
from shoal.table import as_text
from shoal.table.patterns import ANY_INSIDE, INSIDE, Identifier

_FEW = 1000
_DATES = ("date", "datetime")


class Inside(NamedTuple):
    """A kind of identifier that stands inside texts, and the number of rows with such a text."""

    kind: Identifier
    rows: int


@dataclass(frozen=True)
class Content:
    """A column: the sign of its content, and its distinct labels with the number of rows of each.

    `labels`: frame of `label` and `rows`, without missing values and without labels that say nothing (`*`).
    `inside`: the kinds of identifiers that stand inside some of the texts. `removed`: whether the plan does not publish
    the column. `named`: an age or postal codes if the name says so, whatever the values are.
    """

    name: str
    sign: Sign
    named: Sign | None
    inside: tuple[Inside, ...]
    labels: pl.DataFrame
    removed: bool

    @cached_property
    def rows(self) -> int:
        """The number of rows with a label that says something."""
        return int(self.labels["rows"].sum())

    def rows_where(self, reveals: Callable[[str], bool]) -> int:
        """The rows with a label of which an exact value, an end of a range or a member of a set reveals something."""
        return self.rows_of(lambda meaning: any(reveals(text) for text in texts_of(meaning)))

    def rows_of(self, reveals: Callable[[Meaning], bool], form: str = "") -> int:
        """The rows whose label has a meaning that reveals something, of the labels that match the form."""
        labels = self.labels.filter(pl.col("label").str.contains(form)) if form else self.labels
        return sum(rows for label, rows in labels.iter_rows() if reveals(read(label)))

    def rows_like(self, form: str) -> int:
        """The rows whose label matches the form; for many distinct labels in less time than by their meaning."""
        return int(self.labels.filter(pl.col("label").str.contains(form))["rows"].sum())


def texts_of(meaning: Meaning) -> tuple[str, ...]:
    """The values that a label names: one, the ends of a range, or the members of a set."""
    if isinstance(meaning, Exactly):
        return (meaning.value,)
    if isinstance(meaning, Range):
        return (meaning.low, meaning.high)
    return meaning.values if isinstance(meaning, OneOf) else ()


def contents(table: pl.DataFrame, plan: Plan) -> tuple[Content, ...]:
    """The content of every column of the table, in its order."""
    plan = plan.for_table(table.columns, complete=False)
    return tuple(_content(column, plan) for column in table.get_columns())


def _content(column: pl.Series, plan: Plan) -> Content:
    settings = plan.columns.get(column.name)
    texts = as_text(column).alias("label").to_frame()
    every = texts.filter(~pl.col("label").is_in(list(plan.data.absent))).group_by("label").agg(pl.len().alias("rows"))
    labels = every.filter(pl.col("label") != ANY)
    sign = _sign(column, labels, settings, generalized=_is_generalized(every["label"]))
    return Content(
        name=column.name,
        sign=sign,
        named=_named(column),
        inside=_inside(labels, sign),
        labels=labels,
        removed=column.name == plan.data.person or (settings is not None and settings.removed),
    )


def _inside(labels: pl.DataFrame, sign: Sign) -> tuple[Inside, ...]:
    """The kinds of identifiers inside the texts of a column, each with its own number of rows."""
    suspects = labels.filter(pl.col("label").str.contains(ANY_INSIDE))
    by_kind = ((kind, suspects.filter(_holds(kind, sign))) for kind in INSIDE)
    return tuple(Inside(kind, int(found["rows"].sum())) for kind, found in by_kind if len(found))


def _holds(kind: Identifier, sign: Sign) -> pl.Expr:
    """Whether a text contains the kind; digits alone in a column of other numbers are no telephone number."""
    label = pl.col("label").str
    holds = label.contains(kind.pattern.pattern)
    is_of_numbers = sign.numbers is not None and sign.what != signs.UNIQUE_TEXT.what
    return holds & label.contains(r"[A-Za-z+(]") if is_of_numbers and kind.hipaa == "D" else holds


def _sign(column: pl.Series, labels: pl.DataFrame, settings: Column | None, *, generalized: bool) -> Sign:
    """The sign of a column by the plan, by the name of a generalized column, or by name and values."""
    if settings is not None and (settings.type in _DATES or getattr(settings.hierarchy, "kind", "") == "date"):
        return signs.DATE
    if not generalized or (settings is not None and settings.role != QUASI):
        return recognized(facts(column)[0])
    return _by_name(column.name) or recognized(facts(_first_named(column.name, labels))[0])


def _named(column: pl.Series) -> Sign | None:
    """An age or postal codes by the name of a column of texts; of numbers, recognition knows more."""
    if column.dtype.is_numeric():
        return None
    known = (signs.AGE.what, signs.AGE_IN_PARTS.what, signs.ZIP.what)
    return next((sign for sign in readings(column.name) if sign.what in known), None)


def _first_named(name: str, labels: pl.DataFrame) -> pl.Series:
    """For every row the first value that its label names, so that values repeat as often as in the table."""
    named = [(next(iter(texts_of(read(label))), None), rows) for label, rows in labels.iter_rows()]
    return pl.Series(name, [text for text, rows in named for _ in range(rows)], dtype=pl.String)


def _is_generalized(labels: pl.Series) -> bool:
    few = labels.filter(labels.str.contains(r"^[\[{]|\*$")).head(_FEW).to_list()
    return any(label.endswith(ANY) or not isinstance(read(label), Exactly) for label in few)


def _by_name(name: str) -> Sign | None:
    """The first meaning of a name that is on the list of identifiers; labels no longer bear out or contradict it."""
    return next((sign for sign in readings(name) if sign.hipaa or sign.what == signs.AGE.what), None)
