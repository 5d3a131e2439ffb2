"""Sensitive columns that nobody guards, or that a model only seems to guard."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from shoal.arrays import Int64
from shoal.table import typed
from shoal.warnings.base import NOTEWORTHY, Case

_LABELS_LOOKED_AT = 1_000


def unguarded_sensitive(case: Case) -> Iterator[str]:
    """A sensitive column that no model names."""
    for name in case.plan.sensitive:
        if name not in case.plan.reads:
            yield f"Sensitive column '{name}' is named by no model: it is released unguarded."


def absent_values(case: Case) -> Iterator[str]:
    """A model that names values which no row has: written otherwise, they would go unguarded."""
    for model in case.plan.enforced:
        for name in model.reads if model.names_values else ():
            absent = set(model.names_values) - set(case.coded.sensitive[name].labels)
            if absent:
                yield (
                    f"Of the {len(model.names_values)} values of '{name}' that '{model.kind}' names, no row has "
                    f"{len(absent)}. Check how they are written: it guards no other values."
                )


def near_continuous_sensitive(case: Case) -> Iterator[str]:
    """Sensitive numbers so fine that models which count values are met by any class, however alike its values."""
    for name in case.plan.reads:
        kinds = [model.kind for model in case.plan.enforced if name in model.reads and model.counts_values]
        counts = case.coded.counted.reference[name]
        if kinds and _hardly_repeats(counts) and _is_number(case, name):
            yield (
                f"Sensitive column '{name}' holds nearly continuous numbers: {len(counts)} different values. "
                f"{' and '.join(sorted(set(kinds)))} counts them as different however close they are, and so promises "
                f'next to nothing. t-closeness with distance = "ordered" fits such a column.'
            )


def _hardly_repeats(counts: Int64) -> bool:
    """Whether more than half the rows would do to show every value, or two rows hardly ever agree."""
    rows = int(counts.sum())
    return 2 * len(counts) > rows or float((counts / rows) @ (counts / rows)) < NOTEWORTHY


def _is_number(case: Case, name: str) -> bool:
    settings = case.plan.columns[name]
    if settings.type is not None or settings.hierarchy is not None:  # codes in a tree are no numbers
        return settings.type in ("integer", "real", "date") and settings.hierarchy is None
    labels = case.coded.sensitive[name].labels
    sample = pl.Series(labels[:: len(labels) // _LABELS_LOOKED_AT + 1], dtype=pl.String)
    return typed(sample, type=None, missing=("",)).type != "text"
