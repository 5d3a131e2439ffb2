"""A draft knows all that the manifest will say, and nothing of it holds before it is verified."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Mondrian, Optimal, Pais
from shoal.coded import Coded, Partition
from shoal.coded.recoding import shown_columns
from shoal.hierarchies import Intervals
from shoal.pipeline import fitted
from shoal.release.draft import AtLevel, Described, described
from shoal.verification.verdicts import nothing_verified
from shoal.version import VERSION

FRAME = pl.DataFrame({"age": [str(20 + i % 12) for i in range(60)], "sex": ["f", "m", "m"] * 20})
COLUMNS = {"age": shoal.quasi(Intervals((5, 10))), "sex": shoal.quasi()}


def plan_for(algorithm: object, k: int = 4) -> shoal.Plan:
    return shoal.Plan(columns=COLUMNS, models=[shoal.KAnonymity(k=k)], algorithm=algorithm)


def searched(plan: shoal.Plan) -> tuple[Coded, Partition]:
    coded = fitted(FRAME, plan).coded
    return coded, plan.algorithm.partition(coded, plan.enforced, 0.0, plan.seed, lambda _step, _share: None)


def looked_at(plan: shoal.Plan) -> Described:
    coded, partition = searched(plan)
    return described(coded, partition, shown_columns(partition.recoding, coded, partition.members))


def test_a_column_with_one_level_is_described_by_it() -> None:
    found = looked_at(plan_for(Optimal()))
    release = shoal.anonymize(FRAME, plan_for(Optimal()))
    assert set(found.levels) == {"age", "sex"} and found.levels == dict(release.manifest.levels)
    (at,) = found.by_level["age"]
    assert at == AtLevel(found.levels["age"], 60, tuple(sorted(set(release.frame["age"]))))
    assert release.manifest.rows_by_level == {}


def test_rows_that_differ_in_their_level_are_counted_by_it() -> None:
    rng = np.random.default_rng(0)
    ages = np.concatenate([rng.integers(20, 24, 60), rng.integers(24, 80, 30)])  # some are frequent, some rare
    frame = pl.DataFrame({"age": ages.astype(str), "sex": rng.choice(["f", "m"], 90)})
    release = shoal.anonymize(frame, plan_for(Optimal(local=True)))
    by_level = release.draft.described.by_level
    different = {name: levels for name, levels in by_level.items() if len(levels) > 1}
    assert set(different) == {"age"}
    for name, levels in different.items():
        assert [each.level for each in levels] == sorted(each.level for each in levels)
        labels = Counter(release.frame[name].to_list())
        assert sum(each.rows for each in levels) == 90
        assert all(each.labels == tuple(sorted(each.labels)) for each in levels)
        assert {label for each in levels for label in each.labels} == set(labels)
        assert release.manifest.rows_by_level[name] == {str(each.level): each.rows for each in levels}
    assert set(release.manifest.levels) == set(by_level) - set(different)


def test_classes_without_levels_have_none() -> None:
    found = looked_at(plan_for(Mondrian()))
    assert found.by_level == {} == found.levels and found.step_values == {}


def test_released_values_are_listed_where_the_search_was_one_of_steps() -> None:
    found = looked_at(plan_for(Pais()))
    release = shoal.anonymize(FRAME, plan_for(Pais()))
    assert {name: set(values) for name, values in found.step_values.items()} == {
        name: set(release.frame[name]) for name in ("age", "sex")
    }


def test_a_release_without_classes_has_no_levels() -> None:
    coded, partition = searched(plan_for(Optimal()))
    nobody = np.full(len(coded.counted), -1, np.int64)
    empty = Partition.of_rows(nobody, 0, coded.counted.weight, replace(partition.recoding, levels=np.zeros((0, 2))))
    assert described(coded, empty, {}).by_level == {}


@pytest.fixture(scope="module")
def made() -> shoal.Release:
    return shoal.anonymize(FRAME, plan_for(Mondrian()))


def test_a_manifest_says_what_verification_found(made: shoal.Release) -> None:
    found = made.draft.verified(made.draft.tables)
    assert found.holds
    manifest = made.draft.manifest(found, {"search": 0.123456})
    assert (manifest.shoal_version, manifest.form, manifest.algorithm) == (VERSION, "generalized", "mondrian")
    assert (manifest.rows_in, manifest.rows_released, manifest.rows_suppressed) == (60, 60, 0)
    assert (manifest.classes, manifest.models) == (found.classes, found.verdicts)
    assert manifest.timings == {"search": 0.1235}
    assert manifest.measures == made.measures


def test_a_manifest_of_nothing_verified_claims_nothing(made: shoal.Release) -> None:
    manifest = made.draft.manifest(nothing_verified(), {})
    assert not manifest.holds
    assert (manifest.models, manifest.rows_released, manifest.classes) == ((), 0, 0)


def test_rows_that_are_not_in_the_tables_are_told_as_suppressed(made: shoal.Release) -> None:
    """Figures come from regrouping the tables, not from what the search says it did."""
    fewer = {name: table.head(40) for name, table in made.tables.items()}
    found = made.draft.verified(fewer)
    manifest = made.draft.manifest(found, {})
    assert (manifest.rows_in, manifest.rows_released, manifest.rows_suppressed) == (60, 40, 20)


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
