"""Engines only move rows: every plan publishes the same content, and tells the steward the same, on each of them.

The cases are some of the recorded releases: every algorithm, model, form and format, and every table.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars import selectors

import shoal
from shoal.coded import keys
from shoal.engines import columns, spark_rows, spool, stored
from shoal.engines.choosing import KINDS
from shoal.errors import ShoalError
from shoal.pipeline import anonymize_to
from shoal.table import batches, parts
from tests.contract.engine_samples import KINDS as ALGORITHMS
from tests.contract.engine_samples import SAMPLES, differences, outcome
from tests.golden.recorded_plans import CASES, Case
from tests.golden.recorded_tables import write_trees
from tests.golden.test_recorded import has_data, has_package, marks
from tests.layouts import HASHES, contents
from tests.spark import needs_spark

ENGINES = {kind: [needs_spark, pytest.mark.slow] if kind == "spark" else [] for kind in KINDS}
OTHERS = [pytest.param(kind, marks=marks) for kind, marks in ENGINES.items() if kind != "local"]
PRIVATE = ("timings", "source")
"""What differs between runs of one plan."""


def _facts(case: Case) -> set[tuple[Any, ...]]:
    """What is special about a case: an engine must be seen to handle each of these once."""
    plan, table = case.plan, case.table.name
    facts: set[tuple[Any, ...]] = {("model", model.kind, plan.release.form) for model in plan.models}
    facts |= {("algorithm", plan.algorithm.kind, plan.release.form), ("format", plan.release.format)}
    facts |= {("limit", plan.engine.distinct_limit, plan.algorithm.kind)}
    return facts | {("person", plan.data.person is not None, table), ("missing", plan.data.missing_rows, table)}


def _few() -> Iterator[Case]:
    """Cases that together have every fact."""
    seen = set[tuple[Any, ...]]()
    for case in CASES:
        if has_package(case) and not _facts(case) <= seen:
            seen |= _facts(case)
            yield case


FEW = list(_few())


@pytest.fixture(autouse=True, scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Plans name hierarchy files by relative paths: they are read from here."""
    folder = tmp_path_factory.mktemp("trees")
    write_trees(folder)
    with contextlib.chdir(folder):
        yield


@pytest.fixture(autouse=True)
def spark(request: pytest.FixtureRequest) -> None:
    """Where a test is about Spark, a session that the engine finds running."""
    if getattr(request.node, "callspec", None) and request.node.callspec.params.get("engine") == "spark":
        request.getfixturevalue("session")


