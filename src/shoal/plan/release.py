"""How a release is published, and what it says about its origin: title, purpose, steward, date, licence, approval."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator

from shoal.errors import PlanError
from shoal.roles.columns import Part


def _as_text(given: Any) -> Any:
    """A date of a plan file as text; other values as they are."""
    return given.isoformat() if isinstance(given, datetime.date) else given


def _all_as_text(given: Any) -> Any:
    """The fields of an approval with dates and whole numbers as text."""
    if not isinstance(given, dict):
        return given
    numbers = {name: str(value) for name, value in given.items() if type(value) is int}
    return {name: numbers.get(name, _as_text(value)) for name, value in given.items()}


def _readable(text: str) -> str:
    """The text without blanks around it; raises if nothing is left, or if it contains control characters."""
    text = text.strip()
    if not text or not all(character.isprintable() or character == "\n" for character in text):
        raise PlanError(
            "A text under [release] is empty or contains control characters.",
            allowed="Title, purpose, steward, date, licence and the fields of approval must be readable text.",
            hint="omit a key that you do not need.",
        )
    return text


_Text = Annotated[str, AfterValidator(_readable)]


class ReleaseSettings(Part):
    """How the release is published, and what it says about its origin.

    >>> ReleaseSettings(title="Admissions 2025", date=datetime.date(2025, 3, 1)).provenance
    {'title': 'Admissions 2025', 'date': '2025-03-01'}
    """

    CITED: ClassVar[tuple[str, ...]] = ("title", "purpose", "steward", "date", "licence")
    """The keys that recipients cite a release by. They are published as they stand in the plan."""

    form: str = "generalized"
    categories: Literal["hierarchy", "sets"] = "hierarchy"
    ranges: Literal["tight", "cut"] = "tight"
    suppression: float = 0.0
    format: Literal["csv", "parquet", "dta", "sav"] = "csv"
    strict: bool = False
    escape_formulas: bool = False
    title: _Text | None = None
    purpose: _Text | None = None
    steward: _Text | None = None
    date: Annotated[_Text | None, BeforeValidator(_as_text)] = None
    licence: _Text | None = None
    approval: Annotated[dict[str, _Text], BeforeValidator(_all_as_text)] = {}

    @property
    def provenance(self) -> dict[str, str]:
        """The cited keys that the plan has."""
        return {key: value for key in self.CITED if (value := getattr(self, key)) is not None}

    @property
    def published(self) -> ReleaseSettings:
        """The settings as they are published: without the approval, which concerns the steward."""
        return self.model_copy(update={"approval": {}})

    @property
    def promised(self) -> ReleaseSettings:
        """The settings that a promise can depend on: without the origin of the release."""
        return self.model_copy(update={**dict.fromkeys(self.CITED), "approval": {}})
