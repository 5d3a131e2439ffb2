"""Where k-anonymity alone fails: Table 1 of extended p-sensitive k-anonymity, and Figure 1 of multi-sensitive."""

from __future__ import annotations

import polars as pl
import pytest

import shoal

# Six patients in three classes of two; the two men of 20-30 have the same illness.
MASKED = pl.DataFrame(
    [
        ("50-60", "43102", "Male", "Colon Cancer"),
        ("30-40", "43102", "Female", "Breast Cancer"),
        ("30-40", "43102", "Female", "HIV"),
        ("20-30", "43102", "Male", "Diabetes"),
        ("20-30", "43102", "Male", "Diabetes"),
        ("50-60", "43102", "Male", "Heart Disease"),
    ],
    schema=["age", "zip", "sex", "illness"],
    orient="row",
)
# What an intruder knows of them: exact ages.
KNOWN = ["51", "38", "34", "29", "29", "51"]


def masked_plan(*models: object) -> shoal.Plan:
    columns = {name: shoal.quasi(type="text") for name in ("age", "zip", "sex")} | {"illness": shoal.sensitive()}
    return shoal.Plan(columns=columns, models=models)


def test_the_masked_table_is_2_anonymous_and_1_sensitive() -> None:
    found = shoal.verify(MASKED, masked_plan(shoal.KAnonymity(k=2), shoal.PSensitive(p=2, k=2)))
    anonymous, sensitive = found.verdicts
    assert anonymous.holds and anonymous.achieved == {"k": 2}
    assert not sensitive.holds
    assert sensitive.achieved == {"p": 1, "k": 2}
    assert sensitive.failing == 1


def test_the_class_that_discloses_is_that_of_the_young_men() -> None:
    others = MASKED.filter(pl.col("age") != "20-30")
    assert shoal.verify(others, masked_plan(shoal.PSensitive(p=2, k=2))).holds


def test_anonymizing_anew_breaks_up_the_class_that_discloses() -> None:
    frame = MASKED.with_columns(pl.Series("age", KNOWN))
    columns = {"age": shoal.quasi(), "zip": shoal.quasi(), "sex": shoal.quasi(), "illness": shoal.sensitive()}
    weak = shoal.anonymize(frame, shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)]))
    assert not shoal.verify(weak.frame, masked_plan(shoal.PSensitive(p=2, k=2))).holds
    strong = shoal.anonymize(frame, shoal.Plan(columns=columns, models=[shoal.PSensitive(p=2, k=2)]))
    assert strong.achieved["p-sensitive"]["p"] >= 2


# Four patients of one class: three diseases and three treatments, yet no heart disease means intravenous therapy.
FIGURE_1 = pl.DataFrame(
    [
        ("[41, 50]", "Heart disease", "Medicine"),
        ("[41, 50]", "Heart disease", "Surgery"),
        ("[41, 50]", "Flu", "Intravenous therapy"),
        ("[41, 50]", "Stomach disease", "Intravenous therapy"),
    ],
    schema=["age", "disease", "treatment"],
    orient="row",
)


@pytest.mark.parametrize("column", ["disease", "treatment"])
def test_each_column_of_figure_1_alone_is_3_diverse(column: str) -> None:
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "disease": shoal.sensitive(), "treatment": shoal.sensitive()},
        models=[shoal.KAnonymity(k=4), shoal.LDiversity(column, l=3)],
    )
    found = shoal.verify(FIGURE_1, plan)
    assert found.holds
    assert [verdict.achieved for verdict in found.verdicts] == [{"k": 4}, {"l": 3}]


def test_figure_1_is_what_its_ages_are_generalized_to() -> None:
    frame = FIGURE_1.with_columns(pl.Series("age", ["42", "41", "49", "43"]))
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "disease": shoal.sensitive(), "treatment": shoal.sensitive()},
        models=[shoal.KAnonymity(k=4)],
    )
    assert set(shoal.anonymize(frame, plan).frame["age"]) == {"[41, 49]"}