@pytest.fixture
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small batches, blocks and partitions, so that every table has many."""
    monkeypatch.setattr(batches, "_ROWS", 57)
    monkeypatch.setattr(spark_rows, "_ROWS_OF_PARTITION", 400)
    monkeypatch.setattr(keys, "_BLOCK", 101)
    monkeypatch.setattr(parts, "ROWS", 73)
    for module in (columns, spool, stored):
        monkeypatch.setattr(module, "_MANY", 43)


def made(
    case: Case, engine: str, folder: Path, *, durations: bool = True
) -> tuple[dict[str, Any], dict[str, Any]] | str:
    """The content of the public files and what the steward is told; or the error."""
    folder.mkdir()
    source = folder / "table.parquet"
    frame = case.table.frame()
    if not durations:
        frame = frame.with_columns(selectors.duration().dt.total_microseconds())
    frame.write_parquet(source)
    plan = case.plan
    plan = plan.changed(data=plan.data.model_copy(update={"source": str(source)}))
    try:
        anonymize_to(plan, folder / "out", engine=engine)
    except ShoalError as error:
        return f"{type(error).__name__}: {error}"
    in_parts = engine == "spark" and plan.release.format in parts.FORMATS
    assert any((folder / "out").glob("*/part-00000.*")) == in_parts
    steward = json.loads((folder / "out.private/steward.json").read_text(encoding="utf-8"))
    told = {name: value for name, value in steward.items() if name not in (*PRIVATE, *HASHES)}
    return contents(folder / "out"), told


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("case", [pytest.param(each, id=each.name, marks=marks(each.table)) for each in FEW])
def test_a_plan_gives_the_same_release_on_every_engine(
    case: Case, engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if not has_data(case.table):
        pytest.skip("needs the Adult data beside the project")
    durations = engine != "spark"  # Spark reads those of a Parquet file as whole numbers
    expected = made(case, "local", tmp_path / "local", durations=durations)
    request.getfixturevalue("few_at_once")
    assert made(case, engine, tmp_path / engine, durations=durations) == expected


FRAME = pl.DataFrame(
    {
        "name": [f"n{row % 70}" for row in range(240)],
        "age": [str(20 + row * 7 % 50) for row in range(240)],
        "zip": [None if row % 9 == 0 else f"{10 + row % 13}" for row in range(240)],
        "ill": [["flu", "HIV", "rash", "?"][row * 5 % 4] for row in range(240)],
        "cost": [f"{row * 3 % 17}.50" for row in range(240)],
    }
)
PLAN = shoal.Plan(
    columns={
        "name": shoal.identifier(),
        "age": shoal.quasi(),
        "zip": shoal.quasi(),
        "ill": shoal.sensitive(),
        "cost": shoal.insensitive(),
    },
    models=[shoal.KAnonymity(k=4), shoal.LDiversity("ill", l=2)],
)


SETTINGS = ({}, {"missing_rows": "drop"}, {"person": "name"})
BATCHES = [
    *(("stream", *each) for each in product((1, 7, 100, 1000), SETTINGS, ("csv", "tsv", "arrow"))),
    *(("spark", *each) for each in zip((1, 7, 100), SETTINGS, ("csv", "tsv", "csv"), strict=True)),
]


@pytest.mark.parametrize(
    ("engine", "batch", "settings", "format"),
    [pytest.param(*each, marks=ENGINES[each[0]], id="-".join(map(str, each))) for each in BATCHES],
)
def test_neither_batches_nor_the_kind_of_file_matter(
    engine: str, batch: int, settings: dict[str, Any], format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / f"t.{format}"
    if format == "arrow":
        FRAME.write_ipc(source)
    else:
        FRAME.write_csv(source, separator="," if format == "csv" else "\t")
    plan = PLAN.changed(data=shoal.Data(source=str(source), missing=["?"], **settings))
    for name in ("one", "two"):  # a second release beside the first would be warned of
        (tmp_path / name).mkdir()
    local = anonymize_to(plan, tmp_path / "one/out", engine="local")
    monkeypatch.setattr(batches, "_ROWS", batch)
    monkeypatch.setattr(batches, "_BYTES", 10 * batch)
    other = anonymize_to(plan, tmp_path / "two/out", engine=engine)
    assert contents(tmp_path / "two/out") == contents(tmp_path / "one/out")
    assert (other.warnings, other.steward.models) == (local.warnings, local.steward.models)


@pytest.mark.parametrize("engine", OTHERS)
def test_the_order_of_rows_does_not_matter(engine: str, tmp_path: Path) -> None:
    digests = set()
    for seed in range(3):
        source = tmp_path / f"{seed}.csv"
        FRAME.sample(fraction=1, shuffle=True, seed=seed).write_csv(source)
        plan = PLAN.changed(data=shoal.Data(source=str(source), missing=["?"]))
        digests.add(anonymize_to(plan, tmp_path / f"out{seed}", engine=engine).digest)
    assert len(digests) == 1


SAMPLED = [  # table, algorithm, form, seed, number of files, rows of a batch
    ("adult", "mondrian", "generalized", 0, 3, 100),
    ("adult", "optimal", "generalized", 1, 1, 1000),
    ("adult", "incognito", "generalized", 2, 5, 57),
    ("adult", "mondrian", "anatomy", 1, 2, 300),
    ("diabetes130", "mondrian", "generalized", 1, 4, 200),
    ("diabetes130", "samarati", "generalized", 0, 2, 57),
    ("diabetes130", "k-member", "generalized", 2, 3, 1000),
    ("diabetes130", "mondrian", "anatomy", 3, 3, 100),
    ("patients", "pais", "generalized", 0, 2, 100),
    ("patients", "scba", "generalized", 1, 4, 57),
    ("patients", "k-member", "generalized", 3, 1, 200),
]


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize(("table", "algorithm", "form", "seed", "files", "batch"), SAMPLED)
def test_samples_of_real_tables_are_released_alike(
    table: str, algorithm: str, form: str, seed: int, files: int, batch: int, engine: str, tmp_path: Path
) -> None:
    sample = SAMPLES[table]
    if sample.source is not None and not sample.source.exists():
        pytest.skip(f"needs the {table} data beside the project")
    frame, plan = sample.frame(500, seed), sample.plan(algorithm, seed, form)
    expected = outcome(plan, frame, "local", tmp_path, 1, 1 << 20)
    assert "error" not in expected
    assert differences(expected, outcome(plan, frame, engine, tmp_path, files, batch)) == []


def test_every_algorithm_is_sampled() -> None:
    assert {algorithm for _, algorithm, *_ in SAMPLED} == set(ALGORITHMS)
