"""Errors that carry their facts: what is wrong, what is allowed, and a hint. None ever holds a cell value."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar


class ShoalError(Exception):
    """The base of every error a user should read; `exit_code` is what the command line returns for it."""

    exit_code: ClassVar[int] = 2

    def __init__(self, fact: str, *, allowed: str = "", hint: str = "") -> None:
        self.fact = fact
        self.allowed = allowed
        self.hint = hint
        super().__init__(fact, allowed, hint)

    def __str__(self) -> str:
        return " ".join(part for part in (self.fact, self.allowed, self.hint and f"Hint: {self.hint}") if part)


class PlanError(ShoalError):
    """The plan is wrong in itself, or does not fit the table: knowable without weighing anybody's privacy."""


class TableError(ShoalError):
    """A table cannot be read, or is not usable as one."""


class HierarchyError(ShoalError):
    """A hierarchy is malformed or does not cover its column."""


class OutputError(ShoalError):
    """The release cannot be written where it was asked for."""


class MissingExtra(ShoalError):
    """A feature needs an optional dependency that is not installed."""


class CannotBeMet(ShoalError):
    """The models cannot be met on this data; the message says what blocks and what relaxing it would give."""

    exit_code = 3


class PromiseBroken(ShoalError):
    """A release does not hold what its plan promises, or its files are not what its manifest lists."""

    exit_code = 1


class Cancelled(ShoalError):
    """The work was cancelled; nothing was left behind."""

    exit_code = 130


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint naming the closest known name, or an empty string when none is close.

    >>> did_you_mean("zipp", ["age", "zip"])
    "did you mean 'zip'?"
    """
    match = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean '{match[0]}'?" if match else ""
