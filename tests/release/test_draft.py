"""A draft keeps apart what only the steward may know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.algorithms import Mondrian
from shoal.errors import PromiseBroken
from shoal.hierarchies import Intervals
from shoal.release import draft
from shoal.table import Runs
from shoal.verification.anatomy import verify_tables
from shoal.verification.verdicts import Verification

FRAME = pl.DataFrame({"age": [str(20 + i % 12) for i in range(60)], "sex": ["f", "m", "m"] * 20})
COLUMNS = {"age": shoal.quasi(Intervals((5, 10))), "sex": shoal.quasi()}


def plan_for(algorithm: object, k: int = 4) -> shoal.Plan:
    return shoal.Plan(columns=COLUMNS, models=[shoal.KAnonymity(k=k)], algorithm=algorithm)


@pytest.fixture(scope="module")
def made() -> shoal.Release:
    return shoal.anonymize(FRAME, plan_for(Mondrian()))


def test_the_steward_sees_the_published_manifest_and_more(made: shoal.Release) -> None:
    found = made.draft.verified(made.draft.tables)
    assert found.holds
    steward = made.draft.for_steward(made.manifest, found, None, {"search": 0.123456})
    assert steward.timings == {"search": 0.1235} and not made.manifest.timings
    assert steward.models == found.verdicts
    assert steward.risk["prosecutor"]["smallest_class"] >= 4 and not made.manifest.risk
    assert steward.measures == made.manifest.measures == made.measures


def test_what_only_the_steward_may_see_stays_apart(tmp_path: Path) -> None:
    frame = FRAME.with_columns(ill=pl.Series(["flu", "HIV", None] * 20), who=pl.int_range(60).cast(pl.String))
    plan = shoal.Plan(
        columns={**COLUMNS, "ill": shoal.sensitive(), "who": shoal.identifier()},
        models=[shoal.LDiversity("ill", l=2)],
        data=shoal.Data(person="who", missing_rows="drop"),
    )
    private = shoal.anonymize(frame, plan).private
    assert private.input_counts["ill"].rows() == [("HIV", 20), ("flu", 20)]
    assert private.suppressed_by_reason == {"missing values": 20, "search": 0}
    assert private.witness.persons is not None and private.witness.persons.n_unique() == 40
    assert (private.input_sha256, private.plan_text) == (None, None)


def anatomy(frame: pl.DataFrame, **settings: Any) -> shoal.Release:
    plan = shoal.Plan(
        columns={**COLUMNS, "ill": shoal.sensitive(), "who": shoal.identifier()},
        models=[shoal.LDiversity("ill", l=2)],
        release=shoal.ReleaseSettings(form="anatomy"),
        **settings,
    )
    return shoal.anonymize(frame, plan)


ILL = FRAME.with_columns(ill=pl.Series(["flu", "HIV", "cold"] * 20), who=pl.int_range(60))


def test_the_risk_of_an_anatomy_is_that_of_its_exact_rows() -> None:
    """Its classes do not say how many rows look alike: each of 12 pairs of age and sex is in 5 rows."""
    release = anatomy(ILL, risk=shoal.RiskSettings(highest=0.1, average=0.2))
    risk = release.steward.risk
    assert risk["prosecutor"]["smallest_class"] == 5 and risk["prosecutor"]["average"] == 0.2
    assert risk["exceeded"] == {"highest": {"accepted": 0.1, "measured": 0.2}} and risk["individuals"] is False
    assert risk["thresholds"] == {"highest": 0.1, "average": 0.2}
    assert not release.manifest.risk


def test_the_risk_of_an_anatomy_counts_persons() -> None:
    """Of the five rows of the first pair, three belong to one person."""
    several = ILL.with_columns(who=pl.when(pl.int_range(60).is_in([0, 12, 24])).then(0).otherwise("who"))
    found = anatomy(several, data=shoal.Data(person="who")).steward.risk
    assert found["individuals"] is True and found["prosecutor"]["smallest_class"] == 3


def test_a_column_of_weights_that_is_not_published_is_no_obstacle() -> None:
    assert anatomy(ILL, risk=shoal.RiskSettings(weight="who")).steward.risk["prosecutor"]["smallest_class"] == 5


CANCER = ("liver", "lung", "skin")
TOLD = pl.DataFrame({"sex": ["f"] * 4 + ["m"] * 4, "ill": ["liver", "lung", "flu", "cold"] * 2})


def tree_at(path: Path, *cancers: str) -> shoal.hierarchies.File:
    """A hierarchy in which these diseases are cancer, and all others are something else."""
    rows = [f"{ill};{'cancer' if ill in cancers else 'other'};*" for ill in (*CANCER, "cold", "flu")]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return shoal.hierarchies.File(str(path))


def told(tree: shoal.hierarchies.File, *protected: str) -> shoal.Plan:
    return shoal.Plan(
        columns={"sex": shoal.quasi(), "ill": shoal.sensitive(tree, protected=protected)},
        models=[shoal.ExtendedPSensitive(p=3, k=4)],
    )


def counting(monkeypatch: pytest.MonkeyPatch) -> list[shoal.Plan]:
    """The plans under which tables are verified from now on."""
    plans: list[shoal.Plan] = []

    def verified(tables: Mapping[str, Runs], plan: shoal.Plan, **private: Any) -> Verification:
        plans.append(plan)
        return verify_tables(tables, plan, **private)

    monkeypatch.setattr(draft, "verify_tables", verified)
    return plans


def test_equal_trees_are_verified_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Regrouping the rows a second time could find nothing else: a tree that is read from a file has the same paths."""
    plan = told(tree_at(tmp_path / "tree.csv", *CANCER), "cancer")
    made = shoal.anonymize(TOLD, plan).draft
    plans = counting(monkeypatch)
    copy = told(tree_at(tmp_path / "copy.csv", *CANCER), "cancer")
    shown, full = made.verified_twice(made.tables, copy)
    assert plans == [copy] and shown.holds and full is shown


@pytest.mark.parametrize(("cancers", "protected"), [(("skin",), ("cancer",)), (CANCER, ())])
def test_a_tree_that_promises_less_is_noticed(
    tmp_path: Path, cancers: tuple[str, ...], protected: tuple[str, ...]
) -> None:
    """The published tree passes by itself, but the plan protects more than it does: both must hold."""
    weak = told(tree_at(tmp_path / "weak.csv", *cancers), *protected)
    made = shoal.anonymize(TOLD.with_columns(pl.col("ill").replace("cold", "skin")), weak).draft
    strict = replace(made, plan=told(tree_at(tmp_path / "tree.csv", *CANCER), "cancer"))
    assert verify_tables(made.tables, weak).holds
    with pytest.raises(PromiseBroken):
        strict.verified_twice(made.tables, weak)
