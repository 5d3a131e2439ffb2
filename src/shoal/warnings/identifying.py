"""Unchanged columns whose values identify individuals by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from shoal.table import as_text, typed
from shoal.table.patterns import ANY_INSIDE, identifier_in, identifier_inside, is_numbered, is_prose
from shoal.warnings.base import Case, Warning

_SAMPLE = 200
_FEW_VALUES = 3
_SOME_VALUES = 0.01
_MANY_VALUES = 0.2
_OFTEN_UNIQUE = 0.1
_NEARLY_UNIQUE = 0.5
_NEARLY_ALWAYS_UNIQUE = 0.9
_ENOUGH_ROWS = 50
_ENOUGH_NUMBERS = 100


class _Facts(NamedTuple):
    """A column: its type, the number of rows with a value, of distinct and of unique values, and a sample of them."""

    type: str
    rows: int
    distinct: int
    unique: int
    sample: tuple[str, ...]


def identifying_columns(case: Case) -> Iterator[Warning]:
    """Warns of unchanged columns with identifiers, free text, or values that are nearly unique."""
    for name in case.unchanged:
        facts = _facts(case, name)
        identifiers = _identifiers(facts)
        reason = identifiers or _nearly_unique(facts, sensitive=name in case.plan.sensitive)
        if reason:
            remedy = "Remove it." if name in case.plan.quasi_sensitive else "Remove it, or make it a quasi-identifier."
            yield Warning(
                f"{case.called(name)} and {reason} {remedy}",
                serious=facts.type != "real",
                about=name,
                rank=2 if identifiers else 0,
            )


def _facts(case: Case, name: str) -> _Facts:
    values, counts = case.engine.distinct(name)
    present = (~as_text(values).is_in(list(case.plan.data.absent))).fill_null(False).to_numpy()
    known = values.filter(present)
    spread = known.gather_every(max(len(known) // _SAMPLE, 1)).head(_SAMPLE)
    if known.dtype == pl.String:  # identifiers may stand in few texts only
        spread = pl.concat([known.filter(known.str.contains(ANY_INSIDE)).head(_FEW_VALUES), spread])
    return _Facts(
        type=_type(spread),
        rows=int(counts[present].sum()),
        distinct=len(known),
        unique=int((counts[present] == 1).sum()),
        sample=tuple(as_text(spread).drop_nulls().to_list()),
    )


def _type(values: pl.Series) -> str:
    """The type of the values; numbers may be infinite, because nothing is computed with them."""
    if values.dtype.is_numeric():
        return "real" if values.dtype.is_float() else "integer"
    return "date" if values.dtype.is_temporal() else typed(as_text(values), type=None, missing=()).type


def _identifiers(facts: _Facts) -> str:
    """Which identifiers a column contains, as the end of a sentence; empty if none."""
    unique = _unique(facts)
    if facts.distinct >= max(_FEW_VALUES, _SOME_VALUES * facts.rows) and (kind := identifier_in(facts.sample)):
        return f"seems to contain {kind.what}: {unique}"
    if facts.distinct >= max(_FEW_VALUES, _MANY_VALUES * facts.rows) and is_numbered(facts.sample):
        return f"seems to contain numbers of persons or records: {unique}"
    if facts.type == "text" and (kind := identifier_inside(facts.sample)):
        return f"has texts that contain {kind.what}."
    if facts.type == "text" and facts.unique >= _OFTEN_UNIQUE * facts.rows and is_prose(facts.sample):
        return f"seems to contain free text, which may name individuals: {unique}"
    return ""


def _nearly_unique(facts: _Facts, *, sensitive: bool) -> str:
    """How many values are unique, as the end of a sentence; empty unless values nearly always differ.

    Sensitive numbers have a warning of their own.
    """
    if facts.type in ("integer", "real"):
        enough = facts.rows >= _ENOUGH_NUMBERS and not sensitive
        nearly = enough and facts.unique >= _NEARLY_ALWAYS_UNIQUE * facts.rows
    else:
        nearly = facts.rows >= _ENOUGH_ROWS and facts.unique >= _NEARLY_UNIQUE * facts.rows
    return f"is nearly unique: {_unique(facts)}" if nearly else ""


def _unique(facts: _Facts) -> str:
    return f"{facts.unique:,} of {facts.rows:,} rows have a unique value."
