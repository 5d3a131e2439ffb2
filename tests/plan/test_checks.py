"""Parts of a plan that do not fit each other are refused, with what is allowed instead."""

from __future__ import annotations

import datetime
import math
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal import algorithms
from shoal.algorithms import Incognito, Mondrian, Optimal, Pais, Samarati
from shoal.errors import PlanError
from shoal.hierarchies import Prefix
from shoal.models import LKC, AlphaK, ClassModel, KAnonymity, LDiversity, TCloseness
from shoal.plan.toml import from_tables
from shoal.roles.columns import Data
from tests import itemsets
from tests.plan.tables import ABSENT, BASE, model, named, refused

MISTAKES: list[tuple[str, Any, str]] = [
    # roles, columns
    ("columns", {}, "The plan releases no column"),
    ("columns.age.role", ABSENT, "Column 'age': 'column' needs the key 'role'"),
    ("columns.age.role", "quasi", "it should be 'identifier', 'quasi-identifier'"),
    ("columns.age.type", "int", "did you mean 'integer'"),
    ("columns.s", {"role": "quasi-sensitive"}, "quasi-sensitive, and no model"),
    ("columns.s", {"role": "quasi-sensitive", "items": ""}, "must be one character; got ''"),
    ("columns.s", {"role": "quasi-sensitive", "items": "||"}, "must be one character; got '||'"),
    (
        "columns.s",
        {"role": "quasi-sensitive", "hierarchy": {"kind": "intervals", "widths": [5]}},
        "its hierarchy of kind 'intervals' is not of items. Allowed: prefix, file, flat",
    ),
    ("columns.s", {"role": "quasi-sensitive", "hierarchy": {"kind": "learned"}}, "kind 'learned' is not of items"),
    ("columns.s", {"role": "quasi-sensitive", "type": "integer"}, "has type 'integer', but is quasi-sensitive"),
    ("columns.dx.weight", 2, "'weight', which only a quasi-identifier can have"),
    ("columns.dx.top", 2, "'top', which only a quasi-identifier can have"),
    ("columns.age.protected", ["x"], "'protected', which only a sensitive column can have"),
    ("columns.dx.protected", ["x"], "'protected', but no hierarchy whose nodes these could be"),
    (
        "columns.dx",
        {"role": "sensitive", "hierarchy": {"kind": "learned"}, "protected": ["x"]},
        "'protected', and a hierarchy that is learned",
    ),
    (
        "columns.dx",
        {"role": "sensitive", "hierarchy": {"kind": "prefix"}, "protected": ["x"]},
        "'protected', and prefixes whose levels depend on the longest value",
    ),
    ("columns.age.items", "|", "'items', which only a quasi-sensitive column can have"),
    ("columns.age.knowledge", "x", "'knowledge', which only a quasi-sensitive column can have"),
    ("columns.cost.hierarchy", {"kind": "prefix"}, "'hierarchy', which only a quasi-identifier, a sensitive"),
    ("data.person", "dx", "The person column 'dx' has role 'sensitive'"),
    ("data.person", "", "empty name"),
    ("data.person", "\x00person", "person column has a null character in its name"),
    ("columns.\x00class", {"role": "sensitive"}, "Column 5 of the plan has a null character in its name"),
    ("data.source", "a\x00.csv", "source has a null character"),
    ("algorithm", {"kind": "optimal", "seed": -1}, "seed must be an integer of at least 0; got -1"),
    ("columns.age.weight", 10**400, "must be a number"),
    ("release.suppression", 10**400, "must be a share from 0 to 1"),
    # impossible parameters
    ("columns.age.top", math.nan, "must be finite"),
    ("columns.age.top", 10**400, "must be finite"),
    ("columns.age.bottom", -math.inf, "must be finite"),
    ("columns.age", {"role": "quasi-identifier", "bottom": 5, "top": 5}, "must be below its top"),
    (
        "columns.age",
        {"role": "quasi-identifier", "bottom": 5, "top": datetime.date(2020, 1, 1)},
        "is a date and the other a number",
    ),
    (
        "columns.age",
        {"role": "quasi-identifier", "bottom": datetime.date(2020, 1, 1), "top": datetime.datetime(2021, 1, 1)},
        "is a date and the other a date-time",
    ),
    ("columns.age.top", datetime.datetime(2021, 1, 1, tzinfo=datetime.UTC), "must have no time zone"),
    ("columns.age.weight", 0, "must be a number from 0.000001 to 1,000,000"),
    ("columns.age.weight", math.nan, "must be a number from 0.000001 to 1,000,000"),
    ("columns.age.weight", math.inf, "must be a number from 0.000001 to 1,000,000"),
    ("columns.age.weight", 1e308, "must be a number from 0.000001 to 1,000,000"),
    ("columns.age.weight", 1e-300, "must be a number from 0.000001 to 1,000,000"),
    ("columns.age.hierarchy", {"kind": "intervals", "widths": [5, 7]}, "do not nest"),
    ("columns.age.hierarchy", {"kind": "intervals"}, "needs 'widths'"),
    ("columns.age.hierarchy", {"kind": "date", "levels": ["year", "month"]}, "shortest period to the longest"),
    ("models", model(kind="k-anonymity", k=1), "k must be an integer of at least 2; got 1"),
    ("models", model(kind="k-anonymity", k=10**30), "must be at most"),
    ("models", model(kind="t-closeness", column="dx", t=2), "at most 1; got 2"),
    ("models", model(kind="t-closeness", column="dx", t=math.nan), "got nan"),
    ("models", model(kind="alpha-k", column="dx", alpha=0, k=2), "above 0"),
    ("models", model(kind="p-sensitive", p=3, k=2), "p must be at most k"),
    ("models", model(kind="p-sensitive", p=2, k=2, columns=["dx", "dx"]), "distinct texts"),
    ("models", model(kind="p-sensitive", p=2, k=2, columns=[]), "distinct texts"),
    ("release.suppression", -0.1, "share from 0 to 1"),
    ("release.suppression", math.nan, "share from 0 to 1"),
    ("release.format", "xlsx", "'csv', 'parquet', 'dta' or 'sav'"),
    ("release.categories", "set", "did you mean 'sets'"),
    ("release.ranges", "tigth", "did you mean 'tight'"),
    ("data.missing_rows", "delete", "'keep' or 'drop'"),
    ("data.unlisted", "keep", "'error', 'drop' or 'insensitive'"),
    ("algorithm", {"kind": "mondrian", "cut": "best"}, "Mondrian cut must be"),
    # combinations
    ("models", model(kind="l-diversity", l=3), "needs 'column'"),
    ("models", model(kind="l-diversity", column="dxx", l=3), "not in the plan. Hint: did you mean 'dx'"),
    ("models", model(kind="l-diversity", column="age", l=3), "'quasi-identifier'. The column must be sensitive"),
    ("models", model(kind="l-diversity", column="dx", l=3, variant="recursive"), "c must be a number"),
    ("models", model(kind="t-closeness", column="dx", t=0.2, distance="hierarchical"), "needs a hierarchy"),
    ("models", model(kind="t-closeness", column="dx", t=0.2, distance="ordered"), "needs an order"),
]


