"""The plot of releases."""

from __future__ import annotations

from shoal.studio.pages.comparing import _COLOURS, _INK, _TOOLTIP, _options
from shoal.studio.pages.frame import STATIC


def luminance(colour: str) -> float:
    """The relative luminance of a colour, by WCAG."""
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_points_and_tooltips_can_be_seen_on_light_and_dark_ground() -> None:
    for ground in ("#ffffff", "#152127"):
        assert all(contrast(colour, ground) >= 3 for colour in _COLOURS.values())
    assert contrast(_TOOLTIP["backgroundColor"], _TOOLTIP["textStyle"]["color"]) >= 7


def test_the_style_sheet_replaces_the_colour_of_texts() -> None:
    sheet = (STATIC / "studio.css").read_text(encoding="utf-8")
    assert f'.scatter text[fill="{_INK}"]' in sheet


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
