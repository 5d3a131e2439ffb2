"""Scope: the rows that a promise covers, if it does not cover all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl


@dataclass(frozen=True)
class Scope:
    """The rows with one of some values in a sensitive column, and those in which it is missing.

    Only released columns decide, so that a reader of the release knows which rows are covered.

    >>> Scope("disease", ("HIV",)).covers(pl.Series(["HIV", "flu", None])).to_list()
    [True, False, True]
    """

    column: str
    values: tuple[str, ...]

    def covers(self, values: pl.Series) -> pl.Series:
        """bool [values]: whether a row with this value of the column, as canonical text, is covered."""
        return values.is_null() | values.is_in(list(self.values)).fill_null(False)

    def to_json(self) -> dict[str, Any]:
        """The scope as a manifest lists it."""
        return {"column": self.column, "values": list(self.values), "missing": True}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Scope:
        """Reads a scope from a manifest."""
        return cls(str(value["column"]), tuple(str(each) for each in value["values"]))

    @property
    def words(self) -> str:
        """The rows in words, without their values.

        >>> Scope("disease", ("HIV",)).words
        "only rows with a high value of 'disease'"
        """
        return f"only rows with a high value of '{self.column}'"
