"""Release forms: each defines which tables are published and what their columns contain. An engine moves the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import polars as pl

from shoal.coded.recoding import Shown
from shoal.models.base import ClassModel


@dataclass(frozen=True)
class ByClass:
    """A column that shows the label of the row's class."""

    shown: Shown


@dataclass(frozen=True)
class ByValue:
    """A column that shows a text for each of its distinct raw values: `texts` [distinct], null for missing."""

    texts: pl.Series


@dataclass(frozen=True)
class Unchanged:
    """A column that is released unchanged."""


Content = ByClass | ByValue | Unchanged


@dataclass(frozen=True)
class Layout:
    """The published tables.

    `main`: the name of the table with a row for every released row. `columns`: its columns, in order. `class_id`: the
    name of a column that numbers the classes, or empty. `counted`: sensitive column → the table that counts its values
    by class. `counted_texts`: the text of each distinct raw value of these columns, which the main table does not
    contain.
    """

    main: str
    columns: Mapping[str, Content]
    class_id: str = ""
    counted: Mapping[str, str] = field(default_factory=dict)
    counted_texts: Mapping[str, pl.Series] = field(default_factory=dict)


@dataclass(frozen=True)
class Publishable:
    """What a form may publish.

    `columns`: the columns of the table in order, without identifiers. `shown`: what every class shows of each
    quasi-identifier. `exact` gives the text of each distinct raw value of a quasi-identifier. `sensitive`: the text of
    each distinct raw value of the sensitive columns. `sets`: the same of the set-valued columns, before items are
    removed.
    """

    columns: tuple[str, ...]
    shown: Mapping[str, Shown]
    exact: Callable[[str], pl.Series]
    sensitive: Mapping[str, pl.Series]
    sets: Mapping[str, pl.Series] = field(default_factory=dict)


class Form(Protocol):
    """A way to publish a partition."""

    kind: ClassVar[str]
    generalizes: ClassVar[bool]
    """Whether quasi-identifiers are published as labels of classes instead of exact values."""

    def refuses(self, models: Sequence[ClassModel], columns: Sequence[str]) -> str:
        """Why these models on a table with these columns cannot be released in this form; empty if they can."""
        ...

    def tables(self, sensitive: Sequence[str]) -> tuple[str, ...]:
        """The names of the tables of a release with these sensitive columns, the main one first."""
        ...

    def layout(self, given: Publishable) -> Layout:
        """The tables to publish, and what they contain."""
        ...
