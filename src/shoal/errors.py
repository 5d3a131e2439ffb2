"""Errors that carry their facts: what is wrong, what is allowed, and a hint. No error contains a cell value."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import partial
from typing import ClassVar


class ShoalError(Exception):
    """The base of all errors that users read; the command line returns its `exit_code`."""

    exit_code: ClassVar[int] = 2

    def __init__(self, fact: str, *, allowed: str = "", hint: str = "") -> None:
        self.fact = fact
        self.allowed = allowed
        self.hint = hint
        super().__init__(fact, allowed, hint)

    def __reduce__(self) -> tuple[partial[ShoalError], tuple[str]]:
        return partial(type(self), allowed=self.allowed, hint=self.hint), (self.fact,)  # for copies and other processes

    def __str__(self) -> str:
        return " ".join(part for part in (self.fact, self.allowed, self.hint and f"Hint: {self.hint}") if part)


class PlanError(ShoalError):
    """The plan is invalid, or does not fit the table. No privacy model is evaluated to find this out."""


class TableError(ShoalError):
    """A table cannot be read, or cannot be used."""


class HierarchyError(ShoalError):
    """A hierarchy is malformed, or does not cover its column."""


class OutputError(ShoalError):
    """The release cannot be written to the requested place."""


class MissingExtra(ShoalError):
    """A feature needs an optional dependency that is not installed."""


class EngineError(ShoalError):
    """An engine cannot do its work, for a reason that says nothing about the table: too little memory, or a fault."""


class KnowledgeNeeded(ShoalError):
    """A release cannot be verified or gated, because a knowledge table that it does not contain is not at hand."""


class CannotBeMet(ShoalError):
    """The models cannot be met on this data; the message states which ones block, and which parameters would hold."""

    exit_code = 3


class PromiseBroken(ShoalError):
    """A release does not keep the promises of its plan, or its files differ from those that its manifest lists."""

    exit_code = 1


class Cancelled(ShoalError):
    """The work was cancelled; no files were left behind."""

    exit_code = 130


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint with the closest known name; empty if none is close.

    >>> did_you_mean("zipp", ["age", "zip"])
    "did you mean 'zip'?"
    """
    match = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean '{match[0]}'?" if match else ""
