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
    places = [(*ends(each), float(each.get("y", "0"))) for each in labels]
    for at, (begin, end, y) in enumerate(places):
        assert all(end <= first or last <= begin or abs(y - before) >= 13.9 for first, last, before in places[:at])


def ends(label: ElementTree.Element) -> tuple[float, float]:
    """Where a label begins and ends, if its letters are six pixels wide."""
    x, width = float(label.get("x", "0")), 6 * len(label.text or "")
    return (x - width, x) if "end" in str(label.get("class")).split() else (x, x + width)


def test_a_name_stands_nearer_to_its_mark_than_to_any_other() -> None:
    """Under the right mark, the name of the left one would seem to be that of the right one."""
    marks = [Point("proposed", 0.2, 0.2, kept=True, tip=""), Point("", 0.25, 0.2, kept=True, tip="")]
    drawn = ElementTree.fromstring(scatter("T", [*marks, Point("", 1, 1, kept=False, tip="")], "x", "y", label=""))
    (name,) = (each for each in drawn.findall("{*}text") if each.text == "proposed")
    assert name.get("class") == "name end" and float(name.get("x", "0")) < float(
        drawn.findall("{*}circle")[0].get("cx", "0")
    )


def test_a_line_leads_to_a_name_that_does_not_stand_beside_its_mark() -> None:
    around = [Point("", x, 0.2, kept=True, tip="") for x in (0.15, 0.25)]
    points = [Point("proposed", 0.2, 0.2, kept=True, tip=""), *around, Point("", 1, 1, kept=False, tip="")]
    drawn = ElementTree.fromstring(scatter("T", points, "x", "y", label=""))
    (lead,) = (each for each in drawn.findall("{*}path") if each.get("class") == "lead")
    (name,) = (each for each in drawn.findall("{*}text") if each.text == "proposed")
    circle = drawn.findall("{*}circle")[0]
    begin, end = (part.split() for part in str(lead.get("d"))[1:].split("L"))
    assert begin == [circle.get("cx"), circle.get("cy")]
    assert abs(float(end[0]) - float(name.get("x", "0"))) < 2 and abs(float(end[1]) - float(name.get("y", "0"))) < 5


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
