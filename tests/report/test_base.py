"""The page and the fragment: whole, offline, escaped, accessible, the same every time."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import models
from shoal.manifest import Manifest
from shoal.report import Report
from tests.report.manifests import HOSTILE, failing, hostile, manifest, report

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """The tags of a page, in order, with attributes; fails where they do not nest."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))

    def having(self, *names: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag in names]


def every_kind() -> dict[str, Any]:
    return manifest(models=[{"kind": cls.kind, "achieved": {}, "holds": True} for cls in models.ALL])


@pytest.mark.parametrize("given", [manifest(), failing(), hostile(), every_kind(), {}])
def test_page_and_fragment_are_well_formed_and_offline(given: dict[str, Any]) -> None:
    told = report(given)
    for html in (told.page(), told.fragment()):
        page = Page(html)
        assert not page.having("script", "iframe", "object", "embed", "img")
        links = [value for tag in page.tags for name, value in tag[1].items() if name in ("src", "href", "action")]
        assert set(links) <= {"data:,"}
        assert not re.search(r"https?:|url\(|@import|javascript:", html)


def test_everything_from_outside_is_escaped() -> None:
    told = report(hostile())
    for html in (told.page(), told.fragment()):
        assert HOSTILE not in html and "<script" not in html
        assert html.count("&lt;script&gt;") >= 5


def test_the_page_says_what_was_promised_and_achieved() -> None:
    text = Page(report(manifest()).page()).text
    for words in (
        "Every promise holds",
        "the 11,400 released rows",
        "950 classes",
        "l = 3, variant = distinct",
        "k = 6",
        "No model covers sensitive column 'stage'",
        "The plan counts persons.",
        "12 rows on average",
        "5 % of all",
        "Minimality attack",
        "shoal verify DIR --digest DIGEST",
        "Shoal 9.8.7",
    ):
        assert words in text


def test_a_broken_promise_is_the_headline() -> None:
    page = Page(report(failing()).page())
    assert "A promise does not hold" in page.text and "Every promise holds" not in page.text
    assert "✗ fails" in page.text


def test_headings_and_tables_can_be_read_aloud() -> None:
    page = Page(report(manifest()).page())
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1 and levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all(cell.get("scope") in ("col", "row") for cell in page.having("th"))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    named = [attributes["aria-labelledby"] for _, attributes in page.tags if "aria-labelledby" in attributes]
    assert len(ids) == len(set(ids)) and set(named) <= set(ids)
    assert page.having("html")[0]["lang"] == "en"


def _luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_colours_have_enough_contrast_in_light_and_dark() -> None:
    style = report(manifest()).page().partition("<style>")[2].partition("@media (max-width")[0]
    light, dark = (dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", half)) for half in style.split("prefers-color"))
    for colours in (light, dark):
        for ink in ("ink", "soft"):
            assert all(_contrast(colours[ink], colours[ground]) >= 4.5 for ground in ("ground", "sheet", "sea-soft"))
        for tone in ("good", "bad", "care"):
            assert _contrast(colours[tone], colours[f"{tone}-soft"]) >= 4.5
            assert _contrast(colours["ink"], colours[f"{tone}-soft"]) >= 4.5
        assert _contrast(colours["sea"], colours["sea-soft"]) >= 3


def test_the_same_manifest_gives_the_same_file(tmp_path: Path) -> None:
    report(manifest()).save(tmp_path / "a.html")
    report(json.loads(json.dumps(manifest()))).save(tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == report(manifest()).page()


def test_a_release_reports_on_itself_without_its_values() -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "age": rng.integers(77_000, 77_090, 300),
            "town": rng.choice(["zzA", "zzB", "zzC"], 300),
            "illness": rng.choice(["zzFlu", "zzCold", "zzGout"], 300),
            "job": ["zzJob"] * 300,
        }
    )
    columns = {
        "age": shoal.quasi(),
        "town": shoal.quasi(),
        "illness": shoal.sensitive(),
        "job": shoal.insensitive(),
    }
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=5), shoal.LDiversity("illness", l=2)])
    release = shoal.anonymize(frame, plan)
    told = release.report
    assert "Every promise holds" in release._repr_html_()
    for shown in (told.page(), told.fragment(), told.text()):
        assert "Every promise holds" in shown and "illness" in shown
        assert "zz" not in shown and "770" not in shown


def test_the_template_engine_is_loaded_only_to_lay_out_html() -> None:
    code = """
import sys
from shoal.manifest import Manifest
from shoal.report import Report
Report(Manifest()).text()
sys.stdout.write(str("jinja2" in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "False"


def _steps(many: int, value: str) -> dict[str, Any]:
    """What a release made in so many steps says of them, of a column with hostile values."""
    figures = {"score": 1.0, "classes": 2, "smallest_class": 3, "support": 3, "confidence": 0.5}
    steps = [
        {"column": "age", "parts": [0, 1, 2], "ncp": 1 / n, "discernibility_ratio": 1 / n, **figures}
        for n in range(1, many + 1)
    ]
    return {"steps": steps, "step_values": {"age": [value, "b"]}}


def test_steps_are_drawn_without_a_value_of_the_data() -> None:
    html = report(manifest(**_steps(3, HOSTILE))).page()
    assert ("h2", {"id": "steps"}) in Page(html).tags
    assert "steps 1 to 3" in html and "script" not in html.split('id="steps"')[1]
    assert 'id="steps"' not in report(manifest()).page()


def test_many_steps_are_drawn_by_some() -> None:
    html = report(manifest(**_steps(30_000, "a"))).page()
    assert "steps 1 to 30000" in html and html.count("<circle") == 3 * 400


def test_a_page_that_was_loaded_ahead_is_the_same() -> None:
    code = (
        "import sys\nfrom shoal.manifest import Manifest\nfrom shoal.report.base import Report, load_page\n"
        "assert 'jinja2' not in sys.modules\nload_page()\nassert 'jinja2' in sys.modules\n"
        "print(Report(Manifest(rows_in=9, rows_released=9, classes=2)).page(), end='')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == Report(Manifest(rows_in=9, rows_released=9, classes=2)).page()


def test_no_column_of_a_table_is_cut_on_a_small_screen() -> None:
    """Tables with texts in several columns are stacked there, and every cell names its column."""
    risk = {"prosecutor": {"highest": 0.2, "average": 0.1}, "thresholds": {}, "exceeded": {}}
    page = report(manifest(risk=risk)).page()
    for section in ("promises", "measures", "columns", "risk"):
        table = page.split(f'<h2 id="{section}">')[1].split("</table>")[0]
        assert '<table class="stacked">' in table
        heads, row = table.count('<th scope="col"'), table.split("<tr><th scope=")[2].split("</tr>")[0]
        assert row.count("<td") == heads - 1 and row.count("data-name=") >= heads - 2
