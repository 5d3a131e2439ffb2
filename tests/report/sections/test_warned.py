"""Warnings in a report."""

from __future__ import annotations

from shoal.figures import PrivateFigures
from shoal.figures.private import Remedied
from shoal.manifest import Manifest
from shoal.report.document import Points, Table
from shoal.report.sections.base import Facts
from shoal.report.sections.warned import Warned


def test_every_warning_is_a_point() -> None:
    section = Warned.section(Facts(Manifest(warnings=("one", "two"))))
    assert section is not None and section.blocks == (Points(("one", "two")),) and section.tone == "care"


def test_without_warnings_there_is_no_section() -> None:
    assert Warned.section(Facts(Manifest())) is None


def test_the_steward_sees_what_to_do() -> None:
    private = PrivateFigures(warnings=(Remedied("Column 'a' is unique.", "Remove it.", True),))
    (table,) = Warned.of(Facts(Manifest(warnings=("Column 'a' is unique. Remove it.",)), private=private))
    assert isinstance(table, Table) and table.rows == (("Column 'a' is unique.", "Remove it.", "serious"),)
    private = PrivateFigures(warnings=(Remedied("Column 'a' is unique.", "Remove it.", False),))
    (table,) = Warned.of(Facts(Manifest(), private=private))
    assert isinstance(table, Table) and table.rows == (("Column 'a' is unique.", "Remove it."),), "no empty column"
