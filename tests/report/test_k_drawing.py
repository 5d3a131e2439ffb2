from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from shoal.report.k_drawing import Curve, drawn

NCP, ITEMS = Curve("generalization", "ncp", [0.0, 0.1, 0.4]), Curve("items", "items", [0.03, 0.02, 0.0])


def circles(text: str) -> list[tuple[float, float]]:
    root = ElementTree.fromstring(text)
    return [(float(c.get("cx", "")), float(c.get("cy", ""))) for c in root if c.tag.endswith("}circle")]


def test_a_higher_loss_is_drawn_higher_and_farther_right() -> None:
    dots = circles(drawn([1, 5, 20], [], None, NCP, ITEMS, label="three k"))
    ncp, items, against = dots[:3], dots[3:6], dots[6:]
    assert [x for x, _ in ncp] == [x for x, _ in items] == sorted(x for x, _ in ncp)
    assert all(one > two for (_, one), (_, two) in pairwise(ncp))  # y grows downwards
    assert all(one < two for (_, one), (_, two) in pairwise(items))
    assert all(a < b and y < z for (a, y), (b, z) in pairwise(against))


def test_it_needs_nothing_from_anywhere_and_escapes_its_label() -> None:
    text = drawn([1, 5, 20], [7], 5, NCP, ITEMS, label='<b>"&')
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "prefers-color-scheme:dark" in text
    assert ElementTree.fromstring(text).get("aria-label") == '<b>"&'


@pytest.mark.parametrize("values", [[], [0.0], [1.0], [1e-9]])
def test_no_k_one_k_and_extreme_losses(values: list[float]) -> None:
    curve = Curve("a", "ncp", values)
    dots = circles(drawn(list(range(1, len(values) + 1)), [99], None, curve, curve, label=""))
    assert len(dots) == 3 * len(values)
    width, height = 900, 420
    assert all(0 <= x <= width and 0 <= y <= height for x, y in dots)
    assert curve.top >= max(values, default=0.0)
