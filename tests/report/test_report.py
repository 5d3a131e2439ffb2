"""Both reports in a real browser: complete, readable at every width and in print, offline, and equal to their JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shoal.report.charts import ALL as CHARTS
from shoal.report.document import Document, Section, Table, Tiles, tables
from shoal.report.laid_out import page as page_of
from shoal.report.numbers import cell, shown
from tests.report.charts.drawings import examples
from tests.report.releases import RELEASES, saved

WIDTHS = (400, 1280, 1920)
LARGEST = 3_000_000
LOOKED_AT = ("mondrian", "optimal", "pais", "k-member", "scba", "several", "anatomy", "sets", "wide", "hostile")

FAULTS = """() => {
  const found = [], seen = (each) => each.getClientRects().length > 0
  const wide = document.scrollingElement.scrollWidth
  if (wide > innerWidth) found.push(`the page is ${wide} px wide`)
  const texts_in = (svg) => [...svg.querySelectorAll('text')].filter(seen)
  const boxes = (svg) => texts_in(svg).map((each) => [each.getBoundingClientRect(), each])
  for (const svg of document.querySelectorAll('.chart svg')) {
    if (!seen(svg) || svg.ownerSVGElement) continue
    const around = svg.getBoundingClientRect(), texts = boxes(svg)
    if (around.width < 6 || around.height < 6) found.push('an empty drawing')
    texts.forEach(([one, a], place) => {
      if (parseFloat(getComputedStyle(a).fontSize) < 11) found.push(`small text: ${a.textContent}`)
      if (one.left < around.left - 2 || one.right > around.right + 2) found.push(`cut off: ${a.textContent}`)
      for (const [other, b] of texts.slice(place + 1)) {
        if (one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 3
            && other.top < one.bottom - 3) found.push(`overlapping: ${a.textContent} and ${b.textContent}`)
      }
    })
  }
  for (const row of document.querySelectorAll('.row')) {
    const cells = [...row.children].filter(seen).map((each) => each.getBoundingClientRect())
    cells.forEach((one, place) => cells.slice(place + 1).forEach((other) => {
      if (one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1
          && other.top < one.bottom - 1) found.push('names and drawings overlap')
    }))
  }
  return found
}"""

CUT_OFF_IN_PRINT = """() => [...document.querySelectorAll('table, .chart svg, pre')]
  .filter((each) => {
    if (!each.getClientRects().length) return false
    const around = (each.closest('.chart') ?? document.body).getBoundingClientRect()
    return each.getBoundingClientRect().right > Math.min(around.right, innerWidth) + 1
  })
  .map((each) => each.textContent.slice(0, 60))"""


class Viewer:
    """A browser page that notes every console message, error and request."""

    def __init__(self, browser: Any) -> None:
        self.page = browser.new_page()
        self.noted: list[str] = []
        self.page.on("console", lambda message: self.noted.append(message.text))
        self.page.on("pageerror", lambda error: self.noted.append(str(error)))
        self.page.on("request", lambda request: self._note(request.url))

    def _note(self, url: str) -> None:
        if not url.startswith(("file:", "data:")):
            self.noted.append(url)

    def faults(self, path: Path) -> Iterator[str]:
        """What is wrong with a page at any width, on screen, in the dark and in print."""
        self.page.emulate_media(media="screen", color_scheme="light")
        self.page.goto(path.absolute().as_uri())
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 900})
            yield from (f"{path.parent.name} at {width} px: {fault}" for fault in self.page.evaluate(FAULTS))
        self.page.set_viewport_size({"width": 690, "height": 900})  # the width of A4 between its margins
        self.page.emulate_media(media="print")
        for script in (FAULTS, CUT_OFF_IN_PRINT):
            yield from (f"{path.parent.name} in print: {fault}" for fault in self.page.evaluate(script))
        yield from self.noted

    def words(self) -> str:
        """The text of the page that is open, those behind figures too."""
        self.page.emulate_media(media="screen")
        return " ".join(self.page.evaluate("document.body.textContent").split())


@pytest.fixture(scope="module")
def viewer(browser: Any) -> Iterator[Viewer]:
    found = Viewer(browser)
    yield found
    found.page.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


def figures(document: Document) -> Iterator[str]:
    """Every figure of a document as it is displayed."""
    for table in tables(document):
        yield from (
            cell(each, column.kind) for row in table.rows for each, column in zip(row, table.columns, strict=True)
        )
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, Tiles):
                yield from (shown(tile.value, tile.kind) for tile in block.tiles)


@pytest.mark.parametrize("name", LOOKED_AT)
def test_both_reports_of_a_release(viewer: Viewer, folder: Path, name: str) -> None:
    public = saved(folder, name)
    for place in (public, public.with_name(f"{name}.private")):
        path = place / "report.html"
        assert path.stat().st_size < LARGEST
        assert not list(viewer.faults(path))
        document = Document.from_json(json.loads((place / "report.json").read_text(encoding="utf-8")))
        headings = viewer.page.evaluate("[...document.querySelectorAll('h2')].map((each) => each.id)")
        assert headings == [section.key for section in document.sections]
        words = viewer.words()
        missing = [figure for figure in dict.fromkeys(figures(document)) if " ".join(figure.split()) not in words]
        assert not missing
        drawn = viewer.page.evaluate("document.querySelectorAll('figure.chart .drawing svg').length")
        assert bool(drawn) == any(
            not isinstance(block, Table) and block.block == "chart"
            for section in document.sections
            for block in section.blocks
        )


def test_every_chart_is_readable(viewer: Viewer, folder: Path) -> None:
    sections = tuple(Section(chart.kind, chart.kind, (chart,)) for chart in examples())
    place = folder / "gallery"
    place.mkdir()
    (place / "report.html").write_text(page_of(Document("t", "Charts", "All.", "good", sections)), encoding="utf-8")
    assert {section.key for section in sections} == set(CHARTS)
    assert not list(viewer.faults(place / "report.html"))


def test_the_dark_page_is_dark_and_the_table_behind_a_figure_opens(viewer: Viewer, folder: Path) -> None:
    viewer.page.set_viewport_size({"width": 1280, "height": 900})
    viewer.page.emulate_media(media="screen", color_scheme="dark")
    viewer.page.goto((saved(folder, "pais") / "report.html").as_uri())
    ground = viewer.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(int(part) for part in ground[4:-1].split(",")) < 150
    table = viewer.page.locator("#steps ~ figure details table")
    assert not table.is_visible()
    viewer.page.locator("#steps ~ figure summary").click()
    assert table.is_visible()


def test_the_faults_that_are_looked_for_would_be_found(viewer: Viewer, folder: Path) -> None:
    place = folder / "faulty"
    place.mkdir()
    texts = '<text y="20">one</text><text y="20" style="font-size:9px">two</text><text x="95%" y="20">three</text>'
    drawn = f'<div class="chart"><svg width="200" height="40">{texts}</svg></div><div style="width:3000px">wide</div>'
    requested = '<img src="http://127.0.0.1:9/none.png"><script>console.log("noted")</script>'
    (place / "report.html").write_text(f"<!DOCTYPE html>{drawn}{requested}", encoding="utf-8")
    found = " ".join(viewer.faults(place / "report.html"))
    viewer.noted.clear()
    for fault in ("the page is", "overlapping: one and two", "small text: two", "cut off: three", "none.png", "noted"):
        assert fault in found


def test_every_algorithm_and_form_is_among_the_releases() -> None:
    from shoal import algorithms, forms

    assert {each.kind for each in algorithms.ALL} <= set(RELEASES) and {each.kind for each in forms.ALL} - set(
        RELEASES
    ) == {"generalized"}
