"""Sensitive trees and a plain-Python audit, for the tests of disclosure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import shoal

PATHS: Mapping[str, tuple[str, ...]] = {
    "lung": ("lung", "solid", "cancer", "*"),
    "liver": ("liver", "solid", "cancer", "*"),
    "leukemia": ("leukemia", "blood", "cancer", "*"),
    "HIV": ("HIV", "viral", "infection", "*"),
    "flu": ("flu", "viral", "infection", "*"),
    "ulcer": ("ulcer", "stomach", "digestive", "*"),
}
NODES = ("solid", "blood", "cancer", "viral", "infection", "digestive", "flu")


def tree_in(folder: Path) -> shoal.hierarchies.File:
    path = folder / "ill.csv"
    path.write_text("".join(";".join(each) + "\n" for each in PATHS.values()), encoding="utf-8")
    return shoal.hierarchies.File(str(path))


def brute_force(
    rows: Sequence[tuple[str, str | None]], p: int, protected: Sequence[str], *, missing_counts: bool
) -> dict[str, Any]:
    """The audit of rows of a class and a value, straight from the definitions: one class after the other."""
    classes = {name: [value for row, value in rows if row == name] for name, _ in rows}

    def counts(chosen: Sequence[str]) -> tuple[int, int]:
        return len(chosen), sum(len(classes[name]) for name in chosen)

    def judged(group_of: Mapping[str, object]) -> dict[str, int]:
        groups = {name: {group_of[value] for value in values if value is not None} for name, values in classes.items()}
        size = {name: len(each) + (missing_counts and None in classes[name]) for name, each in groups.items()}
        failing = counts([name for name in classes if size[name] < p])
        disclosing = counts([name for name in classes if len(groups[name]) == 1 and None not in classes[name]])
        names = ("failing_classes", "failing_rows", "disclosing_classes", "disclosing_rows")
        return dict(zip(names, (*failing, *disclosing), strict=True))

    def strong(path: Sequence[str]) -> str:
        return next((node for node in reversed(path) if node in protected), path[0])

    def node(label: str) -> dict[str, Any]:
        below = [value for value, path in PATHS.items() if label in path]
        chosen = counts([name for name, values in classes.items() if all(value in below for value in values)])
        under = sum(value in below for _, value in rows)
        shares = [sum(value in below for value in values) / len(values) for values in classes.values()]
        return {
            "node": label,
            "name": "",
            "rows": under,
            "disclosing_classes": chosen[0],
            "disclosing_rows": chosen[1],
            "largest_share": max(shares, default=0.0),
        }

    levels = range(3) if any(value is not None for _, value in rows) else range(1)
    return {
        "levels": [judged({value: path[level] for value, path in PATHS.items()}) for level in levels],
        "extended": judged({value: strong(path) for value, path in PATHS.items()}),
        "nodes": [node(label) for label in protected],
    }
