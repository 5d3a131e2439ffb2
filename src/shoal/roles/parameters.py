"""Checks of parameters: each raises a PlanError that states what is allowed."""

from __future__ import annotations

import sys
from typing import cast

from shoal.errors import PlanError

_LARGEST = 2**31 - 1


def whole_number(model: object, name: str, value: object, least: int) -> None:
    """Raises unless the value is an integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise PlanError(f"{type(model).__name__} {name} must be an integer of at least {least}; got {value!r}.")
    if value > _LARGEST:
        raise PlanError(f"{type(model).__name__} {name} must be at most {_LARGEST}; got a larger number.")


def number(
    model: object,
    name: str,
    value: object,
    *,
    above: float | None = None,
    least: float | None = None,
    most: float | None = None,
) -> None:
    """Raises unless the value is a finite number within the bounds that a double can hold."""
    bounds = [
        f"above {above}" if above is not None else "",
        f"of at least {least}" if least is not None else "",
        f"at most {most}" if most is not None else "",
    ]
    if (
        not is_finite(value)
        or (above is not None and not value > above)  # type: ignore[operator]
        or (least is not None and not value >= least)  # type: ignore[operator]
        or (most is not None and not value <= most)  # type: ignore[operator]
    ):
        allowed = " and ".join(bound for bound in bounds if bound)
        raise PlanError(f"{type(model).__name__} {name} must be a number {allowed}; got {_shown(value)}.")


def is_finite(value: object) -> bool:
    """Whether the value is a number, neither infinite nor too large for a double."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max  # exact for integers of any size; false for nan


def _shown(value: object) -> str:
    is_huge = isinstance(value, int) and abs(value) > sys.float_info.max
    return "a number that is too large" if is_huge else repr(value)


def one_of(model: object, name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Raises unless the value is one of the allowed words."""
    if value not in allowed:
        words = ", ".join(f"'{word}'" for word in allowed)
        raise PlanError(f"{type(model).__name__} {name} must be one of {words}; got {value!r}.")


def column_name(model: object, value: object) -> None:
    """Raises unless the value is a non-empty column name."""
    if not isinstance(value, str) or not value:
        raise PlanError(f"{type(model).__name__} column must be the name of a sensitive column; got {value!r}.")


def texts(model: object, name: str, value: object) -> tuple[str, ...]:
    """The value as a tuple of texts; raises unless it is a non-empty list of distinct, non-empty texts."""
    are_texts = isinstance(value, list | tuple) and value and all(isinstance(text, str) and text for text in value)
    if not are_texts or len(set(cast(tuple[str, ...], value))) < len(cast(tuple[str, ...], value)):
        raise PlanError(
            f"{type(model).__name__} {name} must be a non-empty list of distinct texts; got {value!r}.",
        )
    return tuple(cast(tuple[str, ...], value))


def values(model: object, name: str, value: object) -> tuple[str, ...]:
    """The value as a tuple of texts; raises unless it is a non-empty list of distinct, non-empty texts or numbers."""
    given = value if isinstance(value, list | tuple) else ()
    written = tuple(str(each) for each in given if is_finite(each) or (isinstance(each, str) and each))
    if not given or len(set(written)) < len(given):
        raise PlanError(
            f"{type(model).__name__} {name} must be a non-empty list of distinct texts or numbers; got {value!r}."
        )
    return written
