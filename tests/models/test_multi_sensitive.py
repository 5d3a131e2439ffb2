"""MultiSensitive: its parameters, what missing values mean, how it decides, what it says where rows are unlinked."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import models
from shoal.datasets import registry
from shoal.datasets.registry import SENSITIVE as REGISTRY
from shoal.errors import PlanError
from shoal.models import Monotone, MultiSensitive, hitting_sets
from shoal.models.evidence import CLASS, COUNT, Evidence, SensitiveFacts
from shoal.roles import spec
from shoal.verification.regrouping import class_numbers
from tests import oracle
from tests.effort import examples
from tests.models.hand import verdicts
from tests.models.strategies import tables
from tests.models.tables import Made, evidence, stats
from tests.oracle import diversity

BOTH = ("disease", "months")
STRATEGY = st.one_of(
    st.builds(MultiSensitive, l=st.integers(2, 4), k=st.integers(2, 4), columns=st.sampled_from([("disease",), BOTH])),
    st.builds(
        MultiSensitive,
        l=st.integers(2, 3),
        k=st.integers(2, 4),
        columns=st.just(BOTH),
        limits=st.sampled_from([{"months": 0}, {"months": 1}, {"disease": 1, "months": 3}, {"disease": 2}]),
    ),
)
ORACLE = diversity.passes


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"l": 1, "k": 2}, "l must be an integer of at least 2"),
        ({"l": 2, "k": 0}, "k must be an integer of at least 1"),
        ({"l": 2, "k": 2, "check": "fast"}, "check must be one of"),
        ({"l": 2, "k": 2, "columns": ()}, "columns"),
        ({"l": 2, "k": 2, "limits": {}}, "limits"),
        ({"l": 2, "k": 2, "limits": {"disease": -1}}, "limit of 'disease'"),
        ({"l": 2, "k": 2, "columns": BOTH, "limits": {"zip": 2}}, "not among its columns"),
        ({"l": 3, "k": 2, "columns": BOTH, "limits": {"disease": 2, "months": 0}}, "at least l = 3"),
    ],
)
def test_wrong_parameters_are_refused(given_: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        MultiSensitive(**given_)


def test_limits_are_checked_once_columns_are_known() -> None:
    model = MultiSensitive(l=3, k=2, limits={"disease": 1})
    assert model.resolved(BOTH).columns == BOTH
    with pytest.raises(PlanError, match="at least l = 3"):
        model.resolved(("disease",))
    with pytest.raises(PlanError, match="before its sensitive columns"):
        model.passes(stats(Made(({"disease": "flu", "months": "9", "who": "ann"},), (0,))))


def test_limits_are_written_and_read_as_a_table_and_cannot_be_changed() -> None:
    model = MultiSensitive(l=4, k=5, columns=BOTH, limits={"months": 2, "disease": 4})
    table = spec.to_table(model)
    assert table["limits"] == {"disease": 4, "months": 2}
    again = spec.from_table(models.ALL, "model", table)
    assert again == model and hash(again) == hash(model)
    assert pickle.loads(pickle.dumps(model)) == model
    with pytest.raises(TypeError):
        model.limits["months"] = 4  # type: ignore[index]


def test_a_plan_reads_and_writes_limits(tmp_path: Path) -> None:
    text = """
