"""Codebook: the meaning of the columns and labels of a release, for its recipients."""

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
    "\\x": "the value x itself, which would otherwise read as one of the above",
    "": "missing",
}


def codebook(
    tables: Mapping[str, pl.DataFrame], plan: Plan, by_level: Mapping[str, tuple[AtLevel, ...]]
) -> dict[str, Any]:
    """Every released column with its role, and its labels and levels; it contains nothing beyond the release."""
    book: dict[str, Any] = {}
    frame = next(iter(tables.values()))
    in_own_table = [name for name in plan.sensitive if name not in frame.columns]
    for name in [*frame.columns, *in_own_table]:
        settings = plan.columns.get(name)
        entry: dict[str, Any] = {"role": settings.role if settings else "insensitive"}
        if name in in_own_table:
            entry["table"] = sensitive_table(name)
        elif in_own_table and name == CLASS_ID:
            entry["role"] = "class"
        if settings is not None and settings.role == "quasi-identifier":
            entry.update(_labels(frame[name]))
            bounds = {"top": settings.top, "bottom": settings.bottom}
            entry.update({key: str(bound) for key, bound in bounds.items() if bound is not None})
            entry.update(_levels(by_level.get(name, ())))
        book[name] = entry
    return {"columns": book, "labels": _LABEL_HELP}


def _levels(by_level: tuple[AtLevel, ...]) -> dict[str, Any]:
    """The level of a column; if its rows have several levels, the rows and labels of each."""
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
