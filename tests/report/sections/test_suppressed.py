"""The section of suppressed rows."""

from __future__ import annotations

from shoal.figures import PrivateFigures
from shoal.manifest import Manifest
from shoal.report.document import Table
from shoal.report.sections.base import Facts
from shoal.report.sections.suppressed import SuppressedRows


def test_reasons_have_rows_and_shares() -> None:
    private = PrivateFigures(suppressed={"missing values": 0, "search": 5})
    (table,) = SuppressedRows.of(Facts(Manifest(rows_in=50), private=private))
    assert isinstance(table, Table) and table.rows == (("No class could hold them", 5, 0.1),)


def test_without_suppressed_rows_there_is_no_section() -> None:
    assert SuppressedRows.of(Facts(Manifest(), private=PrivateFigures(suppressed={"search": 0}))) == ()
