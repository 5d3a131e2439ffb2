"""Comparing releases: figures are those of each release, and only verified releases are preferred."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Optimal
from shoal.errors import HierarchyError, ShoalError, TableError
from shoal.evaluate.comparing import compare, read_input
from shoal.models import KAnonymity, LDiversity


def patients(rows: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, rows),
            "city": [f"C{int(rng.integers(0, 5))}" for _ in range(rows)],
            "ill": [["flu", "HIV", "rash"][int(rng.integers(0, 3))] for _ in range(rows)],
        }
    )


def plan_of(k: int, **changed: object) -> shoal.Plan:
    return shoal.Plan(
        columns={
            "age": shoal.quasi(shoal.intervals(5, 10, 20), type="integer"),
            "city": shoal.quasi(),
            "ill": shoal.sensitive(),
        },
        models=[KAnonymity(k=k), LDiversity("ill", l=2)],
        **changed,
    )


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("releases")
    made = {
        "strict": plan_of(12),
        "loose": plan_of(3),
        "worse": plan_of(3, algorithm=Optimal()),
    }
    for name, plan in made.items():
        shoal.anonymize(patients(), plan).save(root / name)
    return {name: root / name for name in made}


def test_the_figures_are_those_of_each_release(folders: dict[str, Path]) -> None:
    found = {each.name: each for each in compare(*folders.values()).releases}
    for name, folder in folders.items():
        release = pl.read_csv(folder / "release.csv", infer_schema=False)
        sizes = release.group_by("age", "city").len()["len"]
        assert found[name].highest_risk == 1 / sizes.min()
        assert found[name].average_risk == pytest.approx(len(sizes) / release.height)
        assert found[name].classes == len(sizes)
        assert found[name].rows_released == release.height
        assert found[name].seconds is not None
        assert found[name].holds


def test_values_and_folders_are_compared_alike(folders: dict[str, Path]) -> None:
    values = compare({"strict": shoal.anonymize(patients(), plan_of(12)), "loose": folders["loose"]})
    both = compare(folders["strict"], folders["loose"])
    for one, two in zip(values.releases, both.releases, strict=True):
        assert (one.name, one.ncp, one.average_risk, one.models) == (two.name, two.ncp, two.average_risk, two.models)


def test_dominated_releases_are_named(folders: dict[str, Path]) -> None:
    found = compare(*folders.values())
    by_name = {each.name: each for each in found.releases}
    front = {each.name for each in found.front}
    for each in found.releases:
        beaten = any(
            other.ncp <= each.ncp
            and other.average_risk <= each.average_risk
            and (other.ncp, other.average_risk) != (each.ncp, each.average_risk)
            for other in found.releases
        )
        assert (each.name in front) is not beaten
    assert by_name["loose"].ncp < by_name["strict"].ncp
    assert {"strict", "loose"} <= front


def test_a_release_that_does_not_verify_is_never_preferred(folders: dict[str, Path], tmp_path: Path) -> None:
    shoal.anonymize(patients(), plan_of(3)).save(tmp_path / "changed")
    path = tmp_path / "changed" / "codebook.json"
    path.write_text(path.read_text().replace("quasi", "quasy", 1))
    found = compare(tmp_path / "changed", folders["strict"])
    assert not found.releases[0].holds
    assert [each.name for each in found.front] == ["strict"]
    assert "'changed' does not verify" in " ".join(found.sentences())


def test_the_query_error_needs_the_input(folders: dict[str, Path]) -> None:
    found = compare(folders["strict"], folders["loose"], raw=patients())
    errors = [each.query_error for each in found.releases]
    assert all(error is not None and error > 0 for error in errors)
    assert "query error" in found.head and "8,800 random COUNT queries about all rows" in str(found)
    assert "query error" not in compare(folders["strict"], folders["loose"]).head


def test_the_query_error_uses_hierarchy_files_that_only_the_steward_has(tmp_path: Path) -> None:
    cities = tmp_path / "cities.csv"
    cities.write_text("".join(f"C{i};{'even' if i % 2 == 0 else 'odd'};*\n" for i in range(5)))
    columns = {**plan_of(3).columns, "city": shoal.quasi(shoal.hierarchies.File(path=str(cities)))}
    for k in (3, 12):
        shoal.anonymize(patients(), plan_of(k).changed(columns=columns)).save(tmp_path / f"k{k}")
    found = compare(tmp_path / "k3", tmp_path / "k12", raw=patients())
    assert all(each.query_error is not None and each.query_error > 0 for each in found.releases)
    (tmp_path / "k3.private" / "steward.json").unlink()
    with pytest.raises(HierarchyError, match=r"'k3' cannot be measured.*Hint: put the private folder"):
        compare(tmp_path / "k3", tmp_path / "k12", raw=patients())


def test_the_input_is_read_as_the_plan_of_a_release_says(tmp_path: Path) -> None:
    source = tmp_path / "raw.csv"
    patients().with_columns(pl.col("city") + ",").write_csv(source, include_header=False, separator="~")
    columns = dict(zip(("column_1", "column_2", "column_3"), plan_of(3).columns.values(), strict=True))
    data = shoal.Data(source=str(source), separator="~", header=False)
    plan = plan_of(3).changed(columns=columns, data=data, models=[KAnonymity(k=3)])
    shoal.anonymize_to(plan, tmp_path / "out")
    found = read_input(source, [tmp_path / "out"])
    assert found.columns == list(columns) and found.height == 300


def test_an_anatomy_can_be_compared(folders: dict[str, Path]) -> None:
    plan = plan_of(3).changed(models=[LDiversity("ill", l=2)], release=shoal.ReleaseSettings(form="anatomy"))
    found = compare({"anatomy": shoal.anonymize(patients(), plan), "strict": folders["strict"]})
    assert "An anatomy publishes exact quasi-identifiers" in " ".join(found.sentences())


@pytest.mark.parametrize("given", [[], ["strict"]])
def test_one_release_is_too_few(folders: dict[str, Path], given: list[str]) -> None:
    with pytest.raises(ShoalError, match="at least two"):
        compare(*(folders[name] for name in given))


def test_names_are_told_apart(folders: dict[str, Path], tmp_path: Path) -> None:
    shoal.anonymize(patients(), plan_of(3)).save(tmp_path / "strict")
    names = [each.name for each in compare(folders["strict"], tmp_path / "strict").releases]
    assert names == [str(folders["strict"]), str(tmp_path / "strict")]
    with pytest.raises(ShoalError, match="same name"):
        compare(folders["strict"], folders["strict"])


def test_other_folders_are_refused(folders: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(TableError, match="not the folder of a release"):
        compare(folders["strict"], tmp_path)


def test_a_column_that_one_release_lacks_is_told(tmp_path: Path) -> None:
    less = plan_of(5)
    less = less.changed(columns={**less.columns, "city": shoal.drop()})
    shoal.anonymize(patients(), plan_of(5)).save(tmp_path / "all")
    shoal.anonymize(patients(), less).save(tmp_path / "less")
    found = compare(tmp_path / "all", tmp_path / "less")
    assert [each.quasi_identifiers for each in found.releases] == [("age", "city"), ("age",)]
    assert any("'city'" in sentence for sentence in found.sentences())


def test_another_input_is_refused(folders: dict[str, Path]) -> None:
    with pytest.raises(TableError, match="The input has no column 'age', which a release has"):
        compare(*folders.values(), raw=patients().drop("age"))


@pytest.mark.parametrize("measures", [{}, {"ncp": float("nan")}, {"ncp": "<b>"}, {"ncp": True}, {"ncp": -1}])
def test_a_manifest_without_a_loss_is_never_preferred(
    folders: dict[str, Path], tmp_path: Path, measures: dict[str, Any]
) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(folders["loose"], copied)
    told = json.loads((copied / "manifest.json").read_text(encoding="utf-8"))
    (copied / "manifest.json").write_text(json.dumps({**told, "measures": measures}), encoding="utf-8")
    found = compare(folders["loose"], copied)
    assert [each.name for each in found.front] == ["loose"] and found.releases[1].ncp == 1.0


def test_a_release_with_a_column_less_or_of_other_rows_is_not_better() -> None:
    plan = plan_of(5)
    less = plan.changed(columns={**plan.columns, "city": shoal.drop()})
    releases = {"all": shoal.anonymize(patients(), plan), "less": shoal.anonymize(patients(), less)}
    releases["fewer"] = shoal.anonymize(patients(150), plan)
    found = compare(releases)
    assert {each.name for each in found.front} == {"all", "less", "fewer"}


def test_the_columns_are_those_that_are_published(folders: dict[str, Path]) -> None:
    found = compare(folders["strict"], shoal.anonymize(patients(), plan_of(3)))
    assert [set(each.columns) for each in found.releases] == [{"age", "city", "ill"}] * 2


def test_the_input_of_another_table_is_refused(folders: dict[str, Path]) -> None:
    with pytest.raises(TableError, match=r"The input has 100 rows, but 'strict' was made from 300\."):
        compare(folders["strict"], folders["loose"], raw=patients().head(100))


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("manifest.json", "garbage"),
        ("manifest.json", "[]"),
        ("manifest.json", '{"rows_in": "x"}'),
        ("manifest.json", '{"rows_in": 1e400}'),
        ("plan.toml", "[columns.age]\nrole = 'quasi-identifier'\n"),
        ("plan.toml", "not TOML"),
        ("release.csv", ""),
    ],
)
def test_a_folder_that_cannot_be_read_is_marked_and_the_others_are_compared(
    folders: dict[str, Path], tmp_path: Path, file: str, content: str
) -> None:
    shutil.copytree(folders["loose"], tmp_path / "broken")
    (tmp_path / "broken" / file).write_text(content, encoding="utf-8")
    found = compare(folders["strict"], tmp_path / "broken", folders["loose"])
    broken = found.releases[1]
    assert not broken.holds and found.dominated_by(broken) is None
    assert {each.name for each in found.front} == {"strict", "loose"}
    assert "does not verify" in str(found) and "different tables" not in str(found) and "<svg" in found.svg()


def test_a_release_whose_risk_counts_rows_does_not_beat_one_that_counts_individuals(tmp_path: Path) -> None:
    visits = patients(300).with_columns(who=pl.Series([f"p{n // 3}" for n in range(300)]))
    plan = plan_of(3, data=shoal.Data(person="who"))
    plan = plan.changed(columns={**plan.columns, "who": shoal.identifier()})
    shoal.anonymize(visits, plan).save(tmp_path / "with")
    shutil.copytree(tmp_path / "with", tmp_path / "without")
    known, unknown = compare(tmp_path / "with", tmp_path / "without").releases
    assert unknown.counts_rows and not known.counts_rows and unknown.average_risk < known.average_risk
    assert not unknown.beats(known) and not known.beats(unknown)


def test_errors_of_releases_without_a_column_are_said_not_to_compare(tmp_path: Path) -> None:
    less = plan_of(3, data=shoal.Data(unlisted="drop"))
    less = less.changed(columns={name: column for name, column in less.columns.items() if name != "city"})
    found = compare(
        {"all": shoal.anonymize(patients(), plan_of(3)), "less": shoal.anonymize(patients(), less)}, raw=patients()
    )
    assert any("errors do not compare like with like" in each and "no query asks" in each for each in found.sentences())
