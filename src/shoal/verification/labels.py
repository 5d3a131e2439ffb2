"""Checks of the labels in published files: their syntax, bounds and hierarchy, and what the codebook says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shoal import forms
from shoal.arrays import Flags, Float64
from shoal.hierarchies import File, Intervals
from shoal.hierarchies.placing import extents, meanings, number_of
from shoal.labels import ANY, MISSING, Range
from shoal.plan import Plan
from shoal.roles.columns import Column
from shoal.verification.labelled import Labelled

_NUMBERS = ("integer", "real", "date", "datetime")


def label_problems(columns: Mapping[str, Labelled], plan: Plan, codebook: Mapping[str, Any] | None = None) -> list[str]:
    """Labels that no release of this plan could have, and differences to the codebook, if one is given."""
    if not forms.by_kind(plan.release.form).generalizes:
        return []
    listed = (codebook or {}).get("columns", {})
    problems = []
    for name, column in columns.items():
        settings = plan.columns[name]
        problems += [f"Column '{name}' {problem}" for problem in _column_problems(column, settings)]
        if codebook is not None:
            problems += _codebook_problems(name, column, listed.get(name), is_readable(settings))
    return problems


def is_readable(settings: Column) -> bool:
    """Whether the hierarchy of a column can be read; the file of a quasi-identifier's hierarchy is not published."""
    return not isinstance(settings.hierarchy, File) or Path(settings.hierarchy.path).is_file()


def _column_problems(column: Labelled, settings: Column) -> list[str]:
    every = meanings(column.labels)
    ends = extents(every)
    apart = np.array([label in (MISSING, ANY) for label in column.labels])
    ranges = np.array([isinstance(each, Range) for each in every])
    unreadable: Flags = np.isnan(ends).any(axis=1) & ~apart
    problems = []
    if is_readable(settings) and not column.placed.known:
        problems.append("has labels that its hierarchy does not have.")
    if settings.hierarchy is None and (settings.type in _NUMBERS or ranges.any()) and unreadable.any():
        problems.append(f"has {int(unreadable.sum())} labels that are neither a number nor a range.")
    if is_readable(settings) and settings.limited:
        problems += _limit_problems(column, settings)
    if (ends[ranges, 0] > ends[ranges, 1]).any():
        problems.append("has ranges that end before they begin.")
    return problems + _bound_problems(ends, settings)


def _limit_problems(column: Labelled, settings: Column) -> list[str]:
    """Labels that lie at no level from the finest to the coarsest."""
    possible = ~np.isnan(column.placed.by_level)
    finest, highest = min(settings.finest, column.placed.height), settings.coarsest
    allowed = possible[finest : None if highest is None else highest + 1].any(axis=0)
    beyond = int((~allowed).sum())
    return [f"has {beyond} labels below its finest or above its coarsest level."] if beyond else []


def _bound_problems(ends: Float64, settings: Column) -> list[str]:
    """Labels beyond `top` or `bottom`, at which values are coded before anything else.

    Only ranges of numbers are compared. An interval may reach beyond a bound, though no value does; the labels of other
    hierarchies are no numbers, even if they look like some.
    """
    if not isinstance(settings.hierarchy, Intervals | None):
        return []
    top, bottom = (float(number_of(str(bound))) for bound in (settings.top, settings.bottom))
    low, high = (ends[:, 0], ends[:, 1]) if settings.hierarchy is not None else (ends[:, 1], ends[:, 0])
    with np.errstate(invalid="ignore"):
        beyond = {"above its top": bool((low > top).any()), "below its bottom": bool((high < bottom).any())}
    return [f"has labels {where}." for where, found in beyond.items() if found]


def _codebook_problems(name: str, column: Labelled, entry: object, readable: bool) -> list[str]:
    """Differences between the labels of a column and its entry in the codebook."""
    if not isinstance(entry, dict):
        return [f"The codebook has no entry for column '{name}'."]
    if entry.get("labels") != list(column.labels) or entry.get("distinct_labels") != len(column.labels):
        return [f"The codebook does not list the labels of column '{name}'."]
    if not readable:
        return [] if _plausible(entry, len(column.labels)) else [f"The codebook has no levels of column '{name}'."]
    levels = [None if np.isnan(level) else int(level) for level in column.placed.levels]
    same = entry.get("levels") == levels and _equal(entry.get("shares"), column.placed.losses)
    return [] if same else [f"The levels or shares of column '{name}' in the codebook are not those of its labels."]


def _equal(shares: object, losses: Float64) -> bool:
    if not isinstance(shares, list) or not all(isinstance(share, int | float) for share in shares):
        return False
    return len(shares) == len(losses) and bool(np.allclose(np.array(shares, np.float64), losses, rtol=1e-9, atol=1e-12))


def _plausible(entry: Mapping[str, Any], labels: int) -> bool:
    """Whether an entry has a level and a share between 0 and 1 for each label."""
    levels, shares = entry.get("levels"), entry.get("shares")
    if malformed(entry) or not isinstance(levels, list) or not isinstance(shares, list):
        return False
    return len(levels) == labels and all(share is not None and 0 <= share <= 1 for share in shares)


_MOST_LEVELS = 2**15
"""As many levels as a column of levels can number."""

_LISTED: Mapping[str, Callable[[Any], bool]] = {
    "labels": lambda label: isinstance(label, str),
    "levels": lambda level: level is None or (type(level) is int and 0 <= level < _MOST_LEVELS),
    "shares": lambda share: share is None or type(share) in (int, float),
}
"""The lists of an entry of the codebook, and what each of their elements is."""


def malformed(entry: Mapping[str, Any]) -> str | None:
    """The list of a codebook's entry that is none, or of other things than its name says; None if all are sound."""
    known = {key: entry[key] for key in _LISTED if key in entry}
    for key, values in known.items():
        if not isinstance(values, list) or not all(map(_LISTED[key], values)):
            return key
    labels = known.get("labels", [])
    if len(set(labels)) < len(labels):
        return "labels"
    return next((key for key, values in known.items() if len(values) != len(labels)), None)
