"""The drawing of points: inside its axes, with labels that do not cover each other."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from shoal.report.scatter import Point, scatter

points = st.lists(
    st.builds(
        Point, st.text("abc", min_size=1, max_size=30), st.floats(0, 1), st.floats(0, 1), st.booleans(), st.just("")
    ),
    max_size=12,
)


@given(points)
def test_points_and_labels_lie_inside_and_apart(found: list[Point]) -> None:
    drawn = ElementTree.fromstring(scatter("Title", found, "across", "up", label="in words"))
    width, height = (float(drawn.get(side, "0")) for side in ("width", "height"))
    circles = drawn.findall("{*}circle")
    assert len(circles) == len(found)
    for circle in circles:
        assert 0 <= float(circle.get("cx", "-1")) <= width
        assert 0 <= float(circle.get("cy", "-1")) <= height
    labels = [each for each in drawn.findall("{*}text") if "name" in str(each.get("class")).split()]
    assert len(labels) == len(found)
    places = [(float(each.get("x", "0")), float(each.get("y", "0"))) for each in labels]
    for at, (x, y) in enumerate(places):
        assert all(abs(x - other) >= 110 or abs(y - before) >= 13.9 for other, before in places[:at])


def test_it_says_the_same_in_words() -> None:
    drawn = ElementTree.fromstring(scatter("Title", [], "across", "up", label='a "quoted" label'))
    assert (drawn.get("role"), drawn.get("aria-label")) == ("img", 'a "quoted" label')


def test_what_is_not_accepted_is_marked() -> None:
    over = Point("a", 0.2, 0.4, kept=True, tip="", exceeds=True)
    drawn = ElementTree.fromstring(scatter("T", [over], "across", "up", label="", note="Orange rings", limit=0.2))
    assert [each.get("class") for each in drawn.findall("{*}circle")] == ["over"]
    (limit,) = (each for each in drawn.findall("{*}path") if each.get("class") == "grid limit")
    assert str(limit.get("d")).startswith("M84 216.0"), "at half of the height"
    assert "Orange rings" in [each.text for each in drawn.findall("{*}text")]
