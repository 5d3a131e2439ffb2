"""Codebook: what the columns and labels of a release mean, for whoever gets it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from shoal.forms.anatomy import CLASS_ID, sensitive_table
from shoal.plan import Plan
from shoal.release.draft import AtLevel

_SHOWN_LABELS = 1000
_LABEL_HELP = {
    "[a, b]": "any value from a to b, both included",
    "{a, b}": "one of the listed values",
    "*": "any value",
    "\\x": "the value x itself, although it looks like one of the above",
    "": "missing",
}


def codebook(
    tables: Mapping[str, pl.DataFrame], plan: Plan, by_level: Mapping[str, tuple[AtLevel, ...]]
) -> dict[str, Any]:
    """Every released column: role, type, and the labels or the level that occur; nothing that is not in the release."""
    book: dict[str, Any] = {}
    frame = next(iter(tables.values()))
    apart = [name for name in plan.sensitive if name not in frame.columns]
    for name in [*frame.columns, *apart]:
        settings = plan.columns.get(name)
        entry: dict[str, Any] = {"role": settings.role if settings else "insensitive"}
        if name in apart:
            entry["table"] = sensitive_table(name)
        elif apart and name == CLASS_ID:
            entry["role"] = "class"
        if settings is not None and settings.role == "quasi-identifier":
            entry.update(_labels(frame[name]))
            coded = {"top": settings.top, "bottom": settings.bottom}
            entry.update({key: str(bound) for key, bound in coded.items() if bound is not None})
            entry.update(_levels(by_level.get(name, ())))
        book[name] = entry
    return {"columns": book, "labels": _LABEL_HELP}


def _levels(by_level: tuple[AtLevel, ...]) -> dict[str, Any]:
    """The level of a column; where rows differ in it, how many rows have each, and with which labels."""
    if len(by_level) == 1:
        return {"level": by_level[0].level}
    levels = [
        {"level": each.level, "rows": each.rows, "labels": list(each.labels[:_SHOWN_LABELS])} for each in by_level
    ]
    return {"levels": levels} if levels else {}


def _labels(column: pl.Series) -> dict[str, Any]:
    labels = column.unique().cast(pl.String).unique().sort()
    shown = labels.head(_SHOWN_LABELS).to_list()
    return {"labels": shown, "distinct_labels": len(labels)}
