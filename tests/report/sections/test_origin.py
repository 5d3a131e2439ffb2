"""The section of the origin."""

from __future__ import annotations

from shoal.figures import PrivateFigures, PublicFigures
from shoal.manifest import Manifest
from shoal.report.document import Table
from shoal.report.sections.base import Facts
from shoal.report.sections.origin import Origin


def test_the_approval_is_shown_to_the_steward_only() -> None:
    public = PublicFigures(provenance={"title": "Ages"})
    (table,) = Origin.of(Facts(Manifest(), public))
    assert isinstance(table, Table) and table.rows == (("Title", "Ages"),)
    (table,) = Origin.of(Facts(Manifest(), public, PrivateFigures(approval={"number": "7"})))
    assert isinstance(table, Table) and table.rows == (("Title", "Ages"), ("Approval: number", "7"))
    assert Origin.of(Facts(Manifest())) == ()
