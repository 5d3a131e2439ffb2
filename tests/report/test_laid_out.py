"""The page and the fragment: complete, offline, escaped, accessible, and a function of the document."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest

from shoal import models
from shoal.manifest import Manifest
from shoal.report import Facts, Report
from shoal.report.document import Column, Document, Figure, Section, Table, Text
from shoal.report.laid_out import fragment
from shoal.report.laid_out import page as page_of
from shoal.report.text import as_text
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
        assert {link for link in links if link is not None and not link.startswith("#")} <= {"data:,"}
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
        "variant = distinct",
        "l-diversity of diagnosis",
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
    named = [each[name] for _, each in page.tags for name in ("aria-labelledby", "aria-describedby") if name in each]
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


def test_the_template_engine_is_loaded_only_to_lay_out_html() -> None:
    code = """
import sys
from shoal.manifest import Manifest
from shoal.report import Facts, Report
Report.of(Facts(Manifest())).text()
sys.stdout.write(str("jinja2" in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "False"


def test_a_page_that_was_loaded_ahead_is_the_same() -> None:
    code = (
        "import sys\nfrom shoal.manifest import Manifest\nfrom shoal.report import Facts, Report\n"
        "from shoal.report.laid_out import load_page\n"
        "assert 'jinja2' not in sys.modules\nload_page()\nassert 'jinja2' in sys.modules\n"
        "print(Report.of(Facts(Manifest(rows_in=9, rows_released=9, classes=2))).page(), end='')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == Report.of(Facts(Manifest(rows_in=9, rows_released=9, classes=2))).page()


def test_no_column_of_a_table_is_cut_on_a_small_screen() -> None:
    """Tables with texts in several columns are stacked there, and every cell names its column."""
    risk = {"prosecutor": {"highest": 0.2, "average": 0.1}, "thresholds": {}, "exceeded": {}}
    page = report(manifest(risk=risk)).page()
    for section in ("promises", "measures", "columns", "risk"):
        table = page.split(f'<h2 id="{section}"')[1].split("</table>")[0]
        assert '<table class="stacked">' in table
        heads, row = table.count('<th scope="col"'), table.split("<tr><th scope=")[2].split("</tr>")[0]
        assert row.count("<td") == row.count("data-name=") == heads - 1


def test_commands_in_sentences_are_set_apart() -> None:
    blocks = (Text(("Run `shoal risk <DIR>`.", "A single ` of a name.")),)
    page = page_of(Document("t", "v", "l", "good", (Section("a", "A", blocks),)))
    assert "<p>Run <code>shoal risk &lt;DIR&gt;</code>.</p>" in page and "<p>A single ` of a name.</p>" in page


def test_cells_are_shown_by_their_own_kind() -> None:
    columns = (Column("Name"), Column("Value"), Column("Holds", "verdict"), Column("Share", "share", bar=True))
    rows = (("a", Figure(0.5, "share"), True, 0.25), ("b", Figure(True, "verdict"), False, None))
    page = page_of(Document("t", "v", "l", "good", (Section("a", "A", (Table(columns, rows),)),)))
    assert '<td data-name="Value">50 %</td>' in page and "✓ holds" in page and "✗ fails" in page
    assert 'style="width:25%"' in page and '<td data-name="Share">–</td>' in page


def test_control_characters_are_written_as_escapes() -> None:
    document = Document("t", "v\x1b[2J", "\u202eevil\x00", "good", (Section("a", "A\x07", (Text(("x\x9b",)),)),))
    for shown in (page_of(document), fragment(document), as_text(document)):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown)
        assert "v\\x1b[2J" in shown
