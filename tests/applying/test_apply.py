"""New rows get the labels of an earlier release, and every promise is checked on them anew."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.errors import CannotBeMet, PlanError, PromiseBroken
from tests import pets as pet_owners

GLOBAL = (shoal.Optimal(), shoal.Incognito(), shoal.Samarati(), shoal.Pais(), shoal.Pais(score="paper"))


def made(pets: Path, algorithm: Any, *models: Any, **release: Any) -> shoal.Plan:
    plan = pet_owners.plan(pets, *(models or (shoal.KAnonymity(k=4), shoal.LDiversity("ill", l=2))))
    return plan.changed(algorithm=algorithm, release=shoal.ReleaseSettings(**release))


def released(frame: pl.DataFrame, plan: shoal.Plan, folder: Path) -> shoal.Release:
    frame.write_csv(folder / "old.csv")
    return shoal.anonymize_to(plan.changed(data=shoal.Data(source=str(folder / "old.csv"))), folder / "old")


def text(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.all().cast(pl.String))


@pytest.mark.parametrize("suppression", [0.0, 0.1])
@pytest.mark.parametrize("ranges", ["tight", "cut"])
@pytest.mark.parametrize("algorithm", GLOBAL, ids=lambda each: f"{each.kind}-{getattr(each, 'score', '')}")
def test_on_its_own_table_a_recoding_makes_the_same_release(
    algorithm: Any, ranges: str, suppression: float, pets: Path, tmp_path: Path
) -> None:
    frame = pet_owners.frame(4, 120, missing=True)
    release = released(frame, made(pets, algorithm, ranges=ranges, suppression=suppression), tmp_path)
    again = shoal.apply(tmp_path / "old", frame)
    assert text(again.frame).equals(text(release.frame))
    assert replace(again.manifest, files={}) == replace(release.manifest, files={}, attacks=again.manifest.attacks)


@pytest.mark.parametrize("algorithm", GLOBAL[:4], ids=lambda each: each.kind)
def test_new_rows_get_labels_of_the_earlier_release(algorithm: Any, pets: Path, tmp_path: Path) -> None:
    old, new = pet_owners.frame(1, 200), pet_owners.frame(2, 150)
    release = released(old, made(pets, algorithm, suppression=0.3), tmp_path)
    new.write_csv(tmp_path / "new.csv")
    applied = shoal.apply_to(tmp_path / "old", tmp_path / "new.csv", tmp_path / "out")
    for name in pet_owners.QUASI:
        assert set(applied.frame[name]) <= set(release.frame[name])
    assert shoal.verify_folder(tmp_path / "out", plan=applied.plan, digest=applied.digest).holds
    steward = json.loads((tmp_path / "out.private" / "steward.json").read_text(encoding="utf-8"))
    assert steward["recoding_of"] == release.digest
    assert steward.get("levels", {}) == release.steward.to_json().get("levels", {})
    assert "recoding_of" not in (tmp_path / "out" / "manifest.json").read_text(encoding="utf-8")


def test_a_release_that_was_made_so_can_itself_be_applied(pets: Path, tmp_path: Path) -> None:
    frame = pet_owners.frame(1, 200)
    released(frame, made(pets, shoal.Optimal(), suppression=0.2), tmp_path)
    first = shoal.apply_to(tmp_path / "old", tmp_path / "old.csv", tmp_path / "second")
    again = shoal.apply_to(tmp_path / "second", tmp_path / "old.csv", tmp_path / "third")
    assert text(again.frame).equals(text(first.frame))


def test_a_frame_of_each_kind_comes_back(pets: Path, tmp_path: Path) -> None:
    frame = pet_owners.frame(1, 200)
    released(frame, made(pets, shoal.Pais()), tmp_path)
    assert isinstance(shoal.apply(tmp_path / "old", frame.to_pandas()).frame, pd.DataFrame)


def test_values_at_a_level_need_not_occur_in_the_earlier_release(tmp_path: Path) -> None:
    """Intervals, dates and prefixes cover every value; the length of the longest prefix does not matter."""
    old = pl.DataFrame({"age": [20, 21, 22, 23] * 5, "zip": ["02138", "02139"] * 10, "ill": ["a", "b"] * 10})
    columns = {
        "age": shoal.quasi(shoal.intervals(5)),
        "zip": shoal.quasi(shoal.prefixes()),
        "ill": shoal.sensitive(),
    }
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=12)], algorithm=shoal.Optimal())
    release = released(old, plan, tmp_path)
    assert set(release.frame["zip"]) == {"0213*"} and set(release.frame["age"]) == {"[20, 24]"}
    new = pl.DataFrame({"age": [71] * 12 + [20] * 12, "zip": ["101234567"] * 12 + ["021"] * 12, "ill": ["a", "b"] * 12})
    applied = shoal.apply(tmp_path / "old", new)
    assert set(applied.frame.select("age", "zip").rows()) == {("[70, 74]", "1012*"), ("[20, 24]", "021")}
    short = new.with_columns(zip=pl.lit("1012"))
    assert set(shoal.apply(tmp_path / "old", short).frame["zip"]) == {"1012*"}


def test_a_value_that_no_label_covers_is_suppressed_or_refused(tmp_path: Path) -> None:
    old = pl.DataFrame({"age": [20, 25, 30, 40, 45, 50] * 4, "ill": ["a", "b"] * 12})
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "ill": shoal.sensitive()}, models=[shoal.KAnonymity(k=8)], algorithm=shoal.Pais()
    )
    release = released(old, plan, tmp_path)
    assert set(release.frame["age"]) == {"[20, 30]", "[40, 50]"}
    new = pl.DataFrame({"age": [22, 29] * 5 + [35], "ill": ["a"] * 11})
    with pytest.raises(
        CannotBeMet, match=r"1 row has a value for which it has no label \(.age. in 1 row\), and 0 rows"
    ):
        shoal.apply(tmp_path / "old", new)
    applied = shoal.apply(tmp_path / "old", new, suppression=0.1)
    assert applied.frame.height == 10 and applied.steward.search.rows_without_label == 1
    assert applied.plan.release.suppression == 0.1


def test_values_outside_a_hierarchy_and_bounds_are_what_they_are_to_anonymize(pets: Path, tmp_path: Path) -> None:
    frame = pet_owners.frame(1, 200)
    plan = made(pets, shoal.Pais(), shoal.KAnonymity(k=4))
    plan = plan.changed(columns={**plan.columns, "age": shoal.quasi(top=8)})
    released(frame, plan, tmp_path)
    older = frame.with_columns(age=pl.col("age") + 50)
    assert shoal.apply(tmp_path / "old", older).frame.height == 200
    strange = frame.with_columns(pet=pl.lit("yeti"))
    with pytest.raises(shoal.ShoalError, match="does not cover 1 of the column's 1 distinct values") as raised:
        shoal.apply(tmp_path / "old", strange)
    assert "yeti" not in str(raised.value)


def test_a_promise_that_new_rows_break_is_refused(pets: Path, tmp_path: Path) -> None:
    released(pet_owners.frame(1, 200), made(pets, shoal.Optimal()), tmp_path)
    alike = pet_owners.frame(2, 60).with_columns(ill=pl.lit("HIV"))
    with pytest.raises(CannotBeMet):
        shoal.apply(tmp_path / "old", alike)


@pytest.mark.parametrize(
    "algorithm", [shoal.Mondrian(), shoal.KMember(), shoal.Optimal(local=True)], ids=lambda each: each.kind
)
def test_local_recodings_are_refused(algorithm: Any, pets: Path, tmp_path: Path) -> None:
    frame = pet_owners.frame(1, 60)
    released(frame, made(pets, algorithm), tmp_path)
    with pytest.raises(PlanError, match="is local: the label of a value depends on the other rows"):
        shoal.apply(tmp_path / "old", frame)


def test_individuals_in_both_releases_are_warned_of(pets: Path, tmp_path: Path) -> None:
    plan = made(pets, shoal.Optimal(), suppression=0.2)
    released(pet_owners.frame(1, 200), plan, tmp_path)
    pet_owners.frame(2, 200).write_csv(tmp_path / "new.csv")
    paths = tmp_path / "old", tmp_path / "new.csv"
    (warning,) = [w for w in shoal.apply_to(*paths, tmp_path / "a").warnings if "may be in the new table too" in w]
    assert "release in 'old'" in warning and f"shoal risk {tmp_path / 'old'} {tmp_path / 'a'}" in warning
    shutil.rmtree(tmp_path / "a.private")
    stated = shoal.apply_to(*paths, tmp_path / "b", new_persons=True)
    assert not [w for w in stated.warnings if "may be in the new table too" in w]


def test_a_strict_plan_needs_the_statement(pets: Path, tmp_path: Path) -> None:
    columns = {"sex": shoal.quasi(), "town": shoal.quasi()}
    frame = pet_owners.frame(1, 200).select(*columns)
    strict = shoal.Plan(
        columns=columns,
        models=[shoal.KAnonymity(k=4)],
        algorithm=shoal.Optimal(),
        release=shoal.ReleaseSettings(strict=True),
    )
    released(frame, strict, tmp_path)
    frame.sort("sex").write_csv(tmp_path / "new.csv")
    paths = tmp_path / "old", tmp_path / "new.csv", tmp_path / "out"
    with pytest.raises(PlanError, match="may be in the new table too"):
        shoal.apply_to(*paths)
    assert not (tmp_path / "out").exists()
    assert shoal.apply_to(*paths, new_persons=True).digest


def test_sets_and_items_are_treated_anew(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {"sex": rng.choice(["f", "m"], 80), "signs": rng.choice(["a|b", "a", "b", "a|b|c"], 80, p=[0.3, 0.3, 0.3, 0.1])}
    )
    plan = shoal.Plan(
        columns={"sex": shoal.quasi(), "signs": shoal.quasi_sensitive()},
        models=[shoal.KAnonymity(k=4), shoal.KmAnonymity("signs", k=4, m=2)],
        algorithm=shoal.Optimal(),
    )
    released(frame, plan, tmp_path)
    rare = frame.with_columns(signs=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("z")).otherwise("signs"))
    applied = shoal.apply(tmp_path / "old", rare)
    assert not applied.frame["signs"].str.contains("z").any()


def test_the_written_table_has_the_labels(pets: Path, tmp_path: Path) -> None:
    frame = pet_owners.frame(1, 200)
    release = released(frame, made(pets, shoal.Pais()), tmp_path)
    shoal.apply_to(tmp_path / "old", tmp_path / "old.csv", tmp_path / "out", new_persons=True)
    assert (tmp_path / "out" / "release.csv").read_bytes() == (tmp_path / "old" / "release.csv").read_bytes()
    with (tmp_path / "out" / "release.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == release.frame.height


def test_the_release_that_is_applied_is_not_replaced(pets: Path, tmp_path: Path) -> None:
    frame = pet_owners.frame(4, 120)
    released(frame, made(pets, shoal.Optimal()), tmp_path)
    before = (tmp_path / "old" / "manifest.json").read_bytes()
    with pytest.raises(shoal.ShoalError, match="whose recoding it applies"):
        shoal.apply_to(tmp_path / "old", tmp_path / "old.csv", tmp_path / "x" / ".." / "old", force=True)
    assert (tmp_path / "old" / "manifest.json").read_bytes() == before


def test_a_release_is_no_new_table(pets: Path, tmp_path: Path) -> None:
    released(pet_owners.frame(4, 120), made(pets, shoal.Optimal()), tmp_path)
    with pytest.raises(shoal.ShoalError, match="is the folder of a release; name a table"):
        shoal.apply_to(tmp_path / "old", tmp_path / "old", tmp_path / "out")


def test_a_column_of_the_new_table_may_be_empty(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [20 + i % 40 for i in range(400)], "ill": ["a", "b"] * 200})
    columns = {"age": shoal.quasi(shoal.intervals(5, 20)), "ill": shoal.sensitive()}
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=25)], algorithm=shoal.Optimal())
    shoal.anonymize(frame, plan).save(tmp_path / "old")
    frame.with_columns(age=pl.lit("")).write_csv(tmp_path / "new.csv")
    release = shoal.apply_to(tmp_path / "old", tmp_path / "new.csv", tmp_path / "out")
    assert set(release.frame["age"]) <= {"", None} and release.manifest.rows_released == 400
    assert shoal.verify_folder(tmp_path / "out", plan=release.plan).holds


def visits(*texts: str) -> pl.DataFrame:
    return pl.DataFrame({"seen": [*texts] * 12, "lab": ["1,5", "2,25", "7"] * (4 * len(texts))})


VISITS = shoal.Plan(
    columns={
        "seen": shoal.quasi(shoal.dates("month", "year"), finest=1),
        "lab": shoal.quasi(shoal.intervals(5, 10), finest=1),
    },
    models=[shoal.KAnonymity(k=4)],
    algorithm=shoal.Optimal(),
)


@pytest.fixture
def january(tmp_path: Path) -> Path:
    """A release whose input shows that days come first and that decimals have a comma."""
    folder = tmp_path / "january"
    release = shoal.anonymize(visits("13/02/2020", "01/02/2020"), VISITS)
    assert set(release.frame["seen"]) == {"2020-02"}
    release.save(folder)
    steward = json.loads((tmp_path / "january.private" / "steward.json").read_text(encoding="utf-8"))
    assert steward["notation"] == {"decimal": ",", "dates": "day-first"}
    return folder


def test_what_the_earlier_table_showed_decides_where_the_new_one_does_not(january: Path, tmp_path: Path) -> None:
    new = visits("03/02/2020", "01/02/2020").with_columns(lab=pl.lit("1,234"))
    assert set(shoal.apply(january, new).frame.rows()) == {("2020-02", "[0, 5]")}
    new.write_csv(tmp_path / "new.csv")
    applied = shoal.apply_to(january, tmp_path / "new.csv", tmp_path / "out")
    assert set(applied.frame.rows()) == {("2020-02", "[0, 5]")}
    assert "dates" not in (tmp_path / "out" / "plan.toml").read_text(encoding="utf-8")
    again = shoal.apply(tmp_path / "out", new)  # the release was read day-first, though its own table does not show it
    assert set(again.frame["seen"]) == {"2020-02"}


def test_a_new_table_may_show_another_notation(january: Path) -> None:
    new = visits("02/13/2020", "02/01/2020").with_columns(lab=pl.lit("1.5"))
    assert set(shoal.apply(january, new).frame["seen"]) == {"2020-02"}
    new = visits("2020-02-13", "2020-02-01")
    assert set(shoal.apply(january, new).frame["seen"]) == {"2020-02"}


def test_the_plan_decides_before_the_earlier_table(january: Path) -> None:
    data = shoal.Data(dates="month-first", decimal=",")
    applied = shoal.apply(january, visits("02/03/2020", "02/01/2020"), plan=VISITS.changed(data=data))
    assert set(applied.frame["seen"]) == {"2020-02"}


def test_an_older_private_folder_states_no_notation_and_the_error_names_the_remedy(january: Path) -> None:
    steward = january.with_name("january.private") / "steward.json"
    facts = json.loads(steward.read_text(encoding="utf-8"))
    del facts["notation"]
    steward.write_text(json.dumps(facts), encoding="utf-8")
    with pytest.raises(shoal.ShoalError, match=r'Column \'seen\'.*dates = "day-first" or "month-first" under \[data\]'):
        shoal.apply(january, visits("03/02/2020", "01/02/2020"))
    with pytest.raises(shoal.ShoalError, match=r'Column \'lab\'.*decimal = "," under \[data\]'):
        shoal.apply(january, visits("2020-02-13").with_columns(lab=pl.lit("1,234")))


@pytest.mark.parametrize("notation", [{"dates": "any"}, {"decimal": 3}, [], "x"])
def test_a_damaged_notation(january: Path, notation: object) -> None:
    steward = january.with_name("january.private") / "steward.json"
    facts = json.loads(steward.read_text(encoding="utf-8"))
    steward.write_text(json.dumps({**facts, "notation": notation}), encoding="utf-8")
    with pytest.raises(PromiseBroken, match=r"steward\.json.* cannot be read"):
        shoal.apply(january, visits("13/02/2020"))