@pytest.mark.parametrize(("place", "value", "says"), MISTAKES, ids=named(MISTAKES))
def test_a_mistake_is_one_paragraph_with_a_hint(place: str, value: Any, says: str) -> None:
    refused(place, value, says)


def test_a_plan_without_mistakes_is_accepted() -> None:
    assert from_tables(BASE, Path("/plans")).quasi_identifiers == ("age",)


@pytest.mark.parametrize("model", [LKC(1, 2, 0.5, "s", ("1.0",)), AlphaK("s", 0.5, 2, ("1.0",))])
def test_named_values_must_be_values_of_their_column(model: Any) -> None:
    def plan(type: str | None, missing: tuple[str, ...] = ()) -> shoal.Plan:
        columns = {"a": shoal.quasi(), "s": shoal.sensitive(type=type)}
        algorithm = Pais() if model.judges_table else Mondrian()
        return shoal.Plan(columns=columns, models=[model], algorithm=algorithm, data=Data(missing=missing))

    plan(None)
    plan("text")
    with pytest.raises(PlanError, match=r"names values that column 's' of type 'date' cannot have"):
        plan("date")
    with pytest.raises(PlanError, match=r"names '1.0' of column 's', which represents a missing value"):
        plan(None, ("1.0",))


def made(*asked: ClassModel, algorithm: Any = None, person: str | None = None, **release: Any) -> shoal.Plan:
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive(), "dead": shoal.target(), "who": shoal.identifier()}
    settings = shoal.ReleaseSettings(**release)
    return shoal.Plan(
        columns=columns,
        models=asked,
        algorithm=algorithm or Mondrian(),
        release=settings,
        data=shoal.Data(person=person),
    )


def test_an_algorithm_that_cannot_enforce_a_model_is_refused_with_those_that_can() -> None:
    made(LKC(1, 2, 0.5, "ill"))
    made(LKC(1, 2, 1, "ill"), person="who")
    with pytest.raises(PlanError, match=r"'mondrian' cannot enforce 'lkc'.*counts persons") as caught:
        made(LKC(1, 2, 0.5, "ill"), person="who")
    named = caught.value.allowed
    able = [cls.kind for cls in algorithms.ALL if cls.judges_tables]
    assert able and all(kind in named for kind in able) and "mondrian" not in named
    for algorithm in (Pais(), Optimal(), Incognito(), Samarati()):
        made(LKC(1, 2, 0.5, "ill"), algorithm=algorithm)


def test_a_model_of_combinations_cannot_be_combined_with_suppression() -> None:
    with pytest.raises(PlanError, match="'lkc' cannot be combined with suppression"):
        made(LKC(1, 2, 0.5, "ill"), algorithm=Optimal(), suppression=0.1)


