"""Unchanged columns whose values identify individuals by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from shoal.table import as_text, typed
from shoal.table.patterns import INSIDE, identifier_in, identifier_inside, is_numbered, is_prose
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
        reason = _reason(facts, sensitive=name in case.plan.sensitive)
        if reason:
            yield Warning(
                f"{case.called(name)} and {reason} Remove it, or make it a quasi-identifier.",
                serious=facts.type != "real",
            )


def _facts(case: Case, name: str) -> _Facts:
    values, counts = case.engine.distinct(name)
    present = (~as_text(values).is_in(list(case.plan.data.absent))).fill_null(False).to_numpy()
    known = values.filter(present)
    spread = known.gather_every(max(len(known) // _SAMPLE, 1)).head(_SAMPLE)
    if known.dtype == pl.String:  # identifiers may stand in few texts only
        spread = pl.concat([known.filter(known.str.contains(INSIDE)).head(_FEW_VALUES), spread])
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


def _reason(facts: _Facts, *, sensitive: bool) -> str:
    """Why a column identifies individuals, as the end of a sentence; empty if it does not."""
    unique = f"{facts.unique:,} of {facts.rows:,} rows have a unique value."
    if facts.distinct >= max(_FEW_VALUES, _SOME_VALUES * facts.rows) and (kind := identifier_in(facts.sample)):
        return f"seems to contain {kind.what}: {unique}"
    if facts.distinct >= max(_FEW_VALUES, _MANY_VALUES * facts.rows) and is_numbered(facts.sample):
        return f"seems to contain numbers of persons or records: {unique}"
    if facts.type == "text" and (kind := identifier_inside(facts.sample)):
        return f"has texts that contain {kind.what}."
    if facts.type == "text" and facts.unique >= _OFTEN_UNIQUE * facts.rows and is_prose(facts.sample):
        return f"seems to contain free text, which may name individuals: {unique}"
    return f"is nearly unique: {unique}" if _is_nearly_unique(facts, sensitive) else ""


def _is_nearly_unique(facts: _Facts, sensitive: bool) -> bool:
    """Whether values nearly always differ. Sensitive numbers have a warning of their own."""
    if facts.type in ("integer", "real"):
        enough = facts.rows >= _ENOUGH_NUMBERS and not sensitive
        return enough and facts.unique >= _NEARLY_ALWAYS_UNIQUE * facts.rows
    return facts.rows >= _ENOUGH_ROWS and facts.unique >= _NEARLY_UNIQUE * facts.rows
