"""Errors in the words of the pages."""

from __future__ import annotations

import pytest

from shoal import KMember, Plan, quasi
from shoal.errors import PlanError, ShoalError
from shoal.hierarchies import Prefix
from shoal.models import ALL, KAnonymity
from shoal.plan import ReleaseSettings
from shoal.roles import spec
from shoal.roles.columns import Column
from shoal.studio.states import Failure
from shoal.studio.wording import in_words, summarized


def problem(error: ShoalError) -> str:
    found = in_words(error)
    return " ".join((found.error, found.allowed, found.hint))


def test_ranges_that_an_algorithm_cannot_publish_are_explained_without_the_syntax_of_plans() -> None:
    with pytest.raises(PlanError) as raised:
        Plan(
            columns={"age": quasi()},
            models=[KAnonymity(k=2)],
            algorithm=KMember(),
            release=ReleaseSettings(ranges="cut"),
        )
    found = problem(raised.value)
    assert "from smallest to largest value" in found
    assert '"' not in found and "[" not in found and "Hint" not in found


def test_a_parameter_that_is_missing_or_wrong_names_no_command() -> None:
    for table in ({"kind": "k-anonymity"}, {"kind": "k-anonymity", "k": 1}):
        with pytest.raises(PlanError) as raised:
            spec.from_table(ALL, "model", table)
        assert "`" not in problem(raised.value) and "shoal" not in problem(raised.value)


def test_hints_name_the_pages_and_not_the_keys_of_a_plan() -> None:
    from shoal.hierarchies import Intervals
    from shoal.profiling.risks import ADD_HEADER
    from shoal.studio.wording import plain
    from shoal.table.header import HINT

    with pytest.raises(PlanError) as raised:
        Intervals((5, 7))
    found = problem(raised.value)
    assert found.startswith("Intervals of width 7 do not nest over width 5.") and "'of'" not in found
    with pytest.raises(PlanError) as raised:
        Plan(columns={"zip": Column(role="quasi-identifier", hierarchy=Prefix(), finest=1)}, models=[KAnonymity(k=2)])
    found = f"{found} {problem(raised.value)} {plain(f'{HINT}; if it has one, set header = true.')} {plain(ADD_HEADER)}"
    found += plain("Set person under [data] to this column.") + plain('set person = "id" under [data].')
    for key in ("[data]", "--no-header", "'finest'", "'steps'", " = "):
        assert key not in found, found


def test_every_label_is_of_a_parameter() -> None:
    from shoal import algorithms, hierarchies, models
    from shoal.roles.described import parameters
    from shoal.studio.wording import LABELS

    families = (models.ALL, algorithms.ALL, hierarchies.ALL)
    assert {*LABELS} <= {each.name for family in families for cls in family for each in parameters(cls)}


def test_what_is_not_known_stays_as_it_is() -> None:
    failure = Failure("The disk is full.", hint="free some space.", exit_code=2)
    assert in_words(failure) == failure


def test_a_model_is_summarized_with_its_columns() -> None:
    assert summarized({"kind": "p-sensitive", "columns": ["ill", "cost"], "p": 2}) == "p-sensitive of ill, cost (p = 2)"
    assert summarized({"kind": "k-anonymity"}) == "k-anonymity"
