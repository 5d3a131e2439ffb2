"""Optimal: local recoding against the definitions, and what the manifest may say."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import shoal
from benchmarks import diabetes
from shoal.algorithms import Optimal
from shoal.errors import CannotBeMet, PlanError
from shoal.models import KAnonymity, LDiversity
from shoal.progress import silent
from tests.models.strategies import MODELS
from tests.recodings import MEASURES, SUPPRESSIONS, Table, model_sets, tables

quick = settings(
    max_examples=40,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.parametrize("kind", sorted(MODELS))
@given(data=st.data())
@quick
def test_local_recoding_keeps_every_promise_and_never_costs_more(kind: str, data: st.DataObject) -> None:
    models, table = data.draw(model_sets(kind)), data.draw(tables())
    suppression, measure = data.draw(st.sampled_from(SUPPRESSIONS)), data.draw(st.sampled_from(MEASURES))
    encoded = table.encoded()
    try:
        best = Optimal(measure).partition(encoded, models, suppression, silent)
    except CannotBeMet:
        return
    local = Optimal(measure, local=True).partition(encoded, models, suppression, silent)
    classes = table.classes_of(encoded, local)
    published: dict[tuple[str, ...], list[int]] = {}
    for rows, node in classes:
        labels = {table.labels(row, node) for row in rows}
        assert len(labels) == 1  # the stated levels make the rows of a class alike
        published.setdefault(labels.pop(), []).extend(rows)
    assert table.keep_promises(models, list(published.values()))
    assert table.rows_without([rows for rows, _ in classes]) <= math.floor(suppression * len(table.rows))
    cost = table.cost(measure, classes)
    assert cost == pytest.approx(local.facts["cost"], abs=1e-9)
    assert cost <= table.cost(measure, table.classes_of(encoded, best)) + 1e-9
    assert "proven_optimal" not in local.facts


@pytest.mark.parametrize("measure", MEASURES)
def test_the_facts_say_what_was_found(measure: str) -> None:
    frame = pl.DataFrame({"age": [20, 20, 21, 21, 30, 31] * 3, "sex": ["f", "m"] * 9, "ill": ["a", "b", "c"] * 6})
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "sex": shoal.quasi(), "ill": shoal.sensitive()},
        models=[KAnonymity(k=3), LDiversity("ill", l=2)],
        algorithm=Optimal(measure=measure),
    )
    manifest = shoal.anonymize(frame, plan).manifest
    assert manifest["proven_optimal"] is True
    assert manifest["lower_bound"] == pytest.approx(manifest["cost"])
    assert set(manifest["levels"]) == {"age", "sex"}
    figure = {"loss": "ncp", "discernibility": "discernibility_ratio"}.get(measure)
    if figure is not None:
        assert manifest["measures"][figure] == pytest.approx(manifest["cost"])


@pytest.mark.parametrize(
    ("given", "named"), [({"measure": "beauty"}, "beauty"), ({"budget": 0}, "0"), ({"budget": True}, "True")]
)
def test_wrong_parameters_are_refused(given: dict[str, Any], named: str) -> None:
    with pytest.raises(PlanError, match=named):
        Optimal(**given)


def wide_table(columns: int, rows: int = 400) -> tuple[pl.DataFrame, shoal.Plan]:
    """Many columns of two or three values each: a lattice too large to list."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{a}": rng.integers(0, 2 + a % 2, rows).astype(str) for a in range(columns)})
    plan = shoal.Plan(
        columns={name: shoal.quasi() for name in frame.columns},
        models=[KAnonymity(k=5)],
        algorithm=Optimal(budget=0.5),
        release=shoal.ReleaseSettings(suppression=0.05),
    )
    return frame, plan


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("columns", [24, 70])
def test_a_lattice_of_any_size_ends_in_time_with_a_bound(columns: int, local: bool) -> None:
    frame, plan = wide_table(columns)
    plan = plan.changed(algorithm=Optimal(budget=0.5, local=local))
    shoal.anonymize(frame, plan)  # compiled by now
    began = time.monotonic()
    manifest = shoal.anonymize(frame, plan).manifest
    assert time.monotonic() - began < 3
    assert manifest["lattice_nodes"] == math.prod(2 for _ in range(columns))
    assert manifest["rows_suppressed"] <= 20
    if not local:
        assert 0 <= manifest["lower_bound"] <= manifest["cost"]
        assert manifest["proven_optimal"] is (manifest["cost"] - manifest["lower_bound"] < 1e-12)


def test_more_levels_than_a_byte_holds() -> None:
    paths = {leaf: (leaf, *(f"{leaf if level < 150 else ''}{level}" for level in range(200)), "*") for leaf in "ab"}
    rows = tuple({"q0": leaf, "disease": "flu", "months": "9", "who": "ann"} for leaf in "aab")
    table = Table(rows, {"q0": paths}, {"q0": 1.0})
    partition = Optimal().partition(table.encoded(), [KAnonymity(k=3)], 0.0, silent)
    assert table.classes_of(table.encoded(), partition) == [([0, 1, 2], (151,))]


def test_the_codebook_tells_which_rows_have_which_level(tmp_path: Path) -> None:
    ages = [20, 20, 20, 31, 31, 31, 42, 43, 44]
    frame = pl.DataFrame({"age": ages, "sex": ["f"] * 9})
    plan = shoal.Plan(
        columns={"age": shoal.quasi(shoal.intervals(10, 50)), "sex": shoal.quasi()},
        models=[KAnonymity(k=3)],
        algorithm=Optimal(local=True),
    )
    release = shoal.anonymize(frame, plan)
    release.save(tmp_path / "out")
    columns = json.loads((tmp_path / "out" / "codebook.json").read_text())["columns"]
    assert columns["age"]["levels"] == [
        {"level": 0, "rows": 6, "labels": ["20", "31"]},
        {"level": 1, "rows": 3, "labels": ["[40, 49]"]},
    ]
    assert columns["sex"]["level"] == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["rows_by_level"] == {"age": {"0": 6, "1": 3}}
    assert manifest["levels"] == {"sex": 0}
    assert manifest["cost"] == pytest.approx(manifest["measures"]["ncp"]) and manifest["local"] is True
    assert "0 to 1" in release.report.text() and "0 to 1" in release.report.page()


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.skipif(not diabetes.SOURCE.exists(), reason="the shared data are not here")
@pytest.mark.parametrize("suppression", [0.0, 0.05])
def test_twenty_quasi_identifiers_end_in_time_with_a_verified_release_and_a_bound(suppression: float) -> None:
    release = shoal.anonymize(diabetes.frame(), diabetes.plan(budget=4, suppression=suppression))
    manifest = release.manifest
    assert manifest["timings"]["search"] < 6
    assert release.verification.holds
    assert manifest["rows_suppressed"] <= suppression * manifest["rows_in"]
    assert manifest["lattice_nodes"] > 10**9
    assert 0 < manifest["lower_bound"] <= manifest["cost"] < 1
