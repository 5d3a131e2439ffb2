"""Attacks on the published tables, by someone who has nothing else: those that take a moment, on counted rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.attacks import ALL, Target, run_all

QUICK = ("linkage", "homogeneity", "skewness", "missing-patterns")
"""The attacks whose time follows the number of classes. `shoal risk` runs all of them."""
MOST_RUNS = 3_000_000
"""The most different rows of a table that is attacked for a report."""
MOST_COLUMNS = 30


@dataclass(frozen=True)
class Attempt:
    """The outcome of an attack: its success against the success without classes, and against what models allow.

    `bound`: None if no model of the plan bounds it.
    """

    kind: str
    column: str | None
    case: str
    measured: str
    knows: str
    success: float
    baseline: float
    bound: float | None
    holds: bool


@dataclass(frozen=True)
class Attempts:
    """The attacks that were tried, and the kinds of those that were not, which `shoal risk DIR` runs."""

    tried: tuple[Attempt, ...]
    not_tried: tuple[str, ...]


def attempts(target: Target) -> Attempts:
    """The outcomes of quick attacks on published tables; a function of the tables and the published plan."""
    too_large = len(target.main.times) > MOST_RUNS or len(target.sensitive) > MOST_COLUMNS
    kinds = () if too_large else QUICK
    others = tuple(cls.kind for cls in ALL if cls.kind not in kinds and cls.kind != "intersection")
    outcomes = run_all(target, only=kinds) if kinds else ()
    return Attempts(tuple(_attempt(each.to_json()) for each in outcomes), others)


def _attempt(outcome: dict[str, Any]) -> Attempt:
    """The outcome, rounded so that the order in which sums are added up does not show."""
    rounded: dict[str, Any] = {
        name: round(each, 10) if isinstance(each, float) else each for name, each in outcome.items()
    }
    return Attempt(**{name: rounded[name] for name in Attempt.__dataclass_fields__})
