"""Measures of the complete release."""

from __future__ import annotations

from shoal import measures
from tests.report.manifests import cells, manifest


def test_every_measure_has_its_row_and_meaning() -> None:
    lines = {line["Measure"]: line for line in cells(manifest(), "measures")}
    assert {cls.about for cls in measures.ALL} <= {line["Meaning"] for line in lines.values()}
    assert (lines["NCP"]["Value"], lines["NCP"]["Better"]) == ("0.25", "lower")
    assert lines["Discernibility ratio"]["Value"] == "0.00104"
    assert lines["Average class size"]["Value"] == "12"
    without = cells(manifest(measures={"ncp": 0.5, "precision": None}), "measures")
    assert [line["Measure"] for line in without] == ["NCP"]
