"""The pipeline end to end: a table in, a verified release out, the same for every way in."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal import table
from shoal.errors import OutputError, PlanError, PromiseBroken
from shoal.release.draft import Draft
from shoal.verification.verdicts import Verification, nothing_verified
from tests.contract.patients import patients, plan_of


def test_a_file_and_a_frame_give_the_same_release(tmp_path: Path) -> None:
    frame, plan = patients(), plan_of(tmp_path)
    frame.write_csv(tmp_path / "in.csv")
    frame.write_parquet(tmp_path / "in.parquet")
    frame.write_csv(tmp_path / "in.tsv", separator="\t")
    expected = shoal.anonymize(frame, plan).frame.write_csv()
    for name in ("in.csv", "in.parquet", "in.tsv"):
        read = plan.changed(data=shoal.Data(source=str(tmp_path / name)))
        shoal.anonymize_to(read, tmp_path / f"out {name}")
        assert (tmp_path / f"out {name}/release.csv").read_text() == expected


def test_typed_and_textual_frames_give_the_same_release(tmp_path: Path) -> None:
    typed = patients().with_columns(
        pl.col("age").cast(pl.Int32), pl.col("born").str.to_date(), pl.col("stay").cast(pl.Float64)
    )
    plan = plan_of(tmp_path)
    assert shoal.anonymize(typed, plan).frame.equals(shoal.anonymize(patients(), plan).frame)


def test_the_digest_is_that_of_the_manifest_and_steps_are_timed(tmp_path: Path) -> None:
    patients().write_csv(tmp_path / "in.csv")
    plan = plan_of(tmp_path).changed(data=shoal.Data(source=str(tmp_path / "in.csv")))
    release = shoal.anonymize_to(plan, tmp_path / "out", plan_text="# as given\n")
    digest = release.digest
    assert shoal.verify_folder(tmp_path / "out", digest=digest, plan=plan).holds
    timings = json.loads((tmp_path / "out.private/steward.json").read_text())["timings"]
    assert list(timings) == ["read", "encode", "search", "form", "write", "verify", "total"]
    assert timings["total"] == pytest.approx(sum(timings.values()) - timings["total"], abs=0.01)
    assert (tmp_path / "out.private/plan.toml").read_text() == "# as given\n"
    assert json.loads((tmp_path / "out.private/steward.json").read_text())["digest"] == digest


def test_progress_tells_the_steps_and_may_cancel(tmp_path: Path) -> None:
    steps: list[str] = []
    shoal.anonymize(patients(), plan_of(tmp_path), progress=lambda step, _share: steps.append(step))
    assert list(dict.fromkeys(steps)) == ["encode", "search", "form", "verify"]

    def stop(step: str, _share: float) -> None:
        if step == "search":
            raise KeyboardInterrupt

    patients().write_csv(tmp_path / "in.csv")
    plan = plan_of(tmp_path).changed(data=shoal.Data(source=str(tmp_path / "in.csv")))
    with pytest.raises(KeyboardInterrupt):
        shoal.anonymize_to(plan, tmp_path / "out", progress=stop)
    assert not [path for path in tmp_path.iterdir() if "out" in path.name]


def test_a_release_that_breaks_a_promise_is_not_given_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Verification:
        return nothing_verified()

    monkeypatch.setattr(Draft, "verified", broken)
    with pytest.raises(PromiseBroken, match="not been verified") as caught:
        shoal.anonymize(patients(), plan_of(tmp_path))
    assert caught.value.exit_code == 1


def test_a_release_that_is_not_true_to_its_input_is_not_given_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.pipeline.faithful_problems", lambda *_facts: ["A cell was changed."])
    patients().write_csv(tmp_path / "patients.csv")
    plan = plan_of(tmp_path, data=shoal.Data(source=str(tmp_path / "patients.csv")))
    with pytest.raises(PromiseBroken, match="A cell was changed"):
        shoal.anonymize(patients(), plan)
    with pytest.raises(PromiseBroken, match="A cell was changed"):
        shoal.anonymize_to(plan, tmp_path / "out")
    assert not [path for path in tmp_path.iterdir() if "out" in path.name]


def test_strict_turns_warnings_into_an_error() -> None:
    columns = {name: shoal.insensitive() for name in patients().columns}
    columns |= {"age": shoal.quasi(), "diagnosis": shoal.sensitive(), "name": shoal.identifier()}
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)])
    made = shoal.anonymize(patients(), plan)
    assert any("'diagnosis'" in warning for warning in made.warnings)
    with pytest.raises(PlanError, match="'diagnosis'") as caught:
        shoal.anonymize(patients(), plan.changed(release=shoal.ReleaseSettings(strict=True)))
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow", "lazy"])
def test_the_same_kind_comes_out(tmp_path: Path, kind: str) -> None:
    pytest.importorskip("pandas")
    frame = patients()
    given = {"polars": lambda: frame, "pandas": frame.to_pandas, "pyarrow": frame.to_arrow, "lazy": frame.lazy}[kind]()
    made = shoal.anonymize(given, plan_of(tmp_path))
    assert type(made.frame) is type(given)
    assert "name" not in table.to_polars(made.frame)[0].columns


def test_every_row_is_released_in_no_relation_to_its_place(tmp_path: Path) -> None:
    made = shoal.anonymize(patients(), plan_of(tmp_path))
    backwards = shoal.anonymize(patients()[::-1], plan_of(tmp_path))
    assert made.frame.equals(backwards.frame)
    assert made.frame.height == 40
    assert "row" not in " ".join(made.frame.columns) and "index" not in made.frame.columns


@pytest.mark.parametrize("algorithm", [shoal.Mondrian(), shoal.Pais()])
def test_labels_beyond_top_are_not_released(algorithm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """If coding forgot the top, a range that reaches beyond it would still be true of the values at the top."""
    monkeypatch.setattr("shoal.coded.coding.bounded", lambda values, *_: values)
    plan = shoal.Plan(
        columns={"age": shoal.quasi(top=40), "ill": shoal.sensitive()},
        models=[shoal.KAnonymity(k=8)],
        algorithm=algorithm,
    )
    with pytest.raises(PromiseBroken, match="above its top"):
        shoal.anonymize(pl.DataFrame({"age": [20, 30, 40, 50] * 5 + [36] * 5, "ill": ["flu"] * 25}), plan)


TIMED = [
    {},
    {"release": {"ranges": "cut"}},
    {"algorithm": shoal.Optimal()},
    {"algorithm": shoal.Pais()},
    {"release": {"form": "anatomy"}, "models": [shoal.LDiversity("diagnosis", l=2)]},
]


@pytest.mark.parametrize("parts", TIMED)
@pytest.mark.parametrize("hierarchy", [None, shoal.dates("hour", "day", "month")])
def test_date_times_are_released_and_verified(parts: dict[str, Any], hierarchy: Any, tmp_path: Path) -> None:
    first = datetime.datetime(2021, 1, 30, 22)
    at = [first + datetime.timedelta(minutes=37 * row * row) for row in range(60)]
    frame = pl.DataFrame({"admitted": at, "seen": at, "diagnosis": ["flu", "burn", "asthma"] * 20})
    settings = {"top": datetime.datetime(2021, 4, 1, 12), "bottom": datetime.datetime(2021, 2, 1)}
    columns = {
        "admitted": shoal.quasi(hierarchy, **settings),
        "seen": shoal.insensitive(),
        "diagnosis": shoal.sensitive(),
    }
    plan = shoal.Plan(**{"columns": columns, "models": [shoal.KAnonymity(k=3)], **parts})
    native = shoal.anonymize(frame, plan)
    german = shoal.anonymize(frame.with_columns(pl.col("admitted").dt.strftime("%d.%m.%Y %H:%M")), plan)
    main = next(iter(native.tables))
    assert native.tables[main]["admitted"].cast(pl.String).equals(german.tables[main]["admitted"].cast(pl.String))
    native.save(tmp_path / "out")
    verified = shoal.verify_folder(tmp_path / "out", plan=plan)
    assert verified.holds, verified.problems


def test_ranges_of_date_times_are_read_as_ranges() -> None:
    at = [datetime.datetime(2021, 3, 4, 10, minute) for minute in range(12)]
    plan = shoal.Plan(columns={"at": shoal.quasi()}, models=[shoal.KAnonymity(k=6)])
    labels = shoal.anonymize(pl.DataFrame({"at": at}), plan).frame["at"].unique().sort().to_list()
    assert labels == ["[2021-03-04 10:00:00, 2021-03-04 10:05:00]", "[2021-03-04 10:06:00, 2021-03-04 10:11:00]"]
    cut = plan.changed(release=shoal.ReleaseSettings(ranges="cut"))
    labels = shoal.anonymize(pl.DataFrame({"at": at}), cut).frame["at"].unique().sort().to_list()
    assert labels == ["[2021-03-04 09:59:00, 2021-03-04 10:05:30]", "[2021-03-04 10:05:30, 2021-03-04 10:12:00]"]


def test_a_german_export_is_read_and_its_unchanged_cells_are_kept(tmp_path: Path) -> None:
    rows = [f"0{n % 9 + 1}.03.2021;{60 + n},5;{n},{n}0 mg;1,{n:03d};0{n % 9 + 1}/04/2021" for n in range(12)]
    (tmp_path / "labor.csv").write_text("datum;gewicht;dosis;wert;kontrolle\n" + "\n".join(rows) + "\n")
    (tmp_path / "plan.toml").write_text(
        """
