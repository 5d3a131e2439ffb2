"""Counts how many suggested roles of a schema are right, and how many would disclose something."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tests.profiling.corpus.base import Field, Schema

UNSAFE = {
    "identifier": frozenset({"quasi-identifier", "quasi-sensitive", "sensitive", "insensitive", "target"}),
    "person": frozenset({"quasi-identifier", "quasi-sensitive", "sensitive", "insensitive", "target"}),
    "quasi-identifier": frozenset({"sensitive", "insensitive", "target"}),
    "sensitive": frozenset({"quasi-identifier", "insensitive", "target"}),
    "insensitive": frozenset[str](),
}
"""The suggestions that publish a column of each right role with too little protection."""


@dataclass(frozen=True)
class Mistake:
    """A column whose suggested role is not acceptable."""

    schema: str
    column: str
    right: str
    suggested: str


@dataclass(frozen=True)
class Score:
    """How many columns were judged, and the columns whose role is wrong.

    A column without a suggestion counts as dropped. `unsafe` and `dropped_unrecognised` are subsets of `wrong`.
    """

    columns: int
    wrong: tuple[Mistake, ...]
    unsafe: tuple[Mistake, ...]
    dropped_unrecognised: tuple[Mistake, ...]

    @property
    def right(self) -> int:
        """The number of columns with an acceptable role."""
        return self.columns - len(self.wrong)


def score(schema: Schema, suggested: Mapping[str, str]) -> Score:
    """Judge the suggested role of every column of a schema."""
    unknown = sorted(set(suggested) - {field.name for field in schema.fields})
    if unknown:
        raise ValueError(f"schema '{schema.name}' has no columns {', '.join(unknown)}")
    roles = [(field, suggested.get(field.name, "drop")) for field in schema.fields]
    wrong = [(field, role) for field, role in roles if role not in field.acceptable]
    return Score(
        columns=len(schema.fields),
        wrong=_mistakes(schema, wrong),
        unsafe=_mistakes(schema, ((field, role) for field, role in wrong if role in UNSAFE[field.right])),
        dropped_unrecognised=_mistakes(schema, ((field, role) for field, role in wrong if role == "drop")),
    )


def total(scores: Iterable[Score]) -> Score:
    """The score over all schemas together."""
    listed = list(scores)
    return Score(
        columns=sum(one.columns for one in listed),
        wrong=tuple(mistake for one in listed for mistake in one.wrong),
        unsafe=tuple(mistake for one in listed for mistake in one.unsafe),
        dropped_unrecognised=tuple(mistake for one in listed for mistake in one.dropped_unrecognised),
    )


def _mistakes(schema: Schema, pairs: Iterable[tuple[Field, str]]) -> tuple[Mistake, ...]:
    return tuple(Mistake(schema.name, field.name, field.right, role) for field, role in pairs)
