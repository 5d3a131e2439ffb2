"""What a schema of the corpus is: named columns, the right role of each, and made-up values of a realistic shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Literal, get_args

import polars as pl

Right = Literal["identifier", "person", "quasi-identifier", "sensitive", "insensitive"]
Language = Literal["en", "de", "fr", "es", "it", "nl", "pt", "da", "sv", "pl"]
ROLES = frozenset(get_args(Right)) | {"drop"}
IDENTIFIER, PERSON, QUASI, SENSITIVE, DROP = "identifier", "person", "quasi-identifier", "sensitive", "drop"
"""Roles that are acceptable besides the right one."""


@dataclass(frozen=True)
class Draw:
    """What the values of one column are drawn from; the same draw always gives the same values."""

    schema: str
    field: str
    language: Language
    rows: int
    owners: tuple[int, ...]
    """The number of the individual each row is about."""

    def random(self, key: str | None = None) -> Random:
        """The generator of this column, or one that every column of the schema with the same key shares."""
        return Random(f"{self.schema}/{self.field if key is None else key}")


Values = Callable[[Draw], list[str]]


@dataclass(frozen=True)
class Field:
    """A column: its right role, and further roles that experts would accept."""

    name: str
    right: Right
    values: Values
    also: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = {self.right, *self.also} - ROLES
        if unknown:
            raise ValueError(f"column '{self.name}' has unknown roles: {', '.join(sorted(unknown))}")

    @property
    def acceptable(self) -> frozenset[str]:
        """Every role that counts as right."""
        return frozenset({self.right, *self.also})


@dataclass(frozen=True)
class Schema:
    """A table as one source writes it; `people` is the number of individuals where they have several rows."""

    name: str
    language: Language
    rows: int
    fields: tuple[Field, ...]
    separator: str = ","
    people: int | None = None

    def __post_init__(self) -> None:
        names = [field.name for field in self.fields]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"schema '{self.name}' has columns twice: {', '.join(twice)}")

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """The individual of each row: everyone has at least one row, and a few have many."""
        if self.people is None:
            return tuple(range(self.rows))
        random = Random(f"{self.name}/owners")
        further = [int(self.people * random.random() ** 2) for _ in range(self.rows - self.people)]
        return tuple(sorted([*range(self.people), *further]))

    def frame(self) -> pl.DataFrame:
        """The table with text columns, as read from a CSV file; an empty cell is null."""
        columns = {field.name: [cell or None for cell in field.values(self._draw(field))] for field in self.fields}
        return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))

    def write(self, path: Path) -> None:
        """Write the table as a CSV file with the separator of the source."""
        self.frame().write_csv(path, separator=self.separator)

    def _draw(self, field: Field) -> Draw:
        return Draw(self.name, field.name, self.language, self.rows, self.owners)


def identifier(name: str, values: Values, *also: str) -> Field:
    """A column that identifies an individual, a visit, an order or a device directly."""
    return Field(name, "identifier", values, also)


def person(name: str, values: Values, *also: str) -> Field:
    """A column whose value repeats over the rows of one individual."""
    return Field(name, "person", values, also)


def quasi(name: str, values: Values, *also: str) -> Field:
    """A column that others may know of an individual."""
    return Field(name, "quasi-identifier", values, also)


def sensitive(name: str, values: Values, *also: str) -> Field:
    """A column that must not be linkable to an individual."""
    return Field(name, "sensitive", values, also)


def insensitive(name: str, values: Values, *also: str) -> Field:
    """A technical column; dropping it or treating it as sensitive is right as well."""
    return Field(name, "insensitive", values, ("drop", "sensitive", *also))
