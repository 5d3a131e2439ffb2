"""The rows of a release, a page at a time: however large it is, only the rows that are shown are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from shoal.studio.pages import parts
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.toolkit import run, ui

PAGE = 25


def tables_of(release: Path) -> list[Path]:
    """The published tables of a release that can be read page by page."""
    return sorted(path for path in release.iterdir() if path.suffix in (".csv", ".parquet"))


def page_of(path: Path, number: int, size: int = PAGE) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The names of the columns and one page of rows, as they are published."""
    scan = pl.scan_parquet(path) if path.suffix == ".parquet" else pl.scan_csv(path, infer_schema=False)
    frame = scan.slice(number * size, size).collect()
    return frame.columns, frame.rows()


def height_of(path: Path) -> int:
    """The number of rows of a published table."""
    scan = pl.scan_parquet(path) if path.suffix == ".parquet" else pl.scan_csv(path, infer_schema=False)
    return int(scan.select(pl.len()).collect().item())


def released_rows(release: Path) -> None:
    """The grid with its pages."""
    with parts.card("The released rows", public=True):
        tables = tables_of(release)
        if not tables:
            text("The tables of this release are in a format that is not shown here. They are in its folder.", "soft")
            return
        chosen = ui.select({path.name: path.name for path in tables}, value=tables[0].name, label="Table")
        chosen.props("outlined dense").style("max-width: 20rem").set_visibility(len(tables) > 1)
        grid = ui.html("").classes("scroll")
        grid.props["tabindex"] = "0"
        with box("line"):
            pages = ui.pagination(1, 1, direction_links=True, value=1).props("max-pages=7 boundary-numbers")
            words = text("", "soft small")

    async def draw() -> None:
        path = release / str(chosen.value)
        height = await run.io_bound(height_of, path) or 0
        last = max(1, -(-height // PAGE))
        pages.max = last
        number = min(int(pages.value), last) - 1
        heads, rows = await run.io_bound(page_of, path, number) or ([], [])
        grid.set_content(parts.table_html(heads, rows, classes="sample"))
        words.set_text(
            f"{height:,} rows, of which {number * PAGE + 1:,} to {min((number + 1) * PAGE, height):,} are shown."
        )

    pages.on_value_change(draw)
    chosen.on_value_change(draw)
    ui.timer(0, draw, once=True)
