"""Roles in bulk: names and patterns, their precedence, and what is said when they do not fit the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import PlanError
from shoal.plan import Plan, read_plan
from shoal.plan.patterns import matched

TABLE = pl.DataFrame(
    {
        "age": [30, 31, 32, 33] * 3,
        "lab_na": [1, 2, 3, 4] * 3,
        "lab_k": [5, 5, 6, 6] * 3,
        "lab_text": ["low", "high"] * 6,
        "comment": [f"note {n}" for n in range(12)],
        "diagnosis": ["flu", "burn", "angina"] * 4,
    }
)
ROLES: dict[str, Any] = {"quasi-identifier": ["age", "lab_*"], "drop": ["comment"], "sensitive": ["diag*"]}
LISTED = {"lab_text": shoal.drop()}


def plan(**parts: Any) -> Plan:
    return Plan(
        **({"roles": ROLES, "columns": LISTED, "models": [shoal.KAnonymity(k=3), shoal.PSensitive(p=2, k=3)]} | parts)
    )


def test_a_column_under_columns_wins() -> None:
    resolved = plan().for_table(TABLE.columns)
    assert resolved.quasi_identifiers == ("age", "lab_na", "lab_k")
    assert resolved.having("drop") == ("lab_text", "comment")
    assert resolved.enforced[1].reads == ("diagnosis",), "a model that names no column covers all sensitive ones"
    assert not resolved.roles


def test_a_release_with_patterns_is_that_of_the_same_plan_with_names(tmp_path: Path) -> None:
    release = shoal.anonymize(TABLE, plan())
    assert release.frame.columns == ["age", "lab_na", "lab_k", "diagnosis"]
    release.save(tmp_path / "bulk")
    shoal.anonymize(TABLE, plan().for_table(TABLE.columns)).save(tmp_path / "named")
    for path in (tmp_path / "named").iterdir():
        assert path.read_bytes() == (tmp_path / "bulk" / path.name).read_bytes()
    assert shoal.verify_folder(tmp_path / "bulk", plan=plan()).holds
    assert shoal.verify(release.frame, plan()).holds
    assert not shoal.verify(release.frame.with_columns(comment=pl.lit("x")), plan()).holds, "a dropped column"


def test_toml(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(
        '[roles]\nquasi-identifier = ["age", "lab_*"]\ndrop = ["comment", "*_text"]\n'
        '[columns.lab_text]\nrole = "drop"\n'
        '[[models]]\nkind = "k-anonymity"\nk = 3\n'
    )
    given = read_plan(tmp_path / "plan.toml")
    (tmp_path / "again.toml").write_text(given.to_toml())
    assert read_plan(tmp_path / "again.toml") == given
    with pytest.raises(PlanError, match="'diagnosis' of the table has no role"):
        shoal.anonymize(TABLE, given)


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"quasi-identifier": ["age", "lab_*"], "sensitive": ["*_k"]}, "'lab_k' has two roles under \\[roles\\]"),
        ({"quasi-identifier": ["age"], "drop": ["*_texts"]}, "'\\*_texts' under \\[roles\\] matches no column"),
        ({"quasi-identifier": ["agee"]}, "'agee' under \\[roles\\] matches no column"),
    ],
)
def test_names_that_do_not_fit_the_table(roles: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        plan(roles=roles, columns={}).for_table(TABLE.columns)


@pytest.mark.parametrize("roles", [{"secret": ["a"]}, {"drop": "a"}, {"drop": [1]}, ["a"]])
def test_what_is_no_list_of_names_is_refused(roles: Any) -> None:
    with pytest.raises(PlanError, match="roles"):
        plan(roles=roles)


def test_only_stars_are_special() -> None:
    names = ["a.b", "axb", "a[b]", "a?"]
    assert list(matched({"drop": ["a.b"]}, {}, names, complete=True)) == ["a.b"]
    assert list(matched({"drop": ["a[b]", "a?"]}, {}, names, complete=True)) == ["a[b]", "a?"]
    assert list(matched({"drop": ["*"]}, {}, names, complete=True)) == names


def test_checks_wait_for_the_columns_but_not_longer() -> None:
    unfit = plan(models=[shoal.LDiversity("diagnoses", l=2)])
    with pytest.raises(PlanError, match="'diagnoses', which is not in the plan"):
        unfit.for_table(TABLE.columns)
