"""The Python of a plan builds the same plan."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.plan.python import as_python, plan_expression
from shoal.roles.columns import Column

FULL = shoal.Plan(
    data=shoal.Data(source="patients.csv", missing=("", "-")),
    columns={
        "id": shoal.identifier(),
        "age": shoal.quasi(shoal.intervals(5, 10), top=90, weight=2.0),
        'odd "name"': shoal.quasi(shoal.tree("job.csv")),
        "birth": shoal.quasi(shoal.dates("year"), bottom=datetime.date(1920, 1, 1)),
        "ill": shoal.sensitive(shoal.hierarchies.Icd9(), protected=("140-239",)),
        "items": shoal.quasi_sensitive(items=";"),
        "y": shoal.target(),
        "rest": shoal.insensitive(),
        "no": shoal.drop(),
    },
    models=[
        shoal.KAnonymity(k=5),
        shoal.AlphaK("ill", alpha=0.5, k=5, values=("042",)),
        shoal.KmAnonymity("items", k=2, m=1),
    ],
    algorithm=shoal.Pais(stop_at={"ncp": 0.2}),
    seed=7,
    release=shoal.ReleaseSettings(suppression=0.05, title='Ills of "all"'),
    statistics=[shoal.Correlation(("age", "birth"))],
)


def built(code: str) -> Any:
    return eval(code, {"shoal": shoal, "datetime": datetime})  # the code was made a line above


def test_every_setting_is_in_the_code() -> None:
    assert built(plan_expression(FULL)) == FULL
    assert as_python(FULL).startswith("import datetime\n\nimport shoal\n")


def test_no_part_of_a_plan_is_forgotten() -> None:
    code = plan_expression(FULL.changed(engine=shoal.EngineSettings(distinct_limit=9000)))
    for name in set(shoal.Plan.model_fields) - {"roles", "risk"}:  # which the plan has not set
        assert f"    {name}=" in code


def test_roles_by_pattern_are_kept() -> None:
    plan = shoal.Plan(roles={"quasi-identifier": ["lab_*"]}, models=[shoal.KAnonymity(k=2)])
    assert built(plan_expression(plan)) == plan


@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1),
        st.sampled_from(["identifier", "insensitive", "quasi-identifier"]),
    )
)
def test_any_column_name_survives(roles: dict[str, Any]) -> None:
    columns = {name: Column(role=role) for name, role in roles.items()} | {"x": Column(role="quasi-identifier")}
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)])
    assert built(plan_expression(plan)) == plan


@pytest.mark.parametrize("algorithm", [shoal.Mondrian(refine=True), shoal.Optimal(budget=3.5), shoal.KMember()])
def test_algorithms_keep_their_parameters(algorithm: Any) -> None:
    plan = shoal.Plan(
        columns={"a": shoal.quasi(shoal.intervals(2))}, models=[shoal.KAnonymity(k=2)], algorithm=algorithm
    )
    assert built(plan_expression(plan)) == plan


def test_the_program_makes_and_verifies_a_release(tmp_path: Any) -> None:
    table = tmp_path / "t.csv"
    table.write_text("age\n" + "30\n" * 6, encoding="utf-8")
    plan = shoal.Plan(
        data=shoal.Data(source=str(table)), columns={"age": shoal.quasi()}, models=[shoal.KAnonymity(k=5)]
    )
    out = tmp_path / "release"
    exec(as_python(plan, out=str(out)), {})
    assert (out / "manifest.json").is_file()
