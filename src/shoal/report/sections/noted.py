"""The notes of a release: what verification could not check, what the form does not hide, and missing values."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.manifest import MissingEffect
from shoal.percent import percent
from shoal.report.document import Block, Points
from shoal.report.numbers import number
from shoal.report.sections.base import Facts, ReportSection


class Noted(ReportSection):
    """Every note."""

    key = "notes"
    title = "Notes"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        manifest = facts.manifest
        notes = (*manifest.notes, *_missing(manifest.missing))
        return (Points(notes),) if notes else ()


def _missing(missing: MissingEffect | None) -> list[str]:
    """The effect of missing values on class sizes, in sentences."""
    if missing is None:
        return []
    columns = ", ".join(f"'{name}'" for name in missing.columns)
    sentence = (
        f"Missing values count as a separate value. {percent(missing.share_of_rows)} of the rows lack the value of a "
        f"quasi-identifier ({columns})."
    )
    shown, others = missing.smallest_class_showing_missing, missing.smallest_other_class
    if shown is None:
        return [f"{sentence} No class shows a missing value."]
    rest = f"; the smallest other class has {number(others)}" if others is not None else ""
    return [f"{sentence} The smallest class that shows a missing value has {number(shown)} members{rest}."]
