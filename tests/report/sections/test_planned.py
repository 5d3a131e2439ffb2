"""The plan in a report."""

from __future__ import annotations

from shoal.manifest import Manifest
from shoal.report import Facts, Report
from shoal.report.document import Code


def test_the_plan_is_shown_as_it_is_stored() -> None:
    section = Report.of(Facts(Manifest(), plan="k = 5\n")).document.section("plan")
    assert section is not None and section.blocks == (Code("k = 5\n"),)
    assert Report.of(Facts(Manifest())).document.section("plan") is None
