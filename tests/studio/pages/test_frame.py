"""The frame knows every step, and its style sheet loads nothing from elsewhere."""

from __future__ import annotations

import re

from shoal.studio.pages.frame import _PAGES, STATIC
from shoal.studio.steps import STEPS


def test_every_step_has_a_page() -> None:
    assert list(_PAGES) == [step.path for step in STEPS]


def test_the_style_sheet_is_complete_in_itself() -> None:
    css = (STATIC / "studio.css").read_text(encoding="utf-8")
    assert not re.search(r"url\(|@import|https?:", css)
    assert css.count("{") == css.count("}")
    light, dark = (re.search(pattern + r" \{(.*?)\}", css, re.DOTALL) for pattern in (":root", "body.body--dark"))
    assert light and dark
    names = [set(re.findall(r"--[a-z-]+(?=:)", part[1])) for part in (light, dark)]
    assert names[0] <= names[1]
