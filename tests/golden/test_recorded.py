"""Recorded releases: a plan publishes the same tables as when it was recorded, byte for byte.

`recorded.json` holds the SHA-256 of every published table of every case, and of every input table. A difference means
that a change is visible in releases. Where it is meant to be, record anew and say so in the changelog:

    python -m tests.golden.test_recorded --record

To see what differs, write the published tables of two versions to two folders and compare them:

    python -m tests.golden.test_recorded --write FOLDER

Cases whose data or packages are absent are skipped, and keep what is recorded of them.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal import algorithms, forms, hierarchies, models
from tests.golden.recorded_plans import CASES, MEASURES, Case
from tests.golden.recorded_tables import FLAGS, TABLES, Table, write_trees
from tests.golden.test_adult import ADULT

RECORD = Path(__file__).with_name("recorded.json")
SHUFFLED = [case for case in CASES if not case.table.shared][::20]
"""These cases also run with the rows of their tables in another order."""

# Options that take one of several words: a case for each.
WORDS = {
    ("l-diversity", "variant"): ("distinct", "entropy", "recursive"),
    ("t-closeness", "distance"): ("equal", "ordered", "hierarchical"),
    ("t-closeness", "reference"): ("both", "released", "input"),
    ("beta-likeness", "variant"): ("basic", "enhanced"),
    ("kpqr", "reference"): ("both", "released", "input"),
    ("multi-sensitive", "check"): ("exact", "greedy"),
    ("mondrian", "cut"): ("loss", "median", "target"),
    **{(kind, "measure"): MEASURES for kind in ("optimal", "incognito", "samarati")},
    ("pais", "goal"): ("general", "classification"),
    ("pais", "score"): ("sparing", "weighted", "paper"),
}


def published(case: Case, frame: pl.DataFrame, folder: Path) -> dict[str, bytes]:
    """File → content of every table that the case publishes; of a Parquet file the table as CSV."""
    shoal.anonymize(frame, case.plan).save(folder)
    paths = sorted(path for path in folder.iterdir() if path.suffix in (".csv", ".parquet"))
    return {path.name: path.read_bytes() if path.suffix == ".csv" else as_csv(pl.read_parquet(path)) for path in paths}


def as_csv(frame: pl.DataFrame) -> bytes:
    """The table as CSV, durations as text: polars does not write them."""
    return frame.with_columns(pl.selectors.duration().dt.to_string("iso")).write_csv().encode()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def hashes(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: sha256(content) for name, content in files.items()}


def has_data(table: Table) -> bool:
    return not table.shared or ADULT.is_dir()


def has_package(case: Case) -> bool:
    return case.needs is None or importlib.util.find_spec(case.needs) is not None


def recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def marks(table: Table) -> list[pytest.MarkDecorator]:
    absent = pytest.mark.skipif(not has_data(table), reason="needs the Adult data beside the project")
    return [pytest.mark.shared, absent] if table.shared else []


def params(cases: Iterable[Case]) -> list[Any]:
    return [pytest.param(case, id=case.name, marks=marks(case.table)) for case in cases]


@pytest.fixture(autouse=True, scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Plans name hierarchy files by relative paths: they are read from here."""
    folder = tmp_path_factory.mktemp("trees")
    write_trees(folder)
    with contextlib.chdir(folder):
        yield


@pytest.mark.parametrize("table", [pytest.param(table, id=table.name, marks=marks(table)) for table in TABLES])
def test_the_table_is_the_one_that_was_recorded(table: Table) -> None:
    assert sha256(as_csv(table.frame())) == recorded()["tables"][table.name]


@pytest.mark.parametrize("case", params(CASES))
def test_the_release_is_the_one_that_was_recorded(case: Case, tmp_path: Path) -> None:
    if not has_package(case):
        pytest.skip(f"needs {case.needs}")
    assert hashes(published(case, case.table.frame(), tmp_path / "out")) == recorded()["releases"][case.name]
    if case.table is FLAGS and not case.plan.algorithm.local:
        manifest = json.loads((tmp_path / "out.private" / "steward.json").read_text())
        assert manifest["proven_optimal"], "the search ran out of time: its result depends on the clock"


@pytest.mark.parametrize("case", params(SHUFFLED))
def test_the_order_of_rows_does_not_matter(case: Case, tmp_path: Path) -> None:
    frame = case.table.frame().sample(fraction=1, shuffle=True, seed=5)
    assert hashes(published(case, frame, tmp_path / "out")) == recorded()["releases"][case.name]


