"""The parts of pages escape every text."""

from __future__ import annotations

import pytest

from shoal.studio.pages.parts import table_html

HOSTILE = '<img src=x onerror="alert(1)">'


def test_a_table_escapes_heads_and_cells() -> None:
    html = table_html([HOSTILE, "n"], [[HOSTILE, 1], [None, 2]], numbers=["n"])
    assert "<img" not in html and html.count("&lt;img") == 2
    assert '<span class="missing">missing</span>' in html and '<td class="right">1</td>' in html


def test_texts_that_do_not_break_are_escaped_too() -> None:
    assert table_html(["a"], [[("1960-01-31", HOSTILE)]]).count('<span class="whole">') == 2
    assert "<img" not in table_html(["a"], [[(HOSTILE,)]])


@pytest.mark.parametrize("classes", ["", "sample"])
def test_a_table_has_one_head_and_all_rows(classes: str) -> None:
    html = table_html(["a"], [["x"]] * 3, classes=classes)
    assert html.count("<th ") == 1 and html.count("<td") == 3
