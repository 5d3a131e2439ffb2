"""Warnings: risks that a steward must know before publishing, with column names and shares, never with values.

A warning is one function from a `Case` to sentences, and one entry in `ALL`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from shoal.warnings.base import Case
from shoal.warnings.missing import missing_effect
from shoal.warnings.narrowing import narrowed_quasi_identifiers
from shoal.warnings.persons import repeated_persons
from shoal.warnings.search import missed_target, pointless_target
from shoal.warnings.sensitive import absent_values, near_continuous_sensitive, of_plan, unguarded_sensitive

__all__ = ["ALL", "Case", "find_warnings", "missing_effect", "of_plan"]

ALL: tuple[Callable[[Case], Iterable[str]], ...] = (
    unguarded_sensitive,
    absent_values,
    near_continuous_sensitive,
    repeated_persons,
    narrowed_quasi_identifiers,
    pointless_target,
    missed_target,
)


def find_warnings(case: Case) -> tuple[str, ...]:
    """The risks of this release that no model of the plan covers, one sentence each."""
    return tuple(sentence for warning in ALL for sentence in warning(case))
