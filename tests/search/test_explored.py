"""What a search saw of its lattice."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.search.explored import FAILS, PASSES, PASSES_ABOVE, RULED_OUT, UNSEEN

FRAME = pl.DataFrame(
    {"age": [20, 21, 22, 23, 40, 41, 42, 43], "zip": ["111", "112", "121", "122"] * 2, "sex": ["f", "m"] * 4}
)


def _record(algorithm: object, *, finest: int | None = None) -> shoal.Release:
    columns = {
        "age": shoal.quasi(shoal.intervals(5, 20), finest=finest) if finest else shoal.quasi(shoal.intervals(5, 20)),
        "zip": shoal.quasi(shoal.prefixes()),
        "sex": shoal.quasi(),
    }
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)], algorithm=algorithm)  # type: ignore[arg-type]
    return shoal.anonymize(FRAME, plan)


@pytest.mark.parametrize("algorithm", [shoal.Optimal(), shoal.Optimal(local=True), shoal.Incognito(), shoal.Samarati()])
def test_a_small_lattice_is_recorded_with_all_its_nodes(algorithm: object) -> None:
    search = _record(algorithm).steward.search
    lattice = search.lattice
    assert lattice is not None and lattice.columns == ("age", "zip", "sex")
    assert len(lattice.nodes) == search.lattice_nodes == sum(each.recodings for each in lattice.heights)
    status = {node.levels: node.status for node in lattice.nodes}
    assert status[lattice.released] == PASSES
    assert set(status.values()) <= {PASSES, FAILS, PASSES_ABOVE, RULED_OUT, UNSEEN}
    for node in lattice.nodes:
        tally = lattice.heights[node.height]
        assert tally.passing + tally.failing <= tally.recodings
        assert (node.classes is not None) <= (node.status in (PASSES, FAILS)), "others were not evaluated"


def test_levels_are_those_of_the_plan() -> None:
    lattice = _record(shoal.Optimal(), finest=1).steward.search.lattice
    assert lattice is not None and min(node.levels[0] for node in lattice.nodes) == 1
    assert min(node.height for node in lattice.nodes) == 0


def test_recipients_do_not_see_it() -> None:
    release = _record(shoal.Optimal())
    assert release.manifest.search.lattice is None and "lattice" not in release.manifest.to_json()
    assert release.report.document.section("lattice") is None
    assert shoal.Manifest.from_json(release.steward.to_json()).search.lattice == release.steward.search.lattice


def test_a_large_lattice_is_counted_by_height(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.search.explored.DRAWN_AT_MOST", 10)
    lattice = _record(shoal.Optimal()).steward.search.lattice
    assert lattice is not None and not lattice.nodes
    assert sum(each.passing for each in lattice.heights) >= 1