[columns.age]
role = "quasi-identifier"
[columns.disease]
role = "sensitive"
[columns.treatment]
role = "sensitive"
[[models]]
kind = "multi-sensitive"
l = 4
k = 5
limits = { treatment = 2 }
"""
    (tmp_path / "plan.toml").write_text(text)
    plan = shoal.read_plan(tmp_path / "plan.toml")
    assert plan.models == (MultiSensitive(l=4, k=5, limits={"treatment": 2}),)
    (tmp_path / "again.toml").write_text(plan.to_toml())
    assert shoal.read_plan(tmp_path / "again.toml").models == plan.models
    (tmp_path / "wrong.toml").write_text(text.replace("treatment = 2 }", "treatment = 2, disease = 3 }"))
    with pytest.raises(PlanError, match="at least l = 4"):
        shoal.read_plan(tmp_path / "wrong.toml")


@pytest.mark.parametrize("check", ["greedy", "exact"])
def test_rows_are_checked_where_persons_cannot_be_told_apart(check: str) -> None:
    frame = registry(600, 1).with_columns(who=pl.int_range(pl.len()) // 2)
    columns = {"birth_date": shoal.quasi(), "who": shoal.identifier()} | {n: shoal.sensitive() for n in REGISTRY[:3]}
    data = shoal.Data(unlisted="drop", person="who")
    plan = shoal.Plan(columns=columns, models=[MultiSensitive(l=4, k=10, check=check)], data=data)
    release = shoal.anonymize(frame, plan)
    assert shoal.verify(release.frame, plan).holds
    homogeneous = release.frame.with_columns(topography=pl.lit("C50.4"))
    assert not shoal.verify(homogeneous, plan).holds


def test_exact_is_upward_only_where_the_budget_always_suffices() -> None:
    names = tuple("abcdefg")
    assert MultiSensitive(l=10, k=50, columns=names[:3]).monotone is Monotone.UPWARD
    assert MultiSensitive(l=10, k=50, columns=names).monotone is Monotone.NONE
    assert MultiSensitive(l=3, k=5, columns=names[:3], check="greedy").monotone is Monotone.NONE


def test_a_missing_value_does_not_count_and_a_row_that_misses_one_is_free() -> None:
    model = MultiSensitive(l=2, k=2, columns=("disease",))
    assert verdicts(model, ["flu", None], ["flu", "rash"], [None, None]) == [False, True, False]
    assert verdicts(model, ["flu", None], missing_counts=True) == [True]
    rows = [("flu", "9"), ("rash", None), ("ulcer", None)]
    made = Made(tuple({"disease": d, "months": m, "who": "ann"} for d, m in rows), (0, 0, 0))
    assert not MultiSensitive(l=2, k=2, columns=BOTH).passes(stats(made))[0]  # only (flu, 9) is left to touch
    assert MultiSensitive(l=2, k=2, columns=BOTH, limits={"months": 0}).passes(stats(made))[0]


@given(tables(), st.integers(2, 3))
@settings(max_examples=examples(80), deadline=None)
def test_diversity_implies_l_values_of_every_column_and_greedy_implies_exact(made: Made, l: int) -> None:
    exact = MultiSensitive(l=l, k=1, columns=BOTH).passes(stats(made))
    greedy = MultiSensitive(l=l, k=1, columns=BOTH, check="greedy").passes(stats(made))
    assert not (greedy & ~exact).any()
    for column in BOTH:
        each = oracle.passing("l-diversity", {"column": column, "l": l}, made.classes(), setting=made.setting())
        assert not (exact & ~np.array(each, np.bool_)).any()


@given(tables(persons=False), st.integers(2, 3), st.sampled_from([None, {"months": 1}, {"disease": 0}]))
@settings(max_examples=examples(120), deadline=None)
def test_what_unlinked_columns_show_is_true_of_every_way_to_link_them(
    made: Made, l: int, limits: dict[str, int] | None
) -> None:
    model = MultiSensitive(l=l, k=2, columns=BOTH, limits=limits)
    linked = evidence(made)
    found = model.holds(replace(linked, linked=False))
    passing = int(model.passes(stats(made)).sum())
    assert found.failing <= linked.rows[CLASS].n_unique() - passing  # it never refuses what may hold
    assert int(found.achieved.get("classes shown by the files") or 0) <= passing  # and shows only what does


def test_a_class_that_cannot_be_decided_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({CLASS: [0] * 30, COUNT: [1] * 30} | {name: rng.integers(0, 9, 30) for name in "abcd"})
    seen = Evidence(frame.cast(dict.fromkeys("abcd", pl.String)), {name: SensitiveFacts() for name in "abcd"})
    model = MultiSensitive(l=7, k=5, columns=tuple("abcd"))
    assert model.holds(seen).holds and model.holds(seen).achieved["decided by exact search"] == 1
    monkeypatch.setattr(hitting_sets, "BUDGET", 0)
    found = model.holds(seen)
    assert not found.holds and found.achieved["undecided"] == 1


def _fewest_touching(rows: list[tuple[str, ...]]) -> int:
    """A minimum hitting set by integer programming: a solver that is not ours."""
    optimize = pytest.importorskip("scipy.optimize")
    values = sorted({(a, value) for row in rows for a, value in enumerate(row)})
    place = {value: i for i, value in enumerate(values)}
    touches = np.zeros((len(rows), len(values)))
    for i, row in enumerate(rows):
        touches[i, [place[a, value] for a, value in enumerate(row)]] = 1
    found = optimize.milp(
        np.ones(len(values)),
        constraints=optimize.LinearConstraint(touches, lb=1),
        integrality=np.ones(len(values)),
        bounds=optimize.Bounds(0, 1),
    )
    return round(found.fun)


@pytest.mark.parametrize("check", ["greedy", "exact"])
@pytest.mark.parametrize(("form", "cut"), [("generalized", "loss"), ("anatomy", "median")])
def test_every_class_of_a_release_is_diverse_to_a_solver_that_is_not_ours(check: str, form: str, cut: str) -> None:
    columns = {name: shoal.quasi() for name in ("birth_date", "gender", "race", "zip")}
    columns |= {name: shoal.sensitive() for name in REGISTRY[:7]}
    plan = shoal.Plan(
        columns=columns,
        models=[MultiSensitive(l=8, k=25, check=check)],
        algorithm=shoal.Mondrian(cut=cut),
        data=shoal.Data(unlisted="drop"),
        release=shoal.ReleaseSettings(form=form),
    )
    release = shoal.anonymize(registry(1500, 6), plan)
    linked = release.private.witness.linked
    if linked is not None:
        seen = linked.expanded()
    else:
        released = release.tables["release"]
        seen = released.select(REGISTRY[:7]).with_columns(
            class_numbers(released, plan.quasi_identifiers).alias("class_id")
        )
    classes = seen.partition_by("class_id", include_key=False)
    assert len(classes) == release.verification.classes > 10
    assert min(_fewest_touching(members.unique().rows()) for members in classes) >= 8
    assert release.achieved["multi-sensitive"]["l"] == 8
