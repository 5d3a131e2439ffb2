from __future__ import annotations

from dataclasses import replace

import pytest

import shoal
from shoal.coded.coding import coded_sets
from shoal.errors import PlanError
from shoal.models import KAnonymity, KmAnonymity, QSCloseness, QSDiversity
from shoal.models.items import known
from shoal.roles.columns import Data, quasi, quasi_sensitive

MODELS = (QSDiversity("ill", c=1, l=2), QSCloseness("ill", t=0.5))


@pytest.mark.parametrize("model", MODELS)
def test_a_plan_needs_a_knowledge_table(model: shoal.models.ItemModel) -> None:
    with pytest.raises(PlanError, match="needs a knowledge table for column 'ill'"):
        shoal.Plan(columns={"age": quasi(), "ill": quasi_sensitive()}, models=[model])
    shoal.Plan(columns={"age": quasi(), "ill": quasi_sensitive(knowledge_sha256="00")}, models=[model])


@pytest.mark.parametrize("model", MODELS)
def test_models_that_look_items_up_refuse_a_hierarchy(model: shoal.models.ItemModel) -> None:
    column = quasi_sensitive(shoal.prefixes(), knowledge="diseases.csv")
    with pytest.raises(PlanError, match="looks the items of column 'ill' up as they are, and cannot use its hierarchy"):
        shoal.Plan(columns={"age": quasi(), "ill": column}, models=[model])


@pytest.mark.parametrize("model", (*MODELS, KmAnonymity("ill", k=2, m=2)))
def test_persons_are_refused(model: shoal.models.ItemModel) -> None:
    known = {"knowledge": "diseases.csv"} if model.looks_up else {}
    columns = {"age": quasi(), "ill": quasi_sensitive(**known), "who": shoal.identifier()}  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="judges the items of one row per person"):
        shoal.Plan(columns=columns, models=[KAnonymity(k=2), model], data=Data(person="who"))


def test_a_table_coded_without_knowledge_is_a_fault() -> None:
    domain = coded_sets({"ill": ["a"]}).items["ill"]
    with pytest.raises(AssertionError, match="without its knowledge table"):
        known(replace(domain, knowledge=None))
