"""A plan that exists makes sense, and says what of it counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.algorithms import Mondrian, Optimal, Pais
from shoal.errors import PlanError
from shoal.hierarchies import Prefix
from shoal.models import ClassModel, KAnonymity, LDiversity, PSensitive, TCloseness
from shoal.plan import Plan
from shoal.plan.toml import from_tables
from tests.plan.tables import BASE


def test_a_changed_plan_is_checked_anew() -> None:
    plan = from_tables(BASE, Path())
    assert plan.changed(models=(KAnonymity(k=9),)).models[0].k == 9
    with pytest.raises(PlanError, match="no model"):
        plan.changed(models=())


def test_a_plan_cannot_be_changed_in_place() -> None:
    plan = from_tables(BASE, Path())
    with pytest.raises(Exception, match="frozen"):
        plan.seed = 3  # type: ignore[misc]


def test_models_mean_all_sensitive_columns_unless_they_name_some() -> None:
    tables = BASE | {"models": [{"kind": "p-sensitive", "p": 2, "k": 2}]}
    plan = from_tables(tables, Path())
    assert plan.enforced[0].reads == plan.reads == ("dx",)


def plan_of(*models: ClassModel, **parts: object) -> Plan:
    columns = {
        "age": shoal.quasi(),
        "ill": shoal.sensitive(Prefix()),
        "zip": shoal.quasi(),
        "drug": shoal.sensitive(),
        "dead": shoal.target(),
        "name": shoal.identifier(),
    }
    return Plan(columns=columns, models=models, **parts)  # type: ignore[arg-type]


def test_an_algorithm_may_be_given_by_its_kind() -> None:
    assert plan_of(KAnonymity(k=2), algorithm="optimal").algorithm == Optimal()
    assert plan_of(KAnonymity(k=2), algorithm="mondrian") == plan_of(KAnonymity(k=2), algorithm=Mondrian())
    with pytest.raises(
        PlanError, match=r"no algorithm of kind 'optimum'\. Allowed: mondrian, .* did you mean 'optimal'"
    ):
        plan_of(KAnonymity(k=2), algorithm="optimum")


def test_models_need_their_parameters_and_a_list() -> None:
    with pytest.raises(PlanError, match=r"without its parameters\. Hint: write KAnonymity\(…\)"):
        plan_of("k-anonymity")  # type: ignore[arg-type]
    for given in ("k-anonymity", KAnonymity(k=2)):
        with pytest.raises(PlanError, match=r"The models must be a list\. Hint: write models=\[KAnonymity\(k=5\)\]"):
            Plan(columns={"age": shoal.quasi()}, models=given)  # type: ignore[arg-type]


def test_columns_are_told_by_role_in_the_order_of_the_plan() -> None:
    plan = plan_of(KAnonymity(k=2))
    assert plan.quasi_identifiers == ("age", "zip") and plan.sensitive == ("ill", "drug")
    assert plan.having("target", "identifier") == ("dead", "name")


def test_sensitive_columns_are_read_where_a_model_names_them() -> None:
    assert plan_of(KAnonymity(k=2)).reads == ()
    assert plan_of(LDiversity("drug", l=2)).reads == ("drug",)
    assert plan_of(LDiversity("drug", l=2), LDiversity("ill", l=2)).reads == ("ill", "drug")
    assert plan_of(PSensitive(p=2, k=2)).enforced[0].reads == ("ill", "drug")


def test_trees_are_read_where_a_promise_is_about_them() -> None:
    assert plan_of(LDiversity("ill", l=2)).reads_trees == ()
    assert plan_of(TCloseness("ill", t=0.5, distance="hierarchical")).reads_trees == ("ill",)


def test_a_target_guides_where_the_algorithm_looks_at_it() -> None:
    assert plan_of(KAnonymity(k=2)).guide is None
    assert plan_of(KAnonymity(k=2), algorithm=Pais(goal="classification")).guide == "dead"
    assert plan_of(KAnonymity(k=2), algorithm=Pais(goal="general")).guide is None
    assert plan_of(KAnonymity(k=2), algorithm=Mondrian(cut="target")).guide == "dead"


def test_a_plan_introduces_itself_in_a_line() -> None:
    plan = plan_of(KAnonymity(k=2), LDiversity("ill", l=2), data=shoal.Data(source="/secret/patients.csv"))
    assert repr(plan) == str(plan)
    for words in ("6 columns", "2 quasi-identifiers", "2 sensitive", "k-anonymity, l-diversity", "mondrian"):
        assert words in repr(plan)
    assert "secret" not in repr(plan) and "\n" not in repr(plan)


def test_plans_are_equal_where_all_their_parts_are() -> None:
    plan = plan_of(KAnonymity(k=2))
    assert plan == plan_of(KAnonymity(k=2)) != plan_of(KAnonymity(k=3))
    assert plan.changed() == plan


def test_models_may_be_given_as_tables() -> None:
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive()}
    given = Plan(columns=columns, models=[{"kind": "l-diversity", "column": "ill", "l": 3}])
    assert given.models == (LDiversity("ill", l=3),)
    with pytest.raises(PlanError, match="l-diversty"):
        Plan(columns=columns, models=[{"kind": "l-diversty", "column": "ill", "l": 3}])


def test_a_plan_as_toml_is_a_plan_again(tmp_path: Path) -> None:
    plan = plan_of(TCloseness("ill", t=0.5, distance="hierarchical"), seed=7)
    (tmp_path / "plan.toml").write_text(plan.to_toml(), encoding="utf-8")
    assert shoal.read_plan(tmp_path / "plan.toml") == plan


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"columns": {"age": 5}}, "Key 'columns.age' of 'plan' is invalid: it should be a table or a Column"),
        ({"columns": {5: shoal.quasi()}}, "Key 'columns.5' of 'plan' is invalid: it should be text"),
        ({"models": 5}, "Key 'models' of 'plan' is invalid: it should be a list"),
        ({"release": 5}, "Key 'release' of 'plan' is invalid: it should be a table or a ReleaseSettings"),
    ],
)
def test_a_part_of_the_wrong_type_is_named_with_the_types_it_may_have(parts: dict[str, Any], says: str) -> None:
    with pytest.raises(PlanError, match=says):
        shoal.Plan(**{"columns": {"age": shoal.quasi()}, "models": [shoal.KAnonymity(2)], **parts})


def test_one_column_is_in_the_singular() -> None:
    plan = shoal.Plan(columns={"age": shoal.quasi()}, models=[KAnonymity(2)])
    assert repr(plan) == "Plan(1 column: 1 quasi-identifier, 0 sensitive; k-anonymity; mondrian)"
