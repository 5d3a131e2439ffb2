"""Verification of an anatomy: accidents and tampering are found, and what the files cannot show is said."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.datasets import registry
from shoal.table import Runs
from shoal.verification.anatomy import verify_tables

SENSITIVE = ("topography", "histology", "survival_years")
MODELS = (
    shoal.MultiSensitive(l=6, k=20),
    shoal.LDiversity("histology", l=6),
    shoal.TCloseness("survival_years", t=0.5),
)


@pytest.fixture(scope="module")
def release() -> shoal.Release:
    columns = {name: shoal.quasi() for name in ("birth_date", "gender", "race", "zip")}
    columns |= {name: shoal.sensitive() for name in SENSITIVE}
    plan = shoal.Plan(
        columns=columns,
        models=MODELS,
        data=shoal.Data(unlisted="drop"),
        release=shoal.ReleaseSettings(form="anatomy"),
    )
    return shoal.anonymize(registry(1500, 2), plan)


@pytest.fixture(scope="module")
def saved(release: shoal.Release, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("anatomy") / "out"
    return folder, release.save(folder)


def test_a_saved_anatomy_verifies_from_its_files(saved: tuple[Path, str], release: shoal.Release) -> None:
    folder, digest = saved
    for found in (shoal.verify_folder(folder, digest=digest), shoal.verify_folder(folder, plan=release.plan)):
        assert found.holds, found.problems
        assert found.verdicts[0].checked.startswith("at release time") and not found.verdicts[1].checked
        assert any("which sensitive values share a row" in note for note in found.notes)
    manifest = json.loads((folder.with_name(f"{folder.name}.private") / "steward.json").read_text())
    asked, exact = manifest["models"][0], release.achieved["multi-sensitive"]
    assert asked["holds"] and asked["achieved"]["l"] == 6 == exact["l"]
    steps = sum(asked["achieved"][f"decided by {step}"] for step in ("disjoint rows", "greedy cover", "exact search"))
    assert steps == manifest["classes"]
    assert 0 <= asked["achieved"]["classes shown by the files"] <= manifest["classes"]


def test_the_private_link_is_published_nowhere(saved: tuple[Path, str], release: shoal.Release) -> None:
    folder, _ = saved
    assert release.private.witness.linked is not None
    names = {path.name for path in folder.iterdir()}
    assert names >= {"quasi_identifiers.csv", *(f"sensitive_{name}.csv" for name in SENSITIVE)}
    assert "release.csv" not in names
    header = (folder / "quasi_identifiers.csv").read_text().splitlines()[0]
    assert not set(header.split(",")) & set(SENSITIVE)


def test_columns_judged_alone_are_judged_as_on_a_generalized_table(release: shoal.Release) -> None:
    general = release.plan.changed(release=shoal.ReleaseSettings())
    achieved = shoal.anonymize(registry(1500, 2), general).achieved
    for kind in ("l-diversity", "t-closeness"):
        assert release.achieved[kind] == achieved[kind]


def _without_a_row(tables: dict[str, pl.DataFrame]) -> None:
    tables["quasi_identifiers"] = tables["quasi_identifiers"].slice(1)


def _with_a_count_too_many(tables: dict[str, pl.DataFrame]) -> None:
    table = tables["sensitive_histology"]
    tables["sensitive_histology"] = table.with_columns(count=pl.col("count") + (pl.int_range(pl.len()) == 0))


def _with_a_value_twice(tables: dict[str, pl.DataFrame]) -> None:
    table = tables["sensitive_histology"]
    tables["sensitive_histology"] = pl.concat([table, table.head(1)])


def _with_a_negative_count(tables: dict[str, pl.DataFrame]) -> None:
    tables["sensitive_histology"] = tables["sensitive_histology"].with_columns(count=-pl.col("count"))


def _with_a_sensitive_column(tables: dict[str, pl.DataFrame]) -> None:
    tables["quasi_identifiers"] = tables["quasi_identifiers"].with_columns(histology=pl.lit("8140"))


def _without_classes(tables: dict[str, pl.DataFrame]) -> None:
    tables["quasi_identifiers"] = tables["quasi_identifiers"].with_columns(class_id=pl.lit("x"))


def _without_a_column(tables: dict[str, pl.DataFrame]) -> None:
    tables["sensitive_histology"] = tables["sensitive_histology"].drop("count")


def runs_of(tables: dict[str, pl.DataFrame]) -> dict[str, Runs]:
    return {name: Runs.of(table) for name, table in tables.items()}


@pytest.mark.parametrize(
    "spoil",
    [
        _without_a_row,
        _with_a_count_too_many,
        _with_a_value_twice,
        _with_a_negative_count,
        _with_a_sensitive_column,
        _without_classes,
        _without_a_column,
    ],
)
def test_tables_that_do_not_fit_together_are_found(
    release: shoal.Release, spoil: Callable[[dict[str, pl.DataFrame]], None]
) -> None:
    tables = dict(release.tables)
    assert verify_tables(runs_of(tables), release.plan).holds
    spoil(tables)
    found = verify_tables(runs_of(tables), release.plan)
    assert found.problems and not found.holds


def test_a_class_with_too_few_values_breaks_the_promise_in_the_files_alone(release: shoal.Release) -> None:
    tables = dict(release.tables)
    first = pl.col("class_id") == 1
    table = tables["sensitive_topography"]
    size = table.filter(first)["count"].sum()
    one = table.filter(first).head(1).with_columns(count=pl.lit(size, pl.Int64))
    tables["sensitive_topography"] = pl.concat([one, table.filter(~first)])
    found = verify_tables(runs_of(tables), release.plan)
    assert not found.problems and not found.verdicts[0].holds and found.verdicts[0].failing == 1


def test_counts_that_are_not_those_of_the_rows_are_found_at_release_time(release: shoal.Release) -> None:
    linked = release.private.witness.linked
    assert linked is not None
    every = linked.expanded()
    turned = Runs.of(every.with_columns(pl.col("histology").reverse()))
    assert verify_tables(release.draft.tables, release.plan, linked=linked).holds
    assert not verify_tables(release.draft.tables, release.plan, linked=turned).holds


def test_a_changed_file_is_found(saved: tuple[Path, str], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(saved[0], copy)
    path = copy / "sensitive_histology.csv"
    path.write_text(path.read_text().replace("\n", "\n1,9999,1\n", 1))
    assert any("was changed" in problem for problem in shoal.verify_folder(copy).problems)
    path.unlink()
    assert not shoal.verify_folder(copy).holds


def test_parquet_and_persons() -> None:
    frame = registry(1200, 3).with_columns(who=pl.int_range(pl.len()) // 2)
    columns = {name: shoal.quasi() for name in ("birth_date", "gender", "race", "zip")}
    columns |= {name: shoal.sensitive() for name in SENSITIVE} | {"who": shoal.identifier()}
    plan = shoal.Plan(
        columns=columns,
        models=(shoal.MultiSensitive(l=5, k=15),),
        data=shoal.Data(unlisted="drop", person="who"),
        release=shoal.ReleaseSettings(form="anatomy", format="parquet"),
    )
    found = shoal.anonymize(frame, plan)
    assert found.achieved["multi-sensitive"]["k"] >= 15
    assert found.verification.holds
