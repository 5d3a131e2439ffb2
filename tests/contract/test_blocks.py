"""Releases of tables that were searched in blocks keep every promise, judged as in the contract of all releases."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

import shoal
from shoal import algorithms, blockwise, forms, models
from shoal.errors import CannotBeMet, PlanError
from tests.contract.tables import Made, tables
from tests.contract.test_contract import (
    Case,
    check_exact,
    check_labels,
    check_measures,
    check_promises,
    check_rows,
    draw_plan,
    frame_of,
    quick,
)
from tests.spark import needs_spark, scattered

ABLE = [algorithm.kind for algorithm in algorithms.ALL if algorithm.works_in_blocks]
OF_CLASSES = [model.kind for model in models.ALL if not (model.judges_table or model.removes_items)]
COMBINATIONS = [
    pytest.param(model, algorithm, form.kind, id=f"{model}-{algorithm}-{form.kind}")
    for model in OF_CLASSES
    for algorithm in ABLE
    for form in forms.ALL
]
LIMITS = st.integers(1, 8)
GROUPS = st.sampled_from([2, 16])


def with_limit(plan: shoal.Plan | None, limit: int) -> shoal.Plan | None:
    """The plan with a limit that is far smaller than a plan file may state."""
    engine = shoal.EngineSettings.model_construct(distinct_limit=limit)
    return None if plan is None else plan.changed(engine=engine)


def released(made: Made, plan: shoal.Plan | None, groups: int) -> shoal.Release | None:
    """A release of a table with more distinct rows than the limit; None where there is none.

    `groups`: two codes for each column of the coarser table, or more than these tables have.
    """
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(blockwise, "_FEW_GROUPS", groups)
            release = None if plan is None else shoal.anonymize(frame_of(made), plan)
    except (CannotBeMet, PlanError):
        return None
    return release if release is not None and release.steward.search.blocks else None


@pytest.mark.parametrize(("kind", "algorithm", "form"), COMBINATIONS)
@given(data=st.data())
@quick
def test_a_release_in_blocks_is_what_it_says(
    kind: str, algorithm: str, form: str, trees: Path, data: st.DataObject
) -> None:
    made = data.draw(tables())
    plan = with_limit(draw_plan(data, made, trees, kind, algorithm, form), data.draw(LIMITS))
    release = released(made, plan, data.draw(GROUPS))
    if plan is None or release is None:
        return
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "out"
        release.save(folder)
        case = Case(made, plan, release, folder)
        check_rows(case)
        check_labels(case)
        check_promises(case)
        check_exact(case)
        check_measures(case)
        assert shoal.verify_folder(folder, plan=plan).holds
        assert "blocks" not in case.manifest


@pytest.mark.parametrize("algorithm", ABLE)
@pytest.mark.parametrize("kind", OF_CLASSES)
def test_every_model_is_released_in_several_blocks(kind: str, algorithm: str, trees: Path) -> None:
    """Without this, a model whose tables are never divided would pass the test above."""

    def divided(data: st.DataObject) -> bool:
        made, form = data.draw(tables()), data.draw(st.sampled_from([form.kind for form in forms.ALL]))
        plan = with_limit(draw_plan(data, made, trees, kind, algorithm, form), data.draw(LIMITS))
        release = released(made, plan, data.draw(GROUPS))
        record = release.steward.search.blocks if release else None
        return record is not None and record.blocks > 1

    find(
        st.data(),
        divided,
        settings=settings(quick, max_examples=400, phases=[Phase.generate], derandomize=True),
    )


@needs_spark
@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [algorithms.Mondrian(), algorithms.KMember(refine=True)], ids=repr)
def test_spark_searches_blocks_in_executors_with_the_same_result(session: Any, algorithm: algorithms.Algorithm) -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {"age": rng.integers(20, 80, 600), "zip": rng.integers(10, 90, 600).astype(str), "d": list("xyzu" * 150)}
    )
    plan = with_limit(
        shoal.Plan(
            columns={"age": shoal.quasi(), "zip": shoal.quasi(shoal.prefixes(1)), "d": shoal.sensitive()},
            models=[shoal.KAnonymity(k=3), shoal.TCloseness("d", t=0.4)],
            algorithm=algorithm,
        ),
        100,
    )
    assert plan is not None
    expected = shoal.anonymize(frame, plan)
    assert expected.steward.search.blocks is not None and expected.steward.search.blocks.blocks > 4
    for partitions in (1, 5):
        found = shoal.anonymize(scattered(session, frame, partitions), plan)
        assert found.tables["release"].equals(expected.tables["release"])
        assert found.steward.search == expected.steward.search