[data]
source = "labor.csv"
decimal = ","
dates = "day-first"
[columns]
datum.role = "quasi-identifier"
gewicht.role = "quasi-identifier"
kontrolle.role = "quasi-identifier"
dosis.role = "insensitive"
wert = { role = "sensitive", type = "real" }
[[models]]
kind = "k-anonymity"
k = 6
"""
    )
    plan = shoal.read_plan(tmp_path / "plan.toml")
    release = shoal.anonymize_to(plan, tmp_path / "out")
    assert release.frame["gewicht"].str.contains(r"^\[6\d\.5, \d\d\.5\]$").all()
    assert all("2021-03-0" in label for label in release.frame["datum"])
    assert all("2021-04-0" in label for label in release.frame["kontrolle"])
    assert sorted(release.frame["dosis"]) == sorted(f"{n},{n}0 mg" for n in range(12))
    assert "1.011" in release.frame["wert"].to_list()
    assert shoal.verify_folder(tmp_path / "out", plan=plan, digest=release.digest).holds
    assert "decimal" not in (tmp_path / "out/plan.toml").read_text()


@pytest.mark.parametrize("format", ["dta", "sav"])
@pytest.mark.parametrize("form", ["generalized", "anatomy"])
def test_a_table_of_a_statistics_program_comes_back_as_one(format: str, form: str, tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    rows = 60
    frame = pl.DataFrame(
        {
            "age": [20 + n for n in range(rows)],
            "sex": [1 + n % 2 for n in range(rows)],
            "ill": [f"d{n % 4}" for n in range(rows)],
            "ward": [n % 3 for n in range(rows)],
        }
    )
    labels = {"sex": {1: "male", 2: "female"}, "ward": {0: "north", 1: "south", 2: "west"}}
    getattr(pyreadstat, f"write_{format}")(frame, tmp_path / f"t.{format}", variable_value_labels=labels)
    columns = {
        "age": shoal.quasi(),
        "sex": shoal.quasi(),
        "ill": shoal.sensitive(),
        "ward": shoal.insensitive(),
    }
    plan = shoal.Plan(
        columns=columns,
        models=[shoal.LDiversity("ill", l=3)],
        data=shoal.Data(source=str(tmp_path / f"t.{format}")),
        release=shoal.ReleaseSettings(form=form, format=format),
    )
    first = shoal.anonymize_to(plan, tmp_path / "a")
    second = shoal.anonymize_to(plan, tmp_path / "b")
    assert first.digest == second.digest
    assert shoal.verify_folder(tmp_path / "a", plan=plan, digest=first.digest).holds
    name = "release" if form == "generalized" else "quasi_identifiers"
    back, facts = getattr(pyreadstat, f"read_{format}")(tmp_path / f"a/{name}.{format}", output_format="polars")
    assert set(facts.variable_value_labels["ward"].values()) == {"north", "south", "west"}
    assert back.height == rows
    changed = bytearray((tmp_path / f"a/{name}.{format}").read_bytes())
    changed[-20] ^= 1
    (tmp_path / f"a/{name}.{format}").write_bytes(changed)
    assert not shoal.verify_folder(tmp_path / "a").holds


@pytest.mark.parametrize("format", ["dta", "sav"])
@pytest.mark.parametrize("form", ["generalized", "anatomy"])
def test_codes_get_labels_and_numbers_stay_numbers(format: str, form: str, tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    names = ["flu ", "Zoster", "asthma", "gout"]  # a label in the source may end in a blank, which no reader keeps
    rows = range(60)
    frame = pl.DataFrame(
        {
            "age": [20 + n for n in rows],
            "year": [1980 + n % 2 for n in rows],
            "ill": [9 - n % 4 for n in rows],
            "dose": [None if n % 7 == 0 else 0.5 * (n % 5) for n in rows],
            "weight": [60 + n / 8 for n in rows],
            "ward": [n % 3 for n in rows],
        }
    )
    labels = {"ill": {9 - n: name for n, name in enumerate(names)} | {1: "unused"}, "ward": {0: "x", 1: "10", 2: "y"}}
    getattr(pyreadstat, f"write_{format}")(frame, tmp_path / f"t.{format}", variable_value_labels=labels)
    roles = dict.fromkeys(("weight", "ward"), shoal.insensitive()) | dict.fromkeys(("ill", "dose"), shoal.sensitive())
    plan = shoal.Plan(
        columns=dict.fromkeys(("age", "year"), shoal.quasi()) | roles,
        models=[shoal.LDiversity("ill", l=2), shoal.LDiversity("dose", l=2)],
        data=shoal.Data(source=str(tmp_path / f"t.{format}")),
        release=shoal.ReleaseSettings(form=form, format=format),
    )
    first, second = (shoal.anonymize_to(plan, tmp_path / folder) for folder in "ab")
    files = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "b").iterdir()}
    assert first.digest == second.digest and shoal.verify_folder(tmp_path / "a", plan=plan, digest=first.digest).holds
    assert shoal.verify_folder(tmp_path / "a").holds

    def opened(name: str) -> tuple[pl.DataFrame, dict[str, dict[int, str]]]:
        path = tmp_path / f"a/{name}.{format}"
        stored, facts = getattr(pyreadstat, f"read_{format}")(path, output_format="polars")
        return stored, facts.variable_value_labels

    main, of_main = opened("release" if form == "generalized" else "quasi_identifiers")
    ill, dose = ("ill", "dose") if form == "generalized" else ("value", "value")
    of_ill = of_main if form == "generalized" else opened("sensitive_ill")[1]
    doses = main if form == "generalized" else opened("sensitive_dose")[0]
    assert of_ill[ill] == {1: "Zoster", 2: "asthma", 3: "flu", 4: "gout"}
    assert of_main["ward"] == {1: "10", 2: "x", 3: "y"}
    assert set(doses[dose].to_list()) == {None, 0, 0.5, 1, 1.5, 2}
    assert sorted(main["weight"]) == [60 + n / 8 for n in rows]
    if form == "generalized":
        assert all(label.startswith("[") for label in of_main["age"].values())
        assert main["age"].is_in(list(of_main["age"])).all()
    else:
        assert sorted(main["age"]) == [20 + n for n in rows]


@pytest.mark.parametrize("format", ["dta", "sav"])
def test_quasi_identifiers_that_stay_numbers_are_verified(format: str, tmp_path: Path) -> None:
    pytest.importorskip("pyreadstat")
    frame = pl.DataFrame({"size": [1.0, 2.5, 10.0] * 8, "year": [1999, None] * 12, "stage": ["2", "1.5", "4", "3"] * 6})
    plan = shoal.Plan(
        columns={"size": shoal.quasi(), "year": shoal.quasi(), "stage": shoal.sensitive(type="real")},
        models=[shoal.KAnonymity(k=4), shoal.TCloseness("stage", t=0.9, distance="ordered")],
        release=shoal.ReleaseSettings(format=format),
    )
    release = shoal.anonymize(frame, plan)
    release.save(tmp_path / "a")
    assert set(release.frame["size"].cast(pl.String)) == {"1", "2.5", "10"}
    assert shoal.verify_folder(tmp_path / "a", plan=plan, digest=release.digest).holds
    back = shoal.table.read(tmp_path / f"a/release.{format}")
    assert back.schema == {"size": pl.Float64(), "year": pl.Int64(), "stage": pl.Float64()}


@pytest.mark.parametrize("format", ["dta", "sav"])
@pytest.mark.parametrize("form", ["generalized", "anatomy"])
def test_columns_without_values_are_written_and_verified(format: str, form: str, tmp_path: Path) -> None:
    pytest.importorskip("pyreadstat")
    empty = pl.Series([None] * 12, dtype=pl.String)
    frame = pl.DataFrame(
        {"age": [30, 40] * 6, "lost": empty, "ill": ["a", "b", None] * 4, "note": empty, "gone": empty}
    )
    columns = {"age": shoal.quasi(), "lost": shoal.quasi(), "ill": shoal.sensitive(), "note": shoal.insensitive()}
    plan = shoal.Plan(
        columns=columns | {"gone": shoal.sensitive()},
        models=[shoal.LDiversity("ill", l=2)],
        release=shoal.ReleaseSettings(form=form, format=format),
    )
    release = shoal.anonymize(frame, plan)
    release.save(tmp_path / "a")
    assert shoal.verify_folder(tmp_path / "a", plan=plan, digest=release.digest).holds


def test_a_name_that_stata_does_not_allow_is_refused_before_the_search(tmp_path: Path) -> None:
    plan = shoal.Plan(
        columns={"age in years": shoal.quasi()},
        models=[shoal.KAnonymity(k=2)],
        release=shoal.ReleaseSettings(format="dta"),
    )
    steps: list[str] = []
    with pytest.raises(OutputError, match="'age in years'"):
        shoal.anonymize(pl.DataFrame({"age in years": [1, 1]}), plan, progress=lambda step, _share: steps.append(step))
    assert steps == ["encode"]
