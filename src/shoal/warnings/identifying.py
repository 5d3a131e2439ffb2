"""Unchanged columns whose values identify individuals by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.coded.coding import DistinctValues
from shoal.table import as_text, typed
from shoal.table.patterns import ANY_INSIDE, identifier_in, identifier_inside, is_numbered, is_prose
from shoal.warnings.base import Case, Warning

_REMEDY = "Remove it, or make it a quasi-identifier."
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
        if name in case.plan.quasi_sensitive:
            yield from _identifying_sets(case, name)
            continue
        facts = _facts(*case.engine.distinct(name), case.plan.data.absent)
        identifiers = _identifiers(facts)
        reason = identifiers or _nearly_unique(facts, sensitive=name in case.plan.sensitive)
        if reason:
            yield Warning(
                f"{case.called(name)} and {reason} {_REMEDY}",
                serious=facts.type != "real",
                about=name,
                rank=2 if identifiers else 0,
                remedy=_REMEDY,
            )


def _identifying_sets(case: Case, name: str) -> Iterator[Warning]:
    """Warns of sets as they are released: with identifiers, or nearly unique although a model protects their items.

    Every plan has such a model. How many sets are unique is known only after items were removed.
    """
    facts = _facts(*_released_sets(case, name), case.plan.data.absent)
    if identifiers := _identifiers(facts):
        text = f"{case.called(name)} and {identifiers} Remove it."
        yield Warning(text, serious=True, about=name, rank=2, remedy="Remove it.")
    elif case.partition is not None and _nearly_unique(facts, sensitive=False):
        kinds = " and ".join(f"'{model.kind}'" for model in case.plan.enforced if name in model.reads_items)
        yield Warning(
            f"{case.called(name)} and is nearly unique: {facts.unique:,} of {facts.rows:,} rows have a unique set of "
            "items. Anyone who knows all items of an individual finds the row: do not take the promise of "
            f"{kinds} for one about all items.",
            about=name,
            remedy="Raise m of 'km-anonymity', or remove the column if others may know many items of an individual.",
        )


def _released_sets(case: Case, name: str) -> DistinctValues:
    """The texts of the sets that are released, and the rows of each; before a search, those of the input."""
    counted, partition = case.coded.counted, case.partition
    domain, codes, weight = case.coded.items[name], counted.items[name], counted.weight
    if partition is not None:
        edit = partition.edits.get(name)
        domain, codes = (domain, codes[partition.row]) if edit is None else (edit.domain, edit.codes)
        weight = partition.weight
    rows = np.bincount(codes, weight, minlength=domain.size).astype(np.int64)
    by_set = pl.DataFrame({"set": domain.texts, "rows": rows}).filter(pl.col("rows") > 0)
    found = by_set.group_by("set", maintain_order=True).agg(pl.col("rows").sum())  # removal makes sets equal
    return DistinctValues(found["set"], found["rows"].to_numpy())


def _facts(values: pl.Series, counts: Int64, absent: Sequence[str]) -> _Facts:
    present = (~as_text(values).is_in(list(absent))).fill_null(False).to_numpy()
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
