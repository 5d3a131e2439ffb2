"""Codebook: the meaning of the columns and labels of a release, for its recipients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from shoal.forms.anatomy import CLASS_ID, sensitive_table
from shoal.plan import Plan
from shoal.table import Runs
from shoal.verification.labelled import Labelled
from shoal.verification.sets import item_entry

_LABEL_HELP = {
    "[a, b]": "any value from a to b, both included",
    "{a, b}": "one of the listed values",
    "*": "any value",
    "\\x": "the value x itself, which would otherwise read as one of the above",
    "": "missing",
}

_FORMULA_HELP = {"'x": "in the files, the text x itself, which a spreadsheet would run as a formula"}


def codebook(tables: Mapping[str, Runs], plan: Plan, columns: Mapping[str, Labelled]) -> dict[str, Any]:
    """Every released column with its role; the labels of quasi-identifiers, each with its level and share of leaves.

    Of set-valued columns it lists the separator and the released items, each with the number of its rows.
    It contains nothing beyond the release and its plan.
    """
    book: dict[str, Any] = {}
    main = next(iter(tables.values()))
    in_own_table = [name for name in plan.sensitive if name not in main.columns]
    for name in [*main.columns, *in_own_table]:
        settings = plan.columns.get(name)
        entry: dict[str, Any] = {"role": settings.role if settings else "insensitive"}
        if name in in_own_table:
            entry["table"] = sensitive_table(name)
        elif in_own_table and name == CLASS_ID:
            entry["role"] = "class"
        if settings is not None and settings.role == "quasi-identifier":
            entry.update(_labels(columns[name]) if not in_own_table else {})
            bounds = {"top": settings.top, "bottom": settings.bottom}
            entry.update({key: str(bound) for key, bound in bounds.items() if bound is not None})
        if settings is not None and settings.role == "quasi-sensitive":
            entry.update(item_entry(main, name, settings.separator))
        book[name] = entry
    escapes = plan.release.escape_formulas and plan.release.format == "csv"
    return {"columns": book, "labels": {**_LABEL_HELP, **(_FORMULA_HELP if escapes else {})}}


def _labels(column: Labelled) -> dict[str, Any]:
    """The labels, and for each its level, null if it has none, and its share of all leaves beyond one."""
    levels = [None if np.isnan(level) else int(level) for level in column.placed.levels]
    entry: dict[str, Any] = {
        "distinct_labels": len(column.labels),
        "labels": list(column.labels),
        "levels": levels,
        "shares": column.placed.losses.tolist(),
    }
    return entry | ({"level": levels[0]} if len(set(levels)) == 1 and levels[0] is not None else {})