# -- what the cases cover -----------------------------------------------------------------------------------------


def test_every_case_is_recorded() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names)) and set(names) == set(recorded()["releases"])
    assert {table.name for table in TABLES} == set(recorded()["tables"])


def plans() -> list[shoal.Plan]:
    """The plans that run wherever the tests do."""
    return [case.plan for case in CASES if not case.table.shared and case.needs is None]


def family(name: str) -> list[Any]:
    """All models, algorithms or hierarchies in the plans."""
    if name == "models":
        return [model for plan in plans() for model in plan.models]
    if name == "algorithms":
        return [plan.algorithm for plan in plans()]
    found = [column.hierarchy for plan in plans() for column in plan.columns.values()]
    return [hierarchy for hierarchy in found if hierarchy is not None]


FAMILIES: dict[str, tuple[Any, ...]] = {
    "models": models.ALL,
    "algorithms": algorithms.ALL,
    "hierarchies": hierarchies.ALL,
}
OPTIONAL = {"icd10"}
"""Kinds that need a package of their own."""


@pytest.mark.parametrize("name", FAMILIES)
def test_every_kind_and_every_field_is_covered(name: str) -> None:
    used = family(name)
    for cls in FAMILIES[name]:
        members = [each for each in used if type(each) is cls]
        assert members or cls.kind in OPTIONAL, cls.kind
        for item in fields(cls) if members else ():
            assert any(getattr(each, item.name) != item.default for each in members), f"{cls.kind} {item.name}"


@pytest.mark.parametrize(("kind", "name"), WORDS)
def test_every_word_of_an_option_is_covered(kind: str, name: str) -> None:
    used = [each for each in (*family("models"), *family("algorithms")) if each.kind == kind]
    assert {getattr(each, name) for each in used} == set(WORDS[kind, name])


def test_every_form_and_release_setting_is_covered() -> None:
    used = [plan.release for plan in plans()]
    assert {each.form for each in used} == {form.kind for form in forms.ALL}
    origin = {"title", "purpose", "steward", "date", "licence", "approval"}  # they change no released table
    for name, setting in shoal.ReleaseSettings.model_fields.items():
        assert name in origin or any(getattr(each, name) != setting.default for each in used), name


def test_every_key_of_a_column_and_of_the_data_is_covered() -> None:
    """Without those that say where a table is stored, and those of a role that no model guards."""
    columns = [column for plan in plans() for column in plan.columns.values()]
    for name, key in shoal.Column.model_fields.items():
        assert name in ("items", "knowledge_sha256") or any(getattr(each, name) != key.default for each in columns), (
            name
        )
    for name, key in shoal.Data.model_fields.items():
        assert name in shoal.Data.OF_SOURCE or any(getattr(plan.data, name) != key.default for plan in plans()), name


# -- recording ----------------------------------------------------------------------------------------------------


def published_by_all() -> Iterator[tuple[str, dict[str, bytes]]]:
    """Name and published tables of every case whose data and packages are there."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        write_trees(Path())
        for number, case in enumerate(CASES):
            if has_data(case.table) and has_package(case):
                yield case.name, published(case, case.table.frame(), Path(f"out {number}"))


def record() -> None:
    """Writes RECORD. Cases and tables that cannot be had here keep what is known of them."""
    known = recorded() if RECORD.exists() else {"tables": {}, "releases": {}}
    tables = {table.name: sha256(as_csv(table.frame())) for table in TABLES if has_data(table)}
    releases = {name: hashes(files) for name, files in published_by_all()}
    found = {
        "tables": in_order([table.name for table in TABLES], known["tables"] | tables),
        "releases": in_order([case.name for case in CASES], known["releases"] | releases),
    }
    RECORD.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def in_order(names: Iterable[str], values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}


def write(folder: Path) -> None:
    """Writes what every case publishes to a folder of its own."""
    for name, files in published_by_all():
        (folder / name).mkdir(parents=True)
        for file, content in files.items():
            (folder / name / file).write_bytes(content)


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        record()
    elif len(sys.argv) == 3 and sys.argv[1] == "--write":
        write(Path(sys.argv[2]).resolve())
    else:
        sys.exit(__doc__)
