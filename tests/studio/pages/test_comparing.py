"""The plot of releases."""

from __future__ import annotations

from shoal.studio.pages.comparing import _options


def test_every_release_is_a_point_and_dominated_ones_are_grey() -> None:
    one = {"name": "0001-a", "average_risk": 0.1, "ncp": 0.25, "dominated_by": None}
    two = {"name": "0002-b", "average_risk": 0.2, "ncp": 0.25, "dominated_by": "0001-a"}
    options = _options([one, two], {"0001-a": "first", "0002-b": "<b>"})
    points = options["series"][0]["data"]
    assert [point["value"] for point in points] == [[10.0, 25.0], [20.0, 25.0]]
    assert points[0]["itemStyle"] != points[1]["itemStyle"]
    assert points[0]["tooltip"]["formatter"] == "first\naverage risk 10 %\ninformation loss 25 %"
    assert options["series"][0]["labelLayout"] == {"hideOverlap": True}
    assert options["tooltip"]["renderMode"] == "richText"  # never HTML: names are free text
