"""A draft keeps apart what only the steward may know."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.algorithms import Mondrian
from shoal.hierarchies import Intervals

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
    steward = made.draft.for_steward(made.manifest, found, {"search": 0.123456})
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


def test_an_anatomy_has_no_risk_by_its_classes() -> None:
    """Its quasi-identifiers are exact: the classes do not say how many rows look alike."""
    frame = FRAME.with_columns(ill=pl.Series(["flu", "HIV", "cold"] * 20))
    plan = shoal.Plan(
        columns={**COLUMNS, "ill": shoal.sensitive()},
        models=[shoal.LDiversity("ill", l=2)],
        release=shoal.ReleaseSettings(form="anatomy"),
    )
    assert not shoal.anonymize(frame, plan).steward.risk
