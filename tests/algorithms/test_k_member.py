"""k-member: every class passes, every row is in a class, and clusters lose less than cuts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import KMember, Mondrian, k_member
from shoal.coded import Coded, Partition
from shoal.coded.recoding import Observed, shown_columns
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.errors import CannotBeMet, PlanError
from shoal.hierarchies import Prefix
from shoal.models import AlphaK, ClassModel, KAnonymity, LDiversity, TCloseness
from shoal.progress import silent
from shoal.roles.columns import Column, Data
from tests.effort import examples

COLUMNS = {
    "age": Column(role="quasi-identifier"),
    "zip": Column(role="quasi-identifier", hierarchy=Prefix(), type="text"),
    "d": Column(role="sensitive"),
}
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "5", "9", "?"]),
        st.sampled_from(["10", "11", "20", "21", "30"]),
        st.sampled_from(["a", "b", "c"]),
    ),
    min_size=4,
    max_size=40,
)
MODELS = st.sampled_from(
    [
        (KAnonymity(k=2),),
        (KAnonymity(k=5),),
        (LDiversity("d", l=2),),
        (KAnonymity(k=2), TCloseness("d", t=0.4)),
        (AlphaK("d", alpha=0.7, k=3),),
    ]
)
quick = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def coded_of(rows: Sequence[Any], categories: str = "hierarchy") -> Coded:
    frame = pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")
    release = shoal.ReleaseSettings(categories=categories)
    return fit(LocalEngine(frame), shoal.Plan(columns=COLUMNS, models=[LDiversity("d", l=2)], release=release)).coded


def clustered(coded: Coded, models: Sequence[ClassModel], bounded: bool = False) -> Partition:
    return KMember(bounded=bounded).partition(coded, models, 0.0, 0, silent)


def loss(coded: Coded, partition: Partition) -> float:
    shown = shown_columns(partition.recoding, coded, partition.members)
    return sum(float(column.loss @ partition.rows) for column in shown.values()) / partition.rows.sum() / len(shown)


@given(ROWS, MODELS, st.sampled_from(["hierarchy", "sets"]), st.booleans())
@quick
def test_every_class_passes_and_every_row_is_in_one(
    rows: list[Any], models: tuple[ClassModel, ...], categories: str, bounded: bool
) -> None:
    coded = coded_of(rows, categories)
    try:
        partition = clustered(coded, models, bounded)
    except CannotBeMet:
        whole = Mondrian()
        with pytest.raises(CannotBeMet):
            whole.partition(coded, models, 0.0, 0, silent)
        return
    stats = partition.stats(coded)
    assert all(model.passes(stats).all() for model in models)
    placed = np.bincount(partition.row, weights=partition.weight, minlength=len(coded.counted))
    assert placed.tolist() == coded.counted.weight.tolist()
    assert isinstance(partition.recoding, Observed)


def table(n: int, seed: int) -> list[tuple[str, str, str]]:
    rng = np.random.default_rng(seed)
    age, area, ill = rng.integers(20, 60, n), rng.geometric(0.1, n) % 90 + 10, rng.integers(0, 4, n)
    return [(str(a), str(z), "abcd"[d]) for a, z, d in zip(age, area, ill, strict=True)]


@pytest.mark.parametrize("categories", ["hierarchy", "sets"])
@pytest.mark.parametrize("models", [(KAnonymity(k=5),), (KAnonymity(k=3), LDiversity("d", l=2))])
def test_clusters_lose_less_than_cuts(models: tuple[ClassModel, ...], categories: str) -> None:
    coded = coded_of(table(600, 1), categories)
    assert loss(coded, clustered(coded, models)) < loss(coded, Mondrian().partition(coded, models, 0.0, 0, silent))


def test_a_rare_row_takes_what_a_frequent_one_does_not_need() -> None:
    """Nine equal rows and one that is near: five are enough for a class, so four others may be generalized."""
    coded = coded_of([("1", "10", "a")] * 9 + [("2", "10", "a")])
    partition = clustered(coded, (KAnonymity(k=5),))
    assert sorted(partition.rows.tolist()) == [5, 5]
    assert clustered(coded, (KAnonymity(k=6),)).rows.tolist() == [10], "four are too few to give one away"


def test_where_cuts_lose_less_they_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    coded, models = coded_of(table(80, 2)), (KAnonymity(k=3), TCloseness("d", t=0.3))
    kept = k_member._clusters
    monkeypatch.setattr(k_member, "_clusters", lambda *given: None if given[1] is models else kept(*given))
    found = clustered(coded, models)
    assert loss(coded, found) == loss(coded, Mondrian().partition(coded, models, 0.0, 0, silent))
    assert found.record.by_cuts and not clustered(coded, (KAnonymity(k=3),), bounded=True).record.by_cuts


def test_neighbourhoods_bound_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    coded, models = coded_of(table(600, 3)), (KAnonymity(k=5),)
    monkeypatch.setattr(k_member, "_BLOCK", 60)
    found = {bounded: loss(coded, clustered(coded, models, bounded)) for bounded in (False, True)}
    assert found[False] != found[True]
    assert found[True] < loss(coded, Mondrian().partition(coded, models, 0.0, 0, silent))


def test_classes_that_look_alike_pass_as_one() -> None:
    """Counting persons, two passing classes with the same labels need not pass together."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(8, 40))
        frame = pl.DataFrame(
            {
                "q": [f"v{x}" for x in rng.integers(0, 6, n)],
                "d": [f"d{x}" for x in rng.integers(0, 3, n)],
                "who": [f"p{x}" for x in rng.integers(0, max(3, n // 2), n)],
            }
        )
        plan = shoal.Plan(
            columns={"q": shoal.quasi(), "d": shoal.sensitive(), "who": shoal.identifier()},
            models=[LDiversity("d", l=1.8, variant="entropy")],
            algorithm=KMember(),
            data=Data(person="who"),
        )
        try:
            assert shoal.anonymize(frame, plan).verification.holds
        except CannotBeMet:
            continue


@pytest.mark.parametrize("bounded", [False, True])
def test_no_class_crosses_what_coarsest_keeps_apart(bounded: bool) -> None:
    rows = [(str(x % 7), f"{10 * (x % 3 + 1) + x % 2}", "ab"[x % 2]) for x in range(40)]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")
    limited = Column(role="quasi-identifier", hierarchy=Prefix(steps=(1,)), type="text", coarsest=1)
    plan = shoal.Plan(columns=COLUMNS | {"zip": limited}, models=[KAnonymity(k=4)], algorithm=KMember(bounded=bounded))
    assert set(shoal.anonymize(frame, plan).frame["zip"].str.head(1)) == {"1", "2", "3"}
    with pytest.raises(CannotBeMet, match="parts that 'coarsest' keeps apart"):
        shoal.anonymize(frame.head(10), plan)


def test_a_model_that_the_whole_table_breaks_cannot_be_met() -> None:
    with pytest.raises(CannotBeMet, match="when all rows form a single class"):
        clustered(coded_of([("1", "10", "a")] * 3), (LDiversity("d", l=2),))


def test_parameters_are_checked() -> None:
    with pytest.raises(PlanError, match="bounded must be true or false; got 1"):
        KMember(bounded=1)  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="refine must be true or false; got 'yes'"):
        KMember(refine="yes")  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="'k-member' cannot publish these ranges"):
        release = shoal.ReleaseSettings(ranges="cut")
        shoal.Plan(columns=COLUMNS, models=[KAnonymity(k=2)], algorithm=KMember(), release=release)


def test_progress_may_cancel() -> None:
    def stop(_step: str, _share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        KMember().partition(coded_of([("1", "10", "a")] * 3), (KAnonymity(k=2),), 0.0, 0, stop)


# -- the same result with and without a compiler, with any number of threads, in any order ----------------------------

SCRIPT = """
import json
import numpy as np
import polars as pl
import shoal
from shoal.algorithms import k_member
from shoal.hierarchies import Prefix
from shoal.search import sharing
sharing._ROWS_PER_THREAD = 2  # so that threads share even these few rows
k_member._BLOCK = 20
found = []
for seed in range(2):
    rng = np.random.default_rng(seed)
    n = 80
    frame = pl.DataFrame({
        "a": [str(x) for x in rng.integers(0, 20, n)], "b": [f"{x:03d}" for x in rng.integers(0, 30, n)],
        "c": ["xyz"[x] for x in rng.integers(0, 3, n)], "d": ["pqr"[x] for x in rng.integers(0, 3, n)],
        "who": [str(x) for x in rng.integers(0, 60, n)], "note": [str(x) for x in range(n)]})
    for models in ([shoal.KAnonymity(k=3)], [shoal.KAnonymity(k=3), shoal.LDiversity("d", l=2)]):
        for options in ({}, {"bounded": True}, {"refine": True}):
            for person in (None, "who"):
                plan = shoal.Plan(
                    columns={"a": shoal.quasi(), "b": shoal.quasi(Prefix(), type="text"), "c": shoal.quasi(),
                             "d": shoal.sensitive(), "who": shoal.identifier(), "note": shoal.insensitive()},
                    models=models, algorithm=shoal.KMember(**options), data=shoal.Data(person=person))
                released = shoal.anonymize(frame, plan).tables["release"].write_csv()
                shuffled = shoal.anonymize(frame.sample(fraction=1, shuffle=True, seed=1), plan)
                assert shuffled.tables["release"].write_csv() == released, "the order of the input matters"
                found.append(released)
print(json.dumps(found))
"""


def ran(**environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_the_result_depends_on_neither_compiler_nor_threads_nor_order() -> None:
    compiled = ran(NUMBA_NUM_THREADS="2", POLARS_MAX_THREADS="3")
    assert len(compiled) == 24
    assert ran(NUMBA_DISABLE_JIT="1") == compiled
    assert ran(NUMBA_NUM_THREADS="1", POLARS_MAX_THREADS="1") == compiled


STRATEGY = st.builds(KMember, bounded=st.booleans(), refine=st.booleans())
"""Parameters that the contract of all algorithms tries."""
