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
        notes = (*manifest.notes, *_missing(manifest.missing, of_input=facts.private is not None))
        return (Points(notes),) if notes else ()


def _missing(missing: MissingEffect | None, *, of_input: bool) -> list[str]:
    """The effect of missing values on class sizes, in sentences; recipients know only which labels are missing."""
    if missing is None:
        return []
    columns = ", ".join(f"'{name}'" for name in missing.columns)
    share = percent(missing.share_of_rows)
    rows = f"{share} of the rows lack the" if of_input else f"In the release, {share} of the rows show no"
    hidden = "" if of_input else " Labels that stand for several values, such as *, can hide that others lack it."
    sentence = f"Missing values count as a separate value. {rows} value of a quasi-identifier ({columns}).{hidden}"
    shown, others = missing.smallest_class_showing_missing, missing.smallest_other_class
    if shown is None:
        return [f"{sentence} No class shows a missing value."]
    rest = f"; the smallest other class has {number(others)}" if others is not None else ""
    return [f"{sentence} The smallest class that shows a missing value has {number(shown)} members{rest}."]
