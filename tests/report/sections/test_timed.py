"""Timings."""

from __future__ import annotations

from shoal.manifest import Manifest
from shoal.report import Facts, Report
from tests.report.manifests import cells, manifest


def test_the_time_of_every_step_is_for_the_steward() -> None:
    assert cells(manifest(), "timings")[0] == {"Step": "read", "Time": "0.50 s"}
    assert Report.of(Facts(Manifest(timings={"read": 1.0}))).document.section("timings") is None
