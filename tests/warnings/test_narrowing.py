"""Unchanged columns that narrow a quasi-identifier: found where they do, and no alarm where they do not."""

from __future__ import annotations

import datetime
import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.models import KAnonymity
from shoal.plan import Plan
from shoal.roles.columns import Column, Data, insensitive, quasi, sensitive, target
from shoal.warnings import narrowing
from shoal.warnings.revealing import revealing_columns
from tests.warnings.cases import case, married

ADULT = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "adult" / "adult_complete.csv.gz"


def narrowed(frame: pl.DataFrame, columns: dict[str, Column], classes: Sequence[int]) -> list[str]:
    return [warning.text for warning in revealing_columns(case(frame, columns, classes))]


def released(frame: pl.DataFrame, plan: Plan) -> tuple[str, ...]:
    """The warnings of a release about pairs of columns."""
    return tuple(warning for warning in shoal.anonymize(frame, plan).warnings if " quasi-identifier '" in warning)


def test_relationship_beside_sex_is_told_with_its_share() -> None:
    found = narrowed(married(50), {"sex": quasi(), "relationship": insensitive()}, [0] * 200)
    assert found == [
        "Column 'relationship' is released unchanged and reveals more about quasi-identifier 'sex': in 50 % of the "
        "rows it narrows 'sex' further than the released label does. Make it a quasi-identifier, or remove it."
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
    (only,) = released(diagnosed(rows), plan)
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
    said = "In 3 more pairs of columns, an unchanged column narrows a quasi-identifier: 'copy5' narrows 'sex'; "
    assert found[-1] == f"{said}'copy6' narrows 'sex'; 'copy7' narrows 'sex'."


def test_pairs_are_sorted_by_share() -> None:
    frame = married(50).with_columns(copy=pl.col("sex"))
    found = narrowed(frame, {"sex": quasi(), "relationship": insensitive(), "copy": insensitive()}, [0] * 200)
    assert [sentence.split("'")[1] for sentence in found] == ["copy", "relationship"]


def test_a_sample_of_classes_tells_about_the_same_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = diagnosed(20_000).with_columns(pl.col("birth").cast(pl.String))
    columns = {name: insensitive() if "_" in name else quasi() for name in frame.columns if name != "weekday"}
    plan = Plan(columns=columns, models=(KAnonymity(k=100),), data=Data(unlisted="drop"))
    (whole,) = released(frame, plan)
    monkeypatch.setattr(narrowing, "_ROWS_SAMPLED", 5_000)
    monkeypatch.setattr(narrowing, "_CLASSES_SAMPLED", 40)
    (sampled,) = released(frame, plan)
    assert whole != sampled and whole.partition(" in ")[0] == sampled.partition(" in ")[0]
    assert (sampled,) == released(frame.sample(fraction=1, shuffle=True, seed=3), plan)


@pytest.mark.shared
@pytest.mark.skipif(not ADULT.exists(), reason="needs the Adult data beside the project")
def test_adult_education_num_and_relationship_are_told() -> None:
    with gzip.open(ADULT) as file:
        frame = pl.read_csv(file.read(), infer_schema=False)
    names = ("age", "sex", "education", "race")
    columns = {name: quasi() if name in names else insensitive() for name in frame.columns}
    columns["sex"] = quasi(weight=0.001)  # so that classes mix it
    found = released(frame, Plan(columns=columns, models=(KAnonymity(k=50),)))
    pairs = {tuple(sentence.split("'")[1:4:2]) for sentence in found}
    assert {("education-num", "education"), ("relationship", "sex")} <= pairs
    assert not any(unchanged == "fnlwgt" for unchanged, _ in pairs)
