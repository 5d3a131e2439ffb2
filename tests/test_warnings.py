"""Warnings: what triggers each, what does not, and that none shows a value."""

from __future__ import annotations

import datetime
import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import warnings
from shoal.algorithms import Mondrian, Optimal, Pais
from shoal.encode import encode
from shoal.errors import PlanError
from shoal.models import LKC, AlphaK, ExponentialL, KAnonymity, LDiversity, MultiSensitive, PSensitive, TCloseness
from shoal.partition import Partition
from shoal.plan import Plan, ReleaseSettings
from shoal.prepare import prepare
from shoal.roles import Column, Data, identifier, insensitive, quasi, sensitive, target
from shoal.warnings import Case, find_warnings, missing_effect

ADULT = Path(__file__).resolve().parents[1] / ".." / "shared" / "data" / "adult" / "adult_complete.csv.gz"
K = KAnonymity(k=2)


def case(frame: pl.DataFrame, columns: dict[str, Column], classes: Sequence[int], *models, **data) -> Case:
    """The case of a table whose row i is in class classes[i]; rows alike in what is encoded must be in one class."""
    knows = any(model.judges == "knowledge" for model in models)
    plan = Plan(data=Data(**data), columns=columns, models=models or (K,), algorithm=Pais() if knows else Mondrian())
    prepared = prepare(frame, plan)
    encoded = encode(prepared.frame, plan.columns, plan.data, plan.reads, plan.release.categories)
    class_of = np.full(len(encoded.rows.weight), -1, np.int64)
    class_of[encoded.row_of] = classes
    return Case(prepared, encoded, Partition(class_of, int(max(classes)) + 1), plan)


def narrowed(frame: pl.DataFrame, columns: dict[str, Column], classes: Sequence[int]) -> list[str]:
    return list(warnings.narrowed_quasi_identifiers(case(frame, columns, classes)))


def married(couples: int) -> pl.DataFrame:
    """Half of the rows are husbands and wives, half are single women and men."""
    return pl.DataFrame(
        {
            "sex": ["F", "M", "F", "M"] * couples,
            "relationship": ["Wife", "Husband", "Single", "Single"] * couples,
        }
    )


def test_relationship_beside_sex_is_told_with_its_share() -> None:
    found = narrowed(married(50), {"sex": quasi(), "relationship": insensitive()}, [0] * 200)
    assert found == [
        "Column 'relationship' is released unchanged and narrows quasi-identifier 'sex': in 50 % of the rows it rules "
        "out what others of the same class have. Make it a quasi-identifier, or leave it out."
    ]


def test_nothing_is_narrowed_where_classes_hold_a_single_sex() -> None:
    assert not narrowed(married(50), {"sex": quasi(), "relationship": insensitive()}, [0, 1, 0, 1] * 50)


def test_too_few_rows_prove_nothing() -> None:
    assert not narrowed(married(5), {"sex": quasi(), "relationship": insensitive()}, [0] * 20)


def test_targets_and_sensitive_columns_are_looked_at_too() -> None:
    (as_target,) = narrowed(married(50), {"sex": quasi(), "relationship": target()}, [0] * 200)
    (as_sensitive,) = narrowed(married(50), {"sex": quasi(), "relationship": sensitive()}, [0] * 200)
    assert as_target.startswith("Column 'relationship'")
    assert as_sensitive.startswith("Sensitive column 'relationship'") and "Make it" not in as_sensitive


def test_suppressed_rows_are_not_looked_at() -> None:
    frame = pl.concat([married(50), pl.DataFrame({"sex": ["X"] * 200, "relationship": ["Single"] * 200})])
    columns = {"sex": quasi(), "relationship": insensitive()}
    (only,) = narrowed(frame, columns, [0] * 200 + [-1] * 200)
    assert "in 50 % of the rows" in only


def test_few_exceptions_do_not_hide_an_exclusion() -> None:
    frame = pl.concat([married(400), pl.DataFrame({"sex": ["F"], "relationship": ["Husband"]})])
    assert narrowed(frame, {"sex": quasi(), "relationship": insensitive()}, [0] * len(frame))


def test_a_number_for_a_text_is_found() -> None:
    rng = np.random.default_rng(1)
    level = np.minimum(rng.geometric(0.2, 3000), 16)
    frame = pl.DataFrame({"education": [f"level {x}" for x in level], "education-num": level})
    (only,) = narrowed(frame, {"education": quasi(), "education-num": insensitive()}, [0] * 3000)
    assert "'education-num'" in only and "'education'" in only