@pytest.mark.parametrize("algorithm", [Incognito(), Samarati()])
def test_an_algorithm_that_infers_upwards_takes_only_models_that_stay_true(algorithm: Any) -> None:
    made(KAnonymity(k=2), algorithm=algorithm, suppression=0.1)
    made(TCloseness("ill", t=0.5), algorithm=algorithm)
    with pytest.raises(PlanError, match="'optimal'"):
        made(TCloseness("ill", t=0.5), algorithm=algorithm, suppression=0.1)


def test_an_anatomy_is_refused_where_it_could_promise_nothing() -> None:
    made(LDiversity("ill", l=2), form="anatomy")
    with pytest.raises(PlanError, match="'k-anonymity' cannot be released as 'anatomy'"):
        made(KAnonymity(k=2), form="anatomy")
    with pytest.raises(PlanError, match="'optimal' does not support the release form 'anatomy'"):
        made(LDiversity("ill", l=2), algorithm=Optimal(), form="anatomy")
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive(), "class_id": shoal.insensitive()}
    with pytest.raises(PlanError, match="'class_id'"):
        shoal.Plan(columns=columns, models=[LDiversity("ill", l=2)], release=shoal.ReleaseSettings(form="anatomy"))


def test_a_search_for_a_target_needs_exactly_one() -> None:
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive()}
    for algorithm in (Pais(goal="classification"), Mondrian(cut="target")):
        made(KAnonymity(k=2), algorithm=algorithm)
        for targets in ({}, {"dead": shoal.target(), "ward": shoal.target()}):
            with pytest.raises(PlanError, match=f"has {len(targets)}.*Hint: name the column to be predicted"):
                shoal.Plan(columns=columns | targets, models=[KAnonymity(k=2)], algorithm=algorithm)


def test_ranges_that_end_at_cuts_need_cuts() -> None:
    made(KAnonymity(k=2), ranges="cut")
    clusters = [cls for cls in algorithms.ALL if cls.recoding.refuses("cut")]
    for cls in clusters:
        with pytest.raises(PlanError, match="cannot publish"):
            made(KAnonymity(k=2), algorithm=cls(), ranges="cut")


@pytest.mark.parametrize("given", ["k-anonymity", "mondriaan", 5, None])
def test_what_is_no_model_or_algorithm_is_refused(given: Any) -> None:
    columns = {"age": shoal.quasi()}
    with pytest.raises(PlanError, match=r"(?i)model"):
        shoal.Plan(columns=columns, models=[given])
    with pytest.raises(PlanError, match=r"(?i)algorithm"):
        shoal.Plan(columns=columns, models=[KAnonymity(k=2)], algorithm=given)


def test_a_class_in_place_of_a_value_is_refused() -> None:
    columns = {"age": shoal.quasi()}
    given: tuple[tuple[str, Any], ...] = (
        ("A model", {"columns": columns, "models": [KAnonymity]}),
        ("An algorithm", {"columns": columns, "models": [KAnonymity(k=2)], "algorithm": Mondrian}),
    )
    for what, parts in given:
        with pytest.raises(PlanError, match=rf"{what} must be a value; got the class '\w+'.*Hint: write \w+\("):
            shoal.Plan(**parts)
    with pytest.raises(PlanError, match="A hierarchy must be a value; got the class 'Prefix'"):
        shoal.quasi(Prefix)  # type: ignore[arg-type]


def test_a_quasi_sensitive_column_needs_a_model_that_reads_its_items() -> None:
    accepted = itemsets.plan()
    assert accepted.quasi_sensitive == ("symptoms",)
    assert accepted.separators == {"symptoms": "|"}
    assert accepted.reads == ()
    with pytest.raises(PlanError, match="'symptoms' is quasi-sensitive, and no model of the plan protects it") as error:
        accepted.changed(models=[KAnonymity(k=2)])
    hint = str(error.value.hint)
    assert hint.startswith("add a model of its items: 'km-anonymity', or with a knowledge table 'qs-")
    assert "'qs-diversity'" in hint and hint.index("'qs-closeness'") < hint.index('role = "sensitive"')


def test_a_model_of_items_reads_quasi_sensitive_columns_only() -> None:
    with pytest.raises(PlanError, match="names column 'note', whose role is 'insensitive'"):
        itemsets.plan(models=[itemsets.FewItems("symptoms", 1), itemsets.FewItems("note", 1)])
    with pytest.raises(PlanError, match="names column 'gone', which is not in the plan"):
        itemsets.plan(models=[itemsets.FewItems("gone", 1)])


def test_a_missing_value_cannot_contain_the_separator() -> None:
    itemsets.plan(data=Data(missing=("n/a",)))
    with pytest.raises(PlanError, match=r"missing value 'n\|a' contains the separator '\|' of column 'symptoms'"):
        itemsets.plan(data=Data(missing=("n|a",)))


def test_an_anatomy_has_no_quasi_sensitive_columns() -> None:
    columns = {**itemsets.plan().columns, "ill": shoal.sensitive()}
    with pytest.raises(PlanError, match="the form 'anatomy' publishes exact quasi-identifiers beside its items"):
        itemsets.plan(
            columns=columns,
            models=[LDiversity("ill", l=2), itemsets.FewItems("symptoms", 1)],
            release=shoal.ReleaseSettings(form="anatomy"),
        )
