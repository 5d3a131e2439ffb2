"""The section of the lattice."""

from __future__ import annotations

from dataclasses import replace

import shoal
from shoal.coded.record import ExploredHeight, ExploredLattice, SearchRecord
from shoal.manifest import Manifest
from shoal.report.document import Chart, Figure, Table, Tiles
from shoal.report.sections.base import Facts
from shoal.report.sections.searched_lattice import SearchedLattice
from tests.figures.releases import released


def test_minimal_recodings_are_listed_with_their_levels() -> None:
    record = SearchRecord(lattice_nodes=12, nodes_checked=7, minimal=({"age": 1, "zip": 0}, {"age": 0, "zip": 2}))
    tiles, minimal, _ = SearchedLattice.of(Facts(Manifest(search=record)))
    assert isinstance(tiles, Tiles) and [tile.value for tile in tiles.tiles] == [12, 7, 2]
    assert isinstance(minimal, Table) and minimal.rows[1] == ("2", Figure(0, "count"), Figure(2, "count"))


def test_only_full_domain_searches_have_a_lattice() -> None:
    full_domain, cuts = released(algorithm=shoal.Incognito()), released()
    assert SearchedLattice.section(Facts(full_domain.steward, *full_domain.figures)) is not None
    assert SearchedLattice.section(Facts(full_domain.steward, full_domain.figures.public)) is None, "for the steward"
    assert SearchedLattice.of(Facts(cuts.steward, *cuts.figures)) == ()


def test_a_small_lattice_is_drawn_with_the_released_recoding() -> None:
    release = released(algorithm=shoal.Optimal())
    chart = SearchedLattice.of(Facts(release.steward, *release.figures))[1]
    assert isinstance(chart, Chart) and chart.kind == "lattice"
    assert [row[4] for row in chart.table.rows].count(True) == 1
    assert len(chart.table.rows) == release.steward.search.lattice_nodes


def test_a_large_lattice_is_counted_by_height() -> None:
    heights = (ExploredHeight(0, 1, 0, 1), ExploredHeight(1, 400, 0, 0), ExploredHeight(2, 9000, 2, 5))
    record = SearchRecord(lattice_nodes=9401, lattice=ExploredLattice(("age", "zip"), (1, 1), heights))
    chart = SearchedLattice.of(Facts(Manifest(search=record)))[1]
    assert isinstance(chart, Chart) and chart.table.rows == (("0", 1, 0, 1), ("2", 5, 2, 9000))
    one = replace(record, lattice=ExploredLattice(("age", "zip"), (1, 1), heights[2:]))
    assert not any(isinstance(block, Chart) for block in SearchedLattice.of(Facts(Manifest(search=one))))