def diagnosed(rows: int, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    born = rng.integers(0, 80 * 365, rows)
    age = (rng.integers(85 * 365, 90 * 365, rows) - born) // 365
    return pl.DataFrame(
        {
            "birth": [datetime.date(1930, 1, 1) + datetime.timedelta(int(day)) for day in born],
            "zip": rng.integers(10, 30, rows).astype(str),
            "age_at_diagnosis": age.astype(str),
            "weekday": rng.choice(["Mo", "Tu", "We"], rows),
        }
    )


@pytest.mark.parametrize("rows", [1500, 20_000])
def test_age_at_diagnosis_beside_birth_date_is_found_in_a_release(rows: int) -> None:
    columns = {"birth": quasi(), "zip": quasi(), "age_at_diagnosis": insensitive(), "weekday": insensitive()}
    plan = Plan(columns=columns, models=(KAnonymity(k=50),))
    (only,) = shoal.anonymize(diagnosed(rows), plan).warnings
    assert "'age_at_diagnosis'" in only and "'birth'" in only


@pytest.mark.parametrize("seed", range(30))
def test_independent_columns_raise_no_alarm(seed: int) -> None:
    """The chance of one is bounded by a thousandth, however skewed the columns and however large the classes are."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(30, 6000))
    skewed = rng.dirichlet(np.full(30, 0.3), 2)
    frame = pl.DataFrame(
        {
            "age": rng.integers(0, 90, rows),
            "job": rng.choice(30, rows, p=skewed[0]).astype(str),
            "sex": rng.choice(["F", "M"], rows),
            "cost": rng.lognormal(3, 2, rows),
            "drug": rng.choice(30, rows, p=skewed[1]).astype(str),
            "flag": rng.random(rows) < 0.05,
            "count": rng.poisson(3, rows),
        }
    )
    columns = {name: quasi() if name in ("age", "job", "sex") else insensitive() for name in frame.columns}
    assert not narrowed(frame, columns, [0] * rows)


def test_columns_of_every_kind_are_binned() -> None:
    day = datetime.datetime(2024, 1, 1, 12)
    frame = pl.DataFrame(
        {
            "sex": ["F", "M"] * 100,
            "real": [float("inf"), float("nan"), 1.5, None] * 50,
            "whole": range(200),
            "moment": [day + datetime.timedelta(hours=hour) for hour in range(200)],
            "flag": [True, None] * 100,
            "text": ["a", None, "", "?"] * 50,
            "void": pl.Series([None] * 200, dtype=pl.String),
        },
        strict=False,
    ).with_columns(kind=pl.Series(["x", "y"] * 100, dtype=pl.Categorical))
    columns = {name: quasi() if name == "sex" else insensitive() for name in frame.columns}
    found = narrowed(frame, columns, [0] * 200)
    assert [sentence.split("'")[1] for sentence in found] == ["flag", "kind", "real", "text"]


def test_missing_values_have_a_bin_of_their_own() -> None:
    amounts = [str(x) if x % 2 else "" for x in range(400)]
    frame = pl.DataFrame({"sex": ["F", "M"] * 200, "amount": amounts})
    (only,) = narrowed(frame, {"sex": quasi(), "amount": insensitive()}, [0] * 400)
    assert "in 100 % of the rows" in only


def test_a_handful_is_shown_and_the_rest_counted() -> None:
    frame = pl.DataFrame({"sex": ["F", "M"] * 50, **{f"copy{i}": ["f", "m"] * 50 for i in range(8)}})
    columns = {name: quasi() if name == "sex" else insensitive() for name in frame.columns}
    found = narrowed(frame, columns, [0] * 100)
    assert len(found) == 6
    assert found[-1] == "And 3 more pairs of an unchanged column and a quasi-identifier that it narrows."


def test_pairs_are_sorted_by_share() -> None:
    frame = married(50).with_columns(copy=pl.col("sex"))
    found = narrowed(frame, {"sex": quasi(), "relationship": insensitive(), "copy": insensitive()}, [0] * 200)
    assert [sentence.split("'")[1] for sentence in found] == ["copy", "relationship"]


def test_a_sample_of_classes_tells_about_the_same_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = diagnosed(20_000).with_columns(pl.col("birth").cast(pl.String))
    columns = {name: insensitive() if "_" in name else quasi() for name in frame.columns if name != "weekday"}
    plan = Plan(columns=columns, models=(KAnonymity(k=100),), data=Data(unlisted="drop"))
    (whole,) = shoal.anonymize(frame, plan).warnings
    monkeypatch.setattr(warnings, "_ROWS_LOOKED_AT", 5_000)
    monkeypatch.setattr(warnings, "_CLASSES_LOOKED_AT", 40)
    (sampled,) = shoal.anonymize(frame, plan).warnings
    assert whole != sampled and whole.partition(" in ")[0] == sampled.partition(" in ")[0]
    assert (sampled,) == shoal.anonymize(frame.sample(fraction=1, shuffle=True, seed=3), plan).warnings


@pytest.mark.shared
@pytest.mark.skipif(not ADULT.exists(), reason="the Adult table is not beside the project")
def test_adult_education_num_and_relationship_are_told() -> None:
    with gzip.open(ADULT) as file:
        frame = pl.read_csv(file.read(), infer_schema=False)
    names = ("age", "sex", "education", "race")
    columns = {name: quasi() if name in names else insensitive() for name in frame.columns}
    columns["sex"] = quasi(weight=0.001)  # so that classes mix it
    found = shoal.anonymize(frame, Plan(columns=columns, models=(KAnonymity(k=50),))).warnings
    pairs = {tuple(sentence.split("'")[1:4:2]) for sentence in found}
    assert {("education-num", "education"), ("relationship", "sex")} <= pairs
    assert not any(unchanged == "fnlwgt" for unchanged, _ in pairs)


# -- repeated persons ---------------------------------------------------------------------------------------------


def visits(**identifiers: Sequence[object]) -> tuple[pl.DataFrame, dict[str, Column]]:
    """300 patients with two visits each, and identifiers for each of the 600 rows."""
    rng = np.random.default_rng(0)
    facts = {"age": rng.integers(0, 90, 300).repeat(2), "zip": rng.integers(0, 50, 300).repeat(2)}
    columns = {**dict.fromkeys(facts, quasi()), **dict.fromkeys(identifiers, identifier())}
    return pl.DataFrame({**facts, **identifiers}), columns


def repeated(frame: pl.DataFrame, columns: dict[str, Column], **data: object) -> list[str]:
    return list(warnings.repeated_persons(case(frame, columns, [0] * len(frame), **data)))


def test_a_repeated_identifier_is_told() -> None:
    (only,) = repeated(*visits(patient=[number // 2 if number < 60 else number for number in range(600)]))
    assert "'patient' repeats: 10 % of the rows" in only and "not persons" in only


def test_an_identifier_that_tells_rows_apart_is_fine() -> None:
    assert not repeated(*visits(visit=range(600)))


def test_patients_are_found_beside_a_unique_visit_number() -> None:
    (only,) = repeated(*visits(visit=range(600), patient=[f"p{number // 2}" for number in range(600)]))
    assert "'patient'" in only and "100 % of the rows" in only


def test_namesakes_are_not_taken_for_one_person() -> None:
    assert not repeated(*visits(visit=range(600), name=[f"n{number % 300}" for number in range(600)]))


def test_missing_identifiers_are_not_one_person() -> None:
    assert not repeated(*visits(patient=[str(number) if number < 300 else "?" for number in range(600)]))
    assert not repeated(*visits(patient=[None] * 600))


def test_a_plan_that_names_the_person_is_not_warned() -> None:
    frame, columns = visits(patient=[number // 2 for number in range(600)])
    assert not repeated(frame, columns, person="patient")


def test_in_a_wide_table_persons_are_known_by_what_stays_the_same() -> None:
    rng = np.random.default_rng(0)
    steady = {f"steady{a}": rng.integers(0, 30, 300).repeat(2) for a in range(5)}
    varying = {f"varying{a}": rng.integers(0, 30, 600) for a in range(6)}
    frame = pl.DataFrame(
        {
            **steady,
            **varying,
            "visit": range(600),
            "patient": np.arange(600) // 2,
            "name": np.where(steady["steady0"] < 15, "Ann", "Bob"),
        }
    )
    columns = {name: quasi() for name in (*steady, *varying)}
    columns |= {name: identifier() for name in ("visit", "patient", "name")}
    (only,) = repeated(frame, columns)
    assert "'patient' repeats" in only


# -- sensitive columns --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("listed", "settings", "absent"),
    [
        (("1", "HIV"), {}, 0),
        (("hiv", "1"), {}, 1),
        (("01",), {}, 1),
        (("7", "1"), {"type": "integer"}, 1),
        (("1",), {"type": "integer"}, 0),
    ],
)
def test_values_that_a_model_names_and_no_row_has_are_told(
    listed: tuple[str, ...], settings: dict[str, Any], absent: int
) -> None:
    ill = ["1", "01", "2", "NA"] if settings else ["1", "HIV", "2", "NA"]
    frame = pl.DataFrame({"age": [1] * 4, "ill": ill})
    columns = {"age": quasi(), "ill": sensitive(**settings)}
    for model in (AlphaK("ill", 0.9, 2, listed), LKC(1, 2, 0.9, "ill", listed)):
        plan = Plan(columns=columns, models=(model,), algorithm=Pais())
        told = shoal.anonymize(frame, plan).manifest["warnings"]
        expected = (
            f"Of the {len(listed)} values of 'ill' that '{model.kind}' names, no row has {absent}. Check how they are "
            "written: it guards no other values."
        )
        assert (expected in told) is (absent > 0)


def test_an_unguarded_sensitive_column_is_told() -> None:
    frame = pl.DataFrame({"age": [1, 2] * 5, "a": ["x", "y"] * 5, "b": ["x", "y"] * 5})
    columns = {"age": quasi(), "a": sensitive(), "b": sensitive()}
    found = list(warnings.unguarded_sensitive(case(frame, columns, [0] * 10, LDiversity("a", l=2))))
    assert found == ["Sensitive column 'b' is named by no model: it is released unguarded."]


def continuous(values: Sequence[object], model: object, **settings: object) -> list[str]:
    frame = pl.DataFrame({"age": [1, 2] * (len(values) // 2), "cost": values})
    columns = {"age": quasi(), "cost": sensitive(**settings)}
    return list(warnings.near_continuous_sensitive(case(frame, columns, [0] * len(values), model)))


def test_nearly_continuous_numbers_are_told() -> None:
    amounts = [str(100.5 + number) for number in range(60)]
    counting = [LDiversity("cost", l=2), AlphaK("cost", alpha=0.5, k=2), PSensitive(p=2, k=2)]
    for model in (*counting, LKC(1, 2, 0.5, "cost"), MultiSensitive(l=2, k=2), ExponentialL(l=2)):
        (only,) = continuous(amounts, model)
        assert f"60 different values. {model.kind} counts" in only
    assert continuous(amounts, LDiversity("cost", l=2), type="real")
    assert continuous([number // 3 for number in range(900)], LDiversity("cost", l=2))


def test_models_that_know_distances_suit_continuous_numbers() -> None:
    amounts = [str(100.5 + number) for number in range(60)]
    assert not continuous(amounts, TCloseness("cost", t=0.5, distance="ordered"), type="real")


def test_codes_and_coarse_numbers_are_not_continuous() -> None:
    model = LDiversity("cost", l=2)
    assert not continuous([f"C{number}" for number in range(60)], model)
    assert not continuous([str(number) for number in range(60)], model, type="text")
    assert not continuous([number % 20 for number in range(60)], model)


# -- all of them --------------------------------------------------------------------------------------------------


def test_no_sentence_shows_a_value() -> None:
    frame = pl.DataFrame(
        {
            "sex": ["zzF", "zzM"] * 100,
            "copy": ["zzf", "zzm"] * 100,
            "patient": ["zzP", "zzQ"] * 100,
            "cost": [f"77{number}" for number in range(200)],
            "note": ["zzN"] * 200,
        }
    )
    columns = {
        "sex": quasi(),
        "copy": insensitive(),
        "patient": identifier(),
        "cost": sensitive(),
        "note": sensitive(),
    }
    models = LDiversity("cost", l=2), AlphaK("cost", 0.5, 2, ("zz771",))
    found = find_warnings(*case(frame, columns, [0] * 200, *models))
    about_the_search = 2  # which needs a target, and a measure to stop at
    assert len(found) == len(warnings.ALL) - about_the_search
    assert not any(mark in sentence for sentence in found for mark in ("zz", "77"))


def test_a_strict_plan_refuses_what_a_lenient_one_warns_of() -> None:
    plan = Plan(columns={"sex": quasi(), "relationship": sensitive()}, models=(K,))
    (warning,) = shoal.anonymize(married(50), plan).warnings
    with pytest.raises(PlanError) as caught:
        shoal.anonymize(married(50), plan.changed(release=ReleaseSettings(strict=True)))
    assert warning in str(caught.value) and caught.value.exit_code == 2


def test_a_clean_release_passes_a_strict_plan() -> None:
    plan = Plan(columns={"sex": quasi()}, models=(K,), release=ReleaseSettings(strict=True))
    assert shoal.anonymize(married(50).select("sex"), plan).warnings == ()


# -- what a search was asked for in vain --------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "warned"), [(0.99, False), (0.001, True)])
def test_a_measure_that_was_not_reached_is_told(value: float, warned: bool) -> None:
    plan = Plan(columns={"sex": quasi(), "relationship": quasi()}, models=(K,), algorithm=Pais(stop_at={"ncp": value}))
    frame = pl.DataFrame({"sex": ["F", "M"] * 6, "relationship": [f"r{i}" for i in range(12)]})
    found = [each for each in shoal.anonymize(frame, plan).warnings if "was to stop at ncp" in each]
    assert len(found) == warned


def test_a_target_of_one_value_is_told() -> None:
    columns = {"sex": quasi(), "dead": target()}
    plan = Plan(columns=columns, models=(K,), algorithm=Pais(goal="classification"))
    frame = pl.DataFrame({"sex": ["F", "M"] * 6, "dead": ["no"] * 12})
    assert any("'dead' has a single value" in each for each in shoal.anonymize(frame, plan).warnings)
    varied = frame.with_columns(dead=pl.Series(["no", "yes", "yes"] * 4))
    assert not any("single value" in each for each in shoal.anonymize(varied, plan).warnings)


# -- missing values -----------------------------------------------------------------------------------------------


def test_the_effect_of_missing_values_is_reported() -> None:
    frame = pl.DataFrame({"sex": ["", "?", "F", "M", "M", "F", ""], "age": [1, 1, 2, 2, 2, 3, 3]})
    found = case(frame, {"sex": quasi(), "age": quasi()}, [0, 0, 1, 1, 1, 2, 2])
    assert missing_effect(found.encoded, found.partition) == {
        "missing": {
            "columns": ["sex"],
            "share_of_rows": 0.429,
            "smallest_class_showing_missing": 2,
            "smallest_other_class": 2,
        }
    }


def test_missing_values_that_were_hidden_or_suppressed_show_nowhere() -> None:
    frame = pl.DataFrame({"sex": ["", "F", "M", ""], "age": [1, 1, 2, 3]})
    found = case(frame, {"sex": quasi(), "age": quasi()}, [0, 0, 0, -1])
    facts = missing_effect(found.encoded, found.partition)["missing"]
    assert facts["smallest_class_showing_missing"] is None
    assert (facts["share_of_rows"], facts["smallest_other_class"]) == (0.333, 3)


@pytest.mark.parametrize("algorithm", [Pais(), Optimal(), Mondrian()])
def test_a_missing_value_shows_only_where_it_is_released_as_missing(algorithm: Any) -> None:
    frame = pl.DataFrame({"sex": ["F", "M"] * 4, "job": [""] + ["smith"] * 7})
    plan = Plan(columns={"sex": quasi(), "job": quasi()}, models=(KAnonymity(k=2),), algorithm=algorithm)
    release = shoal.anonymize(frame, plan)
    assert "" not in release.frame["job"].to_list()
    assert release.manifest["missing"]["smallest_class_showing_missing"] is None
    gaps = pl.DataFrame({"sex": ["F", "M"] * 4, "job": [""] * 4 + ["smith"] * 4})
    release = shoal.anonymize(gaps, plan)
    shown = release.frame.filter(pl.col("job").fill_null("") == "")
    assert release.manifest["missing"]["smallest_class_showing_missing"] == (
        shown.group_by("sex").len()["len"].min() if shown.height else None
    )


def test_one_row_may_hide_what_all_of_it_lack() -> None:
    """All rows of a class lack a value, and under a recoding that is the same everywhere nobody sees it."""
    frame = pl.DataFrame({"sex": ["F", "F", "M", "M"], "job": ["", "", "smith", "baker"]})
    plan = Plan(columns={"sex": quasi(), "job": quasi()}, models=(KAnonymity(k=2),), algorithm=Pais(stop_at=1))
    release = shoal.anonymize(frame, plan)
    assert release.frame["job"].to_list() == ["*"] * 4 and release.frame["sex"].n_unique() == 2
    assert release.manifest["missing"]["smallest_class_showing_missing"] is None


def test_a_table_without_gaps_has_no_effect_to_report() -> None:
    found = case(married(2), {"sex": quasi(), "relationship": quasi()}, [0] * 8)
    assert missing_effect(found.encoded, found.partition) == {}
