"""All statistics of a release: bounds that hold, equal results of engines, and a public folder that does not change."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.engines.local import LocalEngine
from shoal.errors import PlanError
from shoal.estimating.comparing import compared_statistics
from shoal.manifest import Manifest
from shoal.pipeline import fitted
from shoal.statistics import Compared, Correlation, Figure, Prevalence, Regression
from shoal.table import Runs
from tests.effort import examples

_REQUESTS = (
    Prevalence("ill", values=("flu",), by=("age", "job"), bands={"age": (30, 50)}),
    Prevalence("cost", least=50, by=("job",)),
    Regression("cost", on=("age", "job")),
    Regression("ill", on=("age",), values=("flu",)),
)


def _frame(rows: int, seed: int = 0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    age = random.integers(18, 80, rows)
    return pl.DataFrame(
        {
            "age": age,
            "job": random.choice(["clerk", "cook", "nurse", "pilot"], rows),
            "ill": random.choice(["flu", "cold", "HIV"], rows),
            "cost": np.round(age + random.normal(0, 10, rows), 1),
        }
    )


def _plan(statistics: tuple[Any, ...] = _REQUESTS, **parts: Any) -> shoal.Plan:
    columns = {
        "age": shoal.quasi(),
        "job": shoal.quasi(),
        "ill": shoal.sensitive(),
        "cost": shoal.insensitive(),
    }
    release = shoal.ReleaseSettings(categories="sets", suppression=0.1)
    given_ = {"columns": columns, "models": [shoal.KAnonymity(k=5)], "release": release, **parts}
    return shoal.Plan(statistics=statistics, **given_)


def _of(found: tuple[Compared, ...], kind: str, column: str) -> dict[str, Figure]:
    compared = next(each for each in found if each.kind == kind and each.columns[0] == column)
    return {each.name: each for each in compared.figures}


def _within(figure: Figure, value: float) -> None:
    assert isinstance(figure.low, float) and isinstance(figure.high, float)
    assert figure.low - 1e-6 <= value <= figure.high + 1e-6, figure


@settings(max_examples=examples(15), deadline=None)
@given(st.integers(20, 60), st.integers(0, 10_000), st.sampled_from(["tight", "cut"]))
def test_the_input_of_the_released_rows_is_within_the_bounds(rows: int, seed: int, ranges: Any) -> None:
    frame = _frame(rows, seed)
    release = shoal.ReleaseSettings(categories="sets", suppression=0.1, ranges=ranges)
    released = shoal.anonymize(frame, _plan(release=release))
    origin = frame[released.private.witness.row]
    found = released.steward.statistics
    ages = _of(found, "numbers", "age")
    _within(ages["mean"], float(origin["age"].to_numpy().mean()))
    _within(ages["standard deviation"], float(origin["age"].to_numpy().std()))
    _within(ages["median"], float(np.median(origin["age"].to_numpy())))
    for name, figure in _of(found, "frequencies", "job").items():
        if name in ("clerk", "cook", "nurse", "pilot"):
            _within(figure, (origin["job"] == name).mean())  # type: ignore[arg-type]
    for figure in _of(found, "correlation", "age").values():
        _within(figure, float(np.corrcoef(origin["age"], origin["cost"])[0, 1]))
    bands = {"below 30": (0, 30), "30 to below 50": (30, 50), "50 and above": (50, 99)}
    for name, figure in _of(found, "prevalence", "ill").items():
        band, job = (part.split(" ", 1)[1] for part in name.split(", ", 1))
        low, below = bands[band]
        inside = origin.filter(pl.col("age").is_between(low, below, closed="left"), pl.col("job") == job)
        if inside.height:
            _within(figure, (inside["ill"] == "flu").mean())  # type: ignore[arg-type]


_TREE = "clerk;office;*\ncook;hotel;*\nwaiter;hotel;*\npilot;air;*\n"
_LABELS = {
    "age": ["20", "35", "[20, 39]", "[30, 59]", "90", "[70, 90]", "*", ""],
    "job": ["clerk", "cook", "waiter", "office", "hotel", "*", ""],
    "sex": ["F", "M", "{F, M}", "{F, X}", "*", ""],
    "zip": ["123", "124", "12*", "1*", "*", ""],
    "ill": ["flu", "cold", ""],
}
_CELLS = st.tuples(*(st.sampled_from(labels) for labels in _LABELS.values()))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tree") / "job.csv"
    path.write_text(_TREE)
    return str(path)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(_CELLS, st.integers(2, 9)), min_size=1, max_size=12))
def test_every_estimate_is_within_its_bounds(tree: str, rows: list[tuple[tuple[str, ...], int]]) -> None:
    """Whatever labels a release has: low ≤ after ≤ high, and the shares of a column add up to 1."""
    cells, times = [row for row, _ in rows], np.array([count for _, count in rows])
    table = Runs(pl.DataFrame(cells, schema=[*_LABELS], orient="row"), times)
    columns = {
        "age": shoal.quasi(type="integer", top=90),
        "job": shoal.quasi(shoal.hierarchies.File(tree)),
        "sex": shoal.quasi(),
        "zip": shoal.quasi(shoal.prefixes(1)),
        "ill": shoal.sensitive(),
    }
    requests = (
        Prevalence("ill", values=("flu",), by=("age", "sex"), bands={"age": (30, 75)}),
        Prevalence("job", values=("cook",), by=("zip",)),
        Prevalence("age", least=32, by=("job",)),
    )
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)], statistics=requests)
    values = {"age": [20, 35, 90], "job": ["cook"] * 3, "sex": ["F", "M", None], "zip": ["123"] * 3, "ill": ["flu"] * 3}
    given_ = LocalEngine(pl.concat([pl.DataFrame(values)] * 10))
    for compared in compared_statistics(given_, {"release": table}, plan):
        for figure in compared.figures:
            if figure.after is not None:
                assert figure.low is not None and figure.low <= figure.after <= figure.high, (compared, figure)  # type: ignore[operator]
        if compared.kind == "frequencies" and compared.figures:
            assert compared.rows_after == times.sum()
            assert sum(figure.after for figure in compared.figures) == pytest.approx(1)  # type: ignore[misc]


def test_a_release_of_values_changes_no_figure() -> None:
    """Without suppression, and with 50 equal rows of each kind, nothing is generalized."""
    frame = pl.concat([_frame(8)] * 50)
    for compared in shoal.anonymize(frame, _plan()).steward.statistics:
        assert all(each.difference == 0 and each.low == each.after == each.high for each in compared.figures), compared


def test_before_is_the_whole_input_and_suppressed_rows_are_missing_after() -> None:
    frame = pl.concat([pl.concat([_frame(3)] * 20), _frame(3, seed=9)])
    plan = _plan(algorithm=shoal.Optimal(), release=shoal.ReleaseSettings(suppression=0.05))
    release = shoal.anonymize(frame, plan)
    assert release.manifest.rows_suppressed > 0
    costs = next(each for each in release.steward.statistics if each.columns == ("cost",))
    assert (costs.rows_before, costs.rows_after) == (63, release.manifest.rows_released)
    assert costs.figures[0].before == pytest.approx(frame["cost"].mean())


def test_the_public_folder_is_the_same_with_and_without_statistics() -> None:
    frame, written = _frame(200), []
    for requests in ((), _REQUESTS):
        with tempfile.TemporaryDirectory() as parent:
            folder = Path(parent) / "out"
            shoal.anonymize(frame, _plan(requests)).save(folder)
            written.append({path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()})
            steward = json.loads((Path(parent) / "out.private" / "steward.json").read_text())
    assert written[0] == written[1]
    assert [each["kind"] for each in steward["statistics"] if each["requested"]] == [each.kind for each in _REQUESTS]


def test_statistics_are_read_back_from_json() -> None:
    steward = shoal.anonymize(_frame(100), _plan()).steward
    assert Manifest.from_json(json.loads(json.dumps(steward.to_json()))).statistics == steward.statistics


def test_the_stream_engine_gives_the_same_figures(tmp_path: Path) -> None:
    _frame(300).write_csv(tmp_path / "patients.csv")
    plan = _plan(data=shoal.Data(source=str(tmp_path / "patients.csv")))
    local, stream = (
        shoal.anonymize_to(plan, tmp_path / kind, engine=kind).steward.statistics for kind in ("local", "stream")
    )
    assert local == stream and len(local) == len(_REQUESTS) + 5


def test_an_anatomy_has_expected_counts() -> None:
    """Two classes of the quasi-identifiers; which row has which sensitive value is not released."""
    frame = pl.DataFrame(
        {"age": [20, 21, 30, 31] * 10, "sex": ["F", "M"] * 20, "ill": ["flu", "cold", "cold", "HIV"] * 10}
    )
    columns = {"age": shoal.quasi(), "sex": shoal.quasi(), "ill": shoal.sensitive()}
    plan = shoal.Plan(
        columns=columns,
        models=[shoal.LDiversity("ill", l=2)],
        release=shoal.ReleaseSettings(form="anatomy"),
        statistics=[Prevalence("ill", values=("flu",), by=("sex",))],
    )
    found = shoal.anonymize(frame, plan).steward.statistics
    assert all(each.difference == 0 for each in _of(found, "frequencies", "ill").values())
    women = _of(found, "prevalence", "ill")["sex F"]
    assert women.before == 0.5
    _within(women, 0.5)
    assert isinstance(women.after, float) and 0.2 < women.after <= 0.5


def test_no_category_with_few_rows_is_named() -> None:
    frame = pl.concat([_frame(200), _frame(4).with_columns(job=pl.lit("astronaut"), ill=pl.lit("plague"))])
    plan = _plan((), release=shoal.ReleaseSettings(categories="sets"))
    found = json.dumps(shoal.anonymize(frame, plan).steward.to_json()["statistics"])
    assert "astronaut" not in found and "plague" not in found and "nurse" in found


def test_categories_of_a_tree_are_released_labels() -> None:
    """Prefixes: all rows are released as 10* or 20*, and the input is counted below them."""
    frame = pl.DataFrame({"zip": [f"{ten}{n % 10}" for ten in (10, 20) for n in range(30)]})
    columns = {"zip": shoal.quasi(shoal.prefixes(2))}
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=20)], algorithm=shoal.Optimal())
    figures = _of(shoal.anonymize(frame, plan).steward.statistics, "frequencies", "zip")
    assert {name: (each.before, each.after, each.low, each.high) for name, each in figures.items()} == {
        "10*": (0.5, 0.5, 0.5, 0.5),
        "20*": (0.5, 0.5, 0.5, 0.5),
    }


@pytest.mark.parametrize(
    ("statistic", "message"),
    [
        (Correlation(("age", "job")), "needs numbers or dates, and column 'job' is text"),
        (Prevalence("ill", values=("flu",), by=("job",), bands={"job": (1,)}), "column 'job' is text"),
        (Regression("ill", on=("age",)), "column 'ill' is text"),
    ],
)
def test_numbers_are_demanded_before_the_search(statistic: Any, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        fitted(_frame(50), _plan((statistic,)))


def test_numbers_that_are_released_as_nodes_are_refused() -> None:
    plan = _plan((Correlation(("age", "cost")),))
    columns = {**plan.columns, "age": shoal.quasi(shoal.prefixes(1))}
    with pytest.raises(PlanError, match="column 'age' is text"):
        shoal.anonymize(_frame(50), plan.changed(columns=columns))


def test_an_unlisted_column_must_be_in_the_table() -> None:
    plan = _plan((Correlation(("age", "weight")),), data=shoal.Data(unlisted="insensitive"))
    with pytest.raises(PlanError, match="names column 'weight', which is not released"):
        shoal.anonymize(_frame(50), plan)


def test_coded_values_of_an_anatomy_are_open() -> None:
    """A value at the top stands for all beyond it, in an anatomy too, whose quasi-identifiers are exact."""
    frame = pl.DataFrame({"age": [20, 30, 40, 99] * 10, "ill": ["a", "b"] * 20})
    plan = shoal.Plan(
        columns={"age": shoal.quasi(top=50), "ill": shoal.sensitive()},
        models=[shoal.LDiversity("ill", l=2)],
        statistics=[Prevalence("age", least=60)],
        release=shoal.ReleaseSettings(form="anatomy"),
    )
    found = shoal.anonymize(frame, plan).steward.statistics
    (share,) = _of(found, "prevalence", "age").values()
    assert share.before == 0.25
    assert share.low is not None and share.high is not None and share.low <= 0.25 <= share.high
    numbers = next(each for each in found if each.kind != "prevalence" and each.columns == ("age",))
    assert numbers.rows_unknown == 10
    assert all(figure.after is None or figure.after <= 40 for figure in numbers.figures)


@pytest.mark.parametrize("form", ["generalized", "anatomy"])
@given(seed=st.integers(0, 10_000), cut=st.integers(15, 95))
@settings(max_examples=examples(30), deadline=None)
def test_bounds_hold_where_ends_are_coded(form: str, seed: int, cut: int) -> None:
    """Bands that lie beyond the coded ends, reach them, or cut what they stand for."""
    random = np.random.default_rng(seed)
    ages = pl.Series("age", random.integers(10, 100, 60))
    frame = pl.DataFrame([ages, pl.Series("ill", random.permutation(["flu", "cold", "HIV"] * 20))])
    asked = Prevalence("ill", values=("flu",), by=("age",), bands={"age": (cut,)}), Prevalence("age", least=cut)
    columns = {"age": shoal.quasi(top=80, bottom=20), "ill": shoal.sensitive()}
    models = [shoal.LDiversity("ill", l=2)]
    plan = shoal.Plan(columns=columns, models=models, statistics=asked, release=shoal.ReleaseSettings(form=form))
    by_age, old, *_ = shoal.anonymize(frame, plan).steward.statistics
    for name, inside in {f"age below {cut}": ages < cut, f"age {cut} and above": ages >= cut}.items():
        share = (frame.filter(inside)["ill"] == "flu").mean()
        for figure in (each for each in by_age.figures if each.name == name):
            assert figure.before == pytest.approx(share)
            assert figure.low <= figure.after <= figure.high  # type: ignore[operator]
            assert figure.low - 1e-9 <= share <= figure.high + 1e-9  # type: ignore[operator]
    assert by_age.rows_after == len(frame), "every row is in a group"
    figure = old.figures[0]
    assert figure.low - 1e-9 <= (ages >= cut).mean() <= figure.high + 1e-9  # type: ignore[operator]
    if 20 < cut <= 80 and form == "anatomy":
        assert figure.after == figure.before, "exact values, and ends that lie beyond the threshold"
