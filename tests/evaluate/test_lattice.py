"""What is told of a searched lattice, against a look at every node of it."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import Algorithm, Incognito, Optimal, Samarati
from shoal.errors import PlanError
from shoal.evaluate.lattice import explore
from shoal.manifest import read_manifest
from shoal.models import KAnonymity
from shoal.pipeline import fitted
from shoal.report.lattice import SearchedLattice, svg
from shoal.search.explored import FAILS, PASSES, PASSES_ABOVE, RULED_OUT, STATUSES
from shoal.search.lattice import Lattice
from tests.effort import examples

AGES, SEXES = st.sampled_from(["20", "21", "30", "35", "47"]), st.sampled_from(["f", "m"])
ROWS = st.lists(st.tuples(AGES, SEXES), min_size=4, max_size=30)
ALGORITHMS = st.sampled_from(["loss", "discernibility"]).flatmap(
    lambda measure: st.sampled_from([Optimal(measure), Incognito(measure), Samarati(measure)])
)


def plan_of(folder: Path, rows: list[tuple[str, str]], algorithm: Algorithm, suppression: float) -> shoal.Plan:
    path = folder / "table.csv"
    pl.DataFrame(rows, schema={"age": pl.String, "sex": pl.String}, orient="row").write_csv(path)
    return shoal.Plan(
        data=shoal.Data(source=str(path)),
        columns={"age": shoal.quasi(shoal.intervals(10, 20)), "sex": shoal.quasi()},
        models=[KAnonymity(k=2)],
        algorithm=algorithm,
        release=shoal.ReleaseSettings(suppression=suppression),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("explored")


@given(rows=ROWS, algorithm=ALGORITHMS, suppression=st.sampled_from([0.0, 0.2]))
@settings(deadline=None, max_examples=examples(40))
def test_every_status_is_true(
    folder: Path, rows: list[tuple[str, str]], algorithm: Algorithm, suppression: float
) -> None:
    plan = plan_of(folder, rows, algorithm, suppression)
    found = explore(plan)
    lattice = Lattice(fitted(pl.read_csv(folder / "table.csv"), plan).coded, plan.enforced, suppression)
    assert [node.levels for node in found.nodes] == [(a, b) for a in range(4) for b in range(2)]
    for node in found.nodes:
        feasible = lattice.feasible(lattice.check(node.levels))
        assert {PASSES: feasible, PASSES_ABOVE: feasible, FAILS: not feasible, RULED_OUT: not feasible}.get(
            node.status, True
        )
        assert (node.cost is not None) is (node.status == PASSES)
    assert found.chosen.status == PASSES
    assert found.chosen in found.best
    if isinstance(algorithm, Optimal):
        assert found.best[0].cost == pytest.approx(found.chosen.cost)
    told = {height: dict.fromkeys(STATUSES, 0) for height in range(5)}
    for node in found.nodes:
        told[sum(node.levels)][node.status] += 1
    assert [(line.nodes, dict(line.counts)) for line in found.by_height] == [
        (sum(counts.values()), {status: count for status, count in counts.items() if count}) for counts in told.values()
    ]


def drawn(found: SearchedLattice) -> ElementTree.Element:
    return ElementTree.fromstring(svg(found))


def test_the_drawing_has_a_box_for_every_recoding_and_needs_nothing_from_anywhere(folder: Path) -> None:
    found = explore(plan_of(folder, [("20", "f"), ("21", "f"), ("47", "m"), ("47", "m")], Optimal(), 0.0), drawn=True)
    text = svg(found)
    root = drawn(found)
    boxes = [group for group in root if group.tag.endswith("}g")]
    assert len(boxes) == found.size == 8
    assert sum("chosen" in (part.get("class") or "") for box in boxes for part in box) == 1
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "prefers-color-scheme:dark" in text


def test_levels_are_those_of_the_manifest_also_above_a_finest_level(folder: Path) -> None:
    plan = plan_of(folder, [("20", "f"), ("21", "f"), ("30", "f"), ("35", "m")], Optimal(), 0.0)
    ages = shoal.quasi(shoal.intervals(10, 20), finest=1)
    plan = plan.changed(columns={**plan.columns, "age": ages})
    shoal.anonymize_to(plan, folder / "finest")
    found = explore(plan)
    assert found.finest == (1, 0) and found.heights == (2, 1)
    assert dict(zip(found.columns, found.chosen.levels, strict=True)) == dict(read_manifest(folder / "finest").levels)
    assert {node.levels[0] for node in found.nodes} == {1, 2, 3} and len(drawn(found)) > 0


def test_column_names_cannot_break_the_drawing(folder: Path) -> None:
    path = folder / "odd.csv"
    pl.DataFrame({'<b>"&': ["a", "a", "b"]}).write_csv(path)
    plan = shoal.Plan(
        data=shoal.Data(source=str(path)),
        columns={'<b>"&': shoal.quasi()},
        models=[KAnonymity(k=2)],
        algorithm=Optimal(),
    )
    assert len(drawn(explore(plan))) > 0


def test_a_large_lattice_is_told_by_height_and_not_drawn(folder: Path) -> None:
    path = folder / "wide.csv"
    pl.DataFrame({f"c{a}": [str(i >> a & 1) for i in range(40)] for a in range(22)}).write_csv(path)
    plan = shoal.Plan(
        data=shoal.Data(source=str(path)),
        columns={f"c{a}": shoal.quasi() for a in range(22)},
        models=[KAnonymity(k=3)],
        algorithm=Optimal(budget=0.3),
    )
    found = explore(plan)
    assert sum(line.nodes for line in found.by_height) == found.size == 2**22
    assert all(sum(line.counts.values()) == line.nodes for line in found.by_height)
    assert len(found.as_dict()["nodes"]) <= 10
    with pytest.raises(PlanError, match="too many to draw"):
        explore(plan, drawn=True)


def test_an_algorithm_without_a_lattice_is_refused(folder: Path) -> None:
    plan = plan_of(folder, [("20", "f")] * 2, Optimal(), 0.0).changed(algorithm=shoal.Mondrian())
    with pytest.raises(PlanError, match="searches no lattice"):
        explore(plan)
