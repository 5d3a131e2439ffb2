"""datapackage.json is valid, names every file and column, and a reader that follows it reads every released cell."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest

import shoal
from shoal import table
from shoal.hierarchies import Intervals, Prefix
from shoal.manifest import read_manifest
from tests.contract.patients import patients

SCHEMA = json.loads((Path(__file__).parent / "frictionless.json").read_text(encoding="utf-8"))
READ_AS = {"integer": pl.Int64, "number": pl.Float64, "boolean": pl.Boolean}
FACTS = {
    "title": "Admissions: Köln",
    "purpose": "Teaching",
    "steward": "St. Mary's <Hospital>",
    "date": "2025-03-01",
    "licence": "CC-BY-4.0",
}


def visits(rows: int = 60) -> pl.DataFrame:
    """A table with a column of every type that a release may have."""
    each = range(rows)
    return pl.DataFrame(
        {
            "age": [str(20 + (i * 7) % 50) for i in each],
            "sex": [("f", "m")[i % 2] for i in each],
            "zip": [f"021{(i * 13) % 40:02d}" for i in each],
            "ill": [("I10", "E11.9", "=A1")[(i * i) % 3] for i in each],
            "weight": [None if i == 5 else f"{50 + i / 4:g}" for i in each],
            "ward": [("7", "12", "?")[i % 3] for i in each],
            "code": [f"{i % 4:03d}" for i in each],
            "seen": [f"2024-0{1 + i % 9}-1{i % 10}" for i in each],
            "at": [f"2024-01-1{i % 10} 0{i % 10}:30:00" for i in each],
            "signs": [("cough|fever", "fever", None)[i % 3] for i in each],
        }
    )


def plan_of(form: str = "generalized", format: str = "csv", **settings: Any) -> shoal.Plan:
    columns = {
        "age": shoal.quasi(Intervals((10, 20)), top=60),
        "sex": shoal.quasi(),
        "zip": shoal.quasi(Prefix(), type="text"),
        "ill": shoal.sensitive(),
        **{name: shoal.insensitive() for name in ("weight", "ward", "code", "seen", "at")},
        "signs": shoal.quasi_sensitive() if form == "generalized" else shoal.drop(),
    }
    linked = [shoal.KAnonymity(k=3), shoal.KmAnonymity("signs", k=3, m=2)] if form == "generalized" else []
    models = [shoal.LDiversity("ill", l=2), *linked]
    release = shoal.ReleaseSettings(form=form, format=format, **settings)
    return shoal.Plan(columns=columns, models=models, release=release, data=shoal.Data(missing=("?",)))


def saved(folder: Path, plan: shoal.Plan, *, in_parts: bool = False) -> dict[str, Any]:
    release = shoal.anonymize(visits(), plan)
    replace(release, draft=replace(release.draft, in_parts=in_parts)).save(folder)
    package: dict[str, Any] = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    return package


def types(package: dict[str, Any], resource: int = 0) -> dict[str, str]:
    return {field["name"]: field["type"] for field in package["resources"][resource]["schema"]["fields"]}


def read_csv(paths: list[Path], resource: dict[str, Any]) -> pl.DataFrame:
    """A table as a reader of data packages reads it; raises if a cell does not have the stated type."""
    schema = resource["schema"]
    kinds = {field["name"]: READ_AS.get(field["type"], pl.String) for field in schema["fields"]}
    frame = pl.concat(pl.read_csv(path, schema=kinds, null_values=schema["missingValues"]) for path in paths)
    for field in schema["fields"]:
        if field["type"] in ("date", "datetime"):
            format = field.get("format", "%Y-%m-%d" if field["type"] == "date" else "%Y-%m-%dT%H:%M:%SZ")
            parsed = frame[field["name"]].str.strptime(getattr(pl, field["type"].capitalize()), format, strict=True)
            frame = frame.with_columns(parsed)
        if field.get("constraints", {}).get("required"):
            assert not frame[field["name"]].has_nulls()
    return frame


@pytest.mark.parametrize("format", ["csv", "parquet", "dta", "sav"])
@pytest.mark.parametrize("form", ["generalized", "anatomy"])
def test_it_is_valid_and_lists_the_written_files(tmp_path: Path, form: str, format: str) -> None:
    if format in ("dta", "sav"):
        pytest.importorskip("pyreadstat")
    package = saved(tmp_path / "out", plan_of(form, format))
    jsonschema.Draft7Validator(SCHEMA).validate(package)
    files = read_manifest(tmp_path / "out").files
    assert "datapackage.json" in files and shoal.verify_folder(tmp_path / "out").holds
    for resource in package["resources"]:
        path = tmp_path / "out" / resource["path"]
        assert resource["hash"] == f"sha256:{files[resource['path']]}"
        assert resource["bytes"] == path.stat().st_size
        assert [field["name"] for field in resource["schema"]["fields"]] == table.read(path).columns
    assert ("foreignKeys" in package["resources"][-1]["schema"]) is (form == "anatomy")


def test_a_reader_that_follows_it_reads_every_cell(tmp_path: Path) -> None:
    package = saved(tmp_path / "out", plan_of())
    resource = package["resources"][0]
    frame = read_csv([tmp_path / "out" / resource["path"]], resource)
    assert types(package) == {
        "age": "string",
        "sex": "string",
        "zip": "string",
        "ill": "string",
        "weight": "number",
        "ward": "integer",
        "code": "string",
        "seen": "date",
        "at": "datetime",
        "signs": "string",
    }
    assert frame.height == 60 and frame["ward"].null_count() == 20 and frame["weight"].null_count() == 1
    assert sorted(frame["weight"].drop_nulls()) == sorted(float(text) for text in visits()["weight"].drop_nulls())
    assert frame["code"].to_list()[0].startswith("0")
    required = {field["name"]: "constraints" in field for field in resource["schema"]["fields"]}
    assert required["code"] and required["age"] and not required["ward"] and not required["signs"]


@pytest.mark.parametrize("form", ["generalized", "anatomy"])
def test_parts_are_listed_in_order(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table.parts, "ROWS", 25)
    package = saved(tmp_path / "out", plan_of(form), in_parts=True)
    jsonschema.Draft7Validator(SCHEMA).validate(package)
    resource = package["resources"][0]
    assert resource["path"] == [f"{resource['name']}/part-0000{number}.csv" for number in range(3)]
    paths = [tmp_path / "out" / path for path in resource["path"]]
    assert resource["bytes"] == sum(path.stat().st_size for path in paths) and "hash" not in resource
    assert read_csv(paths, resource).height == 60


def test_the_classes_of_an_anatomy_are_those_of_its_main_table(tmp_path: Path) -> None:
    package = saved(tmp_path / "out", plan_of("anatomy"))
    main, values = package["resources"]
    assert values["schema"]["foreignKeys"] == [
        {"fields": ["class_id"], "reference": {"resource": "quasi_identifiers", "fields": ["class_id"]}}
    ]
    assert types(package, 1) == {"class_id": "integer", "value": "string", "count": "integer"}
    frames = [read_csv([tmp_path / "out" / each["path"]], each) for each in (main, values)]
    assert set(frames[1]["class_id"]) <= set(frames[0]["class_id"])
    assert "'ill'" in values["schema"]["fields"][1]["description"]


def test_types_of_binary_files_are_those_of_their_columns(tmp_path: Path) -> None:
    package = saved(tmp_path / "parquet", plan_of(format="parquet"))
    stored = pl.read_parquet(tmp_path / "parquet/release.parquet").schema
    for name, stated in types(package).items():
        expected = "array" if stored[name] == pl.List(pl.String) else "string" if stored[name] == pl.String else stated
        assert stated == expected, name
    assert types(package)["signs"] == "array" and package["profile"] == "data-package"


@pytest.mark.parametrize("format", ["dta", "sav"])
def test_types_of_statistics_files_are_those_of_their_columns(tmp_path: Path, format: str) -> None:
    pytest.importorskip("pyreadstat")
    package = saved(tmp_path / "out", plan_of(format=format))
    stored = table.read(tmp_path / f"out/release.{format}").schema
    for name, stated in types(package).items():
        assert (stated == "number") is stored[name].is_float() and (stated == "integer") is stored[name].is_integer(), (
            name
        )
    assert types(package)["weight"] == "number" and types(package)["code"] == "string"


def test_descriptions_say_how_labels_are_read(tmp_path: Path) -> None:
    package = saved(tmp_path / "out", plan_of(escape_formulas=True))
    fields = {field["name"]: field["description"] for field in package["resources"][0]["schema"]["fields"]}
    assert (
        fields["age"].startswith("Quasi-identifier, released as ")
        and "codebook.json lists its labels." in fields["age"]
    )
    assert "[a, b] is any value from a to b" in fields["age"] and "Top-coded at 60." in fields["age"]
    assert fields["ill"] == "Sensitive column, released unchanged."
    assert "separated by '|'" in fields["signs"]
    assert "apostrophe" in package["resources"][0]["description"]
    assert "k-anonymity" in package["description"] and "l-diversity" in package["description"]


def test_what_the_plan_states_about_the_origin_is_stated(tmp_path: Path) -> None:
    package = saved(tmp_path / "out", plan_of(**FACTS))
    jsonschema.Draft7Validator(SCHEMA).validate(package)
    assert (package["name"], package["title"]) == ("admissions-koln", FACTS["title"])
    assert package["created"] == "2025-03-01T00:00:00Z" and package["licenses"] == [{"name": "CC-BY-4.0"}]
    assert package["contributors"] == [{"title": FACTS["steward"], "role": "publisher"}]
    assert package["description"].startswith("Teaching. ")


@pytest.mark.parametrize(
    ("licence", "stated"),
    [
        ("https://example.org/terms", {"path": "https://example.org/terms"}),
        ("Data use agreement", {"path": "plan.toml", "title": "Data use agreement"}),
    ],
)
def test_licences_without_identifier(tmp_path: Path, licence: str, stated: dict[str, str]) -> None:
    package = saved(tmp_path / "out", plan_of(licence=licence, date="March 2025"))
    jsonschema.Draft7Validator(SCHEMA).validate(package)
    assert package["licenses"] == [stated] and "created" not in package and "title" not in package


def test_equal_releases_have_equal_packages_whatever_the_order_of_the_input(tmp_path: Path) -> None:
    for name, frame in (("one", visits()), ("two", visits().reverse())):
        shoal.anonymize(frame, plan_of()).save(tmp_path / name)
    assert (tmp_path / "one/release.csv").read_bytes() == (tmp_path / "two/release.csv").read_bytes()
    assert (tmp_path / "one/datapackage.json").read_bytes() == (tmp_path / "two/datapackage.json").read_bytes()


def test_a_column_without_values_is_text(tmp_path: Path) -> None:
    frame = patients().select("age", ill="diagnosis").with_columns(empty=pl.lit(None, pl.String))
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive(), "empty": shoal.insensitive()}
    shoal.anonymize(frame, shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=3)])).save(tmp_path / "out")
    package = json.loads((tmp_path / "out/datapackage.json").read_text(encoding="utf-8"))
    assert types(package)["empty"] == "string"
