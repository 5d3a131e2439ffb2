"""The lattice of a full-domain search, as far as the search recorded it."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.coded.record import ExploredLattice, SearchRecord
from shoal.report.document import Block, Cell, Chart, Column, Figure, Table, Text, Tile, Tiles
from shoal.report.numbers import number
from shoal.report.sections.base import Facts, ReportSection

_SHOWN = 50


class SearchedLattice(ReportSection):
    """How many recodings there are and were checked, the lattice if it is small, and the minimal recodings."""

    key = "lattice"
    title = "Lattice of recodings"
    private = True

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        search = facts.manifest.search
        if search.lattice_nodes is None:
            return ()
        known = (
            ("Recodings in the lattice", search.lattice_nodes),
            ("Recodings checked", search.nodes_checked),
            ("Minimal recodings", None if search.minimal is None else len(search.minimal)),
            ("Least height", search.height),
        )
        tiles = Tiles(tuple(Tile(name, value) for name, value in known if value is not None))
        more = Text(("`shoal lattice PLAN` also shows the cost of recodings that were evaluated.",))
        return tiles, *_drawn(search), *_minimal(search), more


def _drawn(search: SearchRecord) -> tuple[Block, ...]:
    """All recodings of a small lattice, or the evaluated ones of a large lattice by height."""
    lattice = search.lattice
    if lattice is None or len(lattice.heights) < 2:
        return ()
    return (_diagram(lattice),) if lattice.nodes else _by_height(lattice)


def _diagram(lattice: ExploredLattice) -> Chart:
    columns = (
        Column("Recoding", about="levels of the columns"),
        Column("Height", "count"),
        Column("Status"),
        Column("Classes", "count"),
        Column("Released"),
    )
    rows = tuple(
        (" ".join(map(str, each.levels)), each.height, each.status, each.classes, each.levels == lattice.released)
        for each in lattice.nodes
    )
    evaluated = sum(each.status in ("passes", "fails") for each in lattice.nodes)
    text = (
        f"Every recoding as the levels of {', '.join(lattice.columns)}, with the number of its classes if they were "
        f"counted. {number(evaluated)} of {number(len(rows))} were evaluated; the released one is "
        f"{' '.join(map(str, lattice.released))}."
    )
    return Chart("lattice", "Recodings by height", text, Table(columns, rows))


def _by_height(lattice: ExploredLattice) -> tuple[Block, ...]:
    seen = [each for each in lattice.heights if each.passing or each.failing]
    columns = (
        Column("Height"),
        Column("Evaluated, fail", "count"),
        Column("Evaluated, pass", "count"),
        Column("Recodings", "number"),
    )
    rows = tuple((number(each.height), each.failing, each.passing, each.recodings) for each in seen)
    levels = ", ".join(f"{name} {level}" for name, level in zip(lattice.columns, lattice.released, strict=True))
    text = (
        "Recodings that were evaluated, by height, the sum of their levels. "
        f"{number(len(lattice.heights) - len(seen))} heights without any are not shown. Released levels: {levels}."
    )
    return (Chart("bars", "Evaluated recodings by height", text, Table(columns, rows)),) if len(rows) > 1 else ()


def _minimal(search: SearchRecord) -> tuple[Block, ...]:
    """The minimal recodings, one a row, with the level of each column."""
    minimal = search.minimal or ()
    if not minimal:
        return ()
    names = tuple(minimal[0])
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (f"{place}", *(Figure(levels[name], "count") for name in names))
        for place, levels in enumerate(minimal[:_SHOWN], start=1)
    )
    first = f", the first {_SHOWN} of {number(len(minimal))}" if len(minimal) > _SHOWN else ""
    caption = f"Minimal recodings: the level of each column{first}"
    return (Table((Column("Recoding"), *(Column(name) for name in names)), rows, caption),)
