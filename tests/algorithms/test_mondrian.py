"""Mondrian: every class passes, no valid cut is left, and the two rules choose as they say."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import Mondrian
from shoal.coded import Coded, Partition, stats_of
from shoal.coded.domains import SET
from shoal.coded.recoding import Boxes
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.errors import CannotBeMet, PlanError
from shoal.hierarchies import Intervals, Prefix
from shoal.models import AlphaK, ClassModel, KAnonymity, LDiversity, TCloseness
from shoal.progress import silent
from shoal.roles.columns import Column, Data
from tests.coded.publishing import distinct_row_of
from tests.effort import examples

COLUMNS = {
    "age": Column(role="quasi-identifier"),
    "zip": Column(role="quasi-identifier", hierarchy=Prefix(), type="text"),
    "band": Column(role="quasi-identifier", hierarchy=Intervals(widths=(2, 4))),
    "d": Column(role="sensitive", target=True),
}
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "5", "9", "?"]),
        st.sampled_from(["10", "11", "20", "21", "30"]),
        st.sampled_from(["0", "1", "2", "5", "7"]),
        st.sampled_from(["a", "b", "c"]),
    ),
    min_size=4,
    max_size=24,
)
MODELS = st.sampled_from(
    [
        (KAnonymity(k=2),),
        (KAnonymity(k=3),),
        (LDiversity("d", l=2),),
        (KAnonymity(k=2), TCloseness("d", t=0.4)),
        (AlphaK("d", alpha=0.7, k=2),),
    ]
)
quick = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def coded_of(rows: Sequence[Any], categories: str = "hierarchy") -> Coded:
    frame = pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")
    plan = shoal.Plan(
        columns=COLUMNS,
        models=[LDiversity("d", l=2)],
        algorithm=Mondrian(cut="target"),  # so that rows have a target; other rules ignore it
        release=shoal.ReleaseSettings(categories=categories),
    )
    return fit(LocalEngine(frame), plan).coded


def searched(coded: Coded, models: Sequence[ClassModel], cut: str = "loss") -> Partition | None:
    try:
        return Mondrian(cut=cut).partition(coded, models, 0.0, 0, silent)
    except CannotBeMet:
        return None


def classes_of(partition: Partition) -> list[list[int]]:
    return [sorted(partition.row[partition.class_of == c].tolist()) for c in range(partition.classes)]


def class_of_rows(partition: Partition) -> list[int]:
    """The class of every distinct row."""
    found = dict(zip(partition.row.tolist(), partition.class_of.tolist(), strict=True))
    return [found[row] for row in range(len(found))]


def passing(coded: Coded, models: Sequence[ClassModel], classes: list[list[int]]) -> list[bool]:
    stats = stats_of(coded, classes)
    return [bool(fine) for fine in np.logical_and.reduce([model.passes(stats) for model in models])]


def cuts_of(coded: Coded, rows: list[int], cut: str) -> list[tuple[list[int], list[int]]]:
    """Every cut of a class: by a code in its order or, for sets by loss, the most frequent values against the rest."""
    found = []
    for a, column in enumerate(coded.quasi):
        counts: dict[int, int] = {}
        for row in rows:
            code = int(coded.counted.by_row[row, a])
            counts[code] = counts.get(code, 0) + int(coded.counted.weight[row])
        by_count = column.published == SET and cut != "median"
        codes = sorted(counts, key=lambda code: (-counts[code], code) if by_count else (code,))
        for i in range(1, len(codes)):
            left = set(codes[:i])
            found.append(
                (
                    [row for row in rows if coded.counted.by_row[row, a] in left],
                    [row for row in rows if coded.counted.by_row[row, a] not in left],
                )
            )
    return found


@given(ROWS, MODELS, st.sampled_from(["hierarchy", "sets"]), st.sampled_from(["loss", "median", "target"]))
@quick
def test_every_class_passes_and_no_valid_cut_is_left(
    rows: list[Any], models: tuple[ClassModel, ...], categories: str, cut: str
) -> None:
    coded = coded_of(rows, categories)
    partition = searched(coded, models, cut)
    if partition is None:
        assert not all(passing(coded, models, [list(range(len(coded.counted.by_row)))]))
        return
    classes = classes_of(partition)
    assert sorted(row for members in classes for row in members) == list(range(len(coded.counted.by_row)))
    assert all(passing(coded, models, classes))
    for members in classes:
        for left, right in cuts_of(coded, members, cut):
            assert not all(passing(coded, models, [left, right]))


@given(ROWS, MODELS, st.sampled_from(["loss", "median", "target"]))
@quick
def test_the_box_of_a_class_holds_its_rows_and_no_other(
    rows: list[Any], models: tuple[ClassModel, ...], cut: str
) -> None:
    coded = coded_of(rows)
    partition = searched(coded, models, cut)
    if partition is None:
        return
    assert isinstance(partition.recoding, Boxes)
    codes = coded.counted.by_row[partition.row]
    low, high = partition.recoding.boxes[:, None, :, 0], partition.recoding.boxes[:, None, :, 1]
    inside = ((low <= codes) & (codes <= high)).all(axis=2)
    assert np.array_equal(inside, partition.class_of == np.arange(partition.classes)[:, None])


@dataclass(frozen=True)
class Floorless:
    """A model that says nothing of its floor."""

    model: Any

    floor = 1
    kind = "floorless"

    @property
    def monotone(self) -> Any:
        return self.model.monotone

    @property
    def reads(self) -> Any:
        return self.model.reads

    def passes(self, stats: Any) -> Any:
        return self.model.passes(stats)


@given(ROWS, MODELS, st.sampled_from(["hierarchy", "sets"]), st.sampled_from(["loss", "median", "target"]))
@quick
def test_the_floor_saves_work_and_changes_nothing(
    rows: list[Any], models: tuple[ClassModel, ...], categories: str, cut: str
) -> None:
    coded = coded_of(rows, categories)
    with_floor = searched(coded, models, cut)
    without = searched(coded, [Floorless(model) for model in models], cut)  # type: ignore[misc]
    assert (with_floor is None) == (without is None)
    if with_floor is not None and without is not None:
        assert class_of_rows(with_floor) == class_of_rows(without)


# -- the median rule, written out -----------------------------------------------------------------------------------


def median_classes(values: list[tuple[float, ...]], k: int) -> list[list[int]]:
    """The k-d tree on rows of numbers: the attribute widest in deviations, `<= median` left, else most balanced."""
    deviations = [statistics.pstdev(column) for column in zip(*values, strict=True)]

    def cut(rows: list[int]) -> list[list[int]]:
        tried = []
        for a, deviation in enumerate(deviations):
            here = sorted({values[row][a] for row in rows})
            if len(here) < 2:
                continue
            median = sorted(values[row][a] for row in rows)[(len(rows) - 1) // 2]
            for at in here[:-1]:
                left = sum(values[row][a] <= at for row in rows)
                balance = len(rows) if at == median else min(left, len(rows) - left)
                tried.append((-(here[-1] - here[0]) / deviation, -balance, a, at, left))
        for *_, a, at, left in sorted(tried):
            if left >= k and len(rows) - left >= k:
                return cut([r for r in rows if values[r][a] <= at]) + cut([r for r in rows if values[r][a] > at])
        return [rows]

    return cut(list(range(len(values))))


@pytest.mark.parametrize("seed", range(12))
def test_the_median_rule_is_the_k_d_tree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(6, 60)), int(rng.integers(2, 5))
    table = [
        (int(a), int(b), round(float(c), 3))
        for a, b, c in zip(rng.integers(0, 9, n), rng.geometric(0.2, n), rng.normal(50, 20, n), strict=True)
    ]
    columns = {"a": Column(role="quasi-identifier", type="real")} | {
        name: Column(role="quasi-identifier", type="real") for name in ("b", "c")
    }
    frame = pl.DataFrame(table, schema=["a", "b", "c"], orient="row").cast(pl.Float64)
    plan = shoal.Plan(columns=columns, models=[KAnonymity(k=k)])
    fitted = fit(LocalEngine(frame), plan)
    partition = searched(fitted.coded, (KAnonymity(k=k),), "median")
    assert partition is not None
    found = np.array(class_of_rows(partition))[distinct_row_of(fitted, frame, plan)]
    expected = np.empty(n, np.int64)
    for number, members in enumerate(median_classes(table, k)):
        expected[members] = number
    pairs = set(zip(found.tolist(), expected.tolist(), strict=True))
    assert len(pairs) == len(set(found.tolist())) == len(set(expected.tolist()))


def test_a_median_cut_never_separates_equal_values() -> None:
    rows = [(str(value), "1", "1", "a") for value in [1, 2, 2, 2, 2, 2, 3, 3]]
    coded = coded_of(rows)
    partition = searched(coded, (KAnonymity(k=2),), "median")
    assert partition is not None
    ages = [
        {coded.quasi[0].texts[coded.counted.by_row[row, 0]] for row in members} for members in classes_of(partition)
    ]
    assert ages == [{"1", "2"}, {"3"}]


# -- the target -----------------------------------------------------------------------------------------------------


def guided(seed: int, goal: Any, cut: str, k: int = 10, **options: Any) -> tuple[pl.DataFrame, shoal.Release]:
    """Six columns of equal width, of which the second and the fifth decide the target."""
    rng = np.random.default_rng(seed)
    known = {name: rng.integers(0, 40, 1000) for name in "abcdef"}
    frame = pl.DataFrame({**known, "goal": goal(known["b"], known["e"], rng)})
    plan = shoal.Plan(
        columns={**{name: shoal.quasi() for name in known}, "goal": shoal.target(**options)},
        models=[KAnonymity(k=k)],
        algorithm=Mondrian(cut=cut),
    )
    return frame, shoal.anonymize(frame, plan)


def majority_error(release: shoal.Release) -> float:
    """The share of rows that differ from the most frequent target of their class."""
    counts = release.frame.group_by(pl.exclude("goal")).agg(rows=pl.col("goal").value_counts().struct["count"].max())
    return 1 - counts["rows"].sum() / release.frame.height  # type: ignore[no-any-return]


@pytest.mark.parametrize("seed", range(3))
def test_cuts_by_target_predict_better_than_cuts_by_loss(seed: int) -> None:
    def goal(b: Any, e: Any, rng: np.random.Generator) -> Any:
        return np.where(((b > 11) & (e > 23)) ^ (rng.random(len(b)) < 0.05), "yes", "no")

    errors = {cut: majority_error(guided(seed, goal, cut)[1]) for cut in ("loss", "target")}
    assert errors["target"] < 0.1 < errors["loss"]


@pytest.mark.parametrize("seed", range(3))
def test_numbers_are_predicted_by_variance(seed: int) -> None:
    def goal(b: Any, e: Any, rng: np.random.Generator) -> Any:
        return 100.0 * (b > 11) + 10.0 * e + rng.normal(0, 5, len(b))

    def residual(cut: str) -> float:
        released = guided(seed, goal, cut)[1].frame.with_columns(pl.col("goal").cast(pl.Float64))
        within = pl.col("goal").var(ddof=0).over(list("abcdef")).mean()
        return float(released.select(within / pl.col("goal").var(ddof=0)).item())

    assert residual("target") < residual("loss") / 20


@pytest.mark.parametrize("seed", range(3))
def test_chance_is_no_target(seed: int) -> None:
    """If the columns say nothing about the target, hardly a cut follows it."""

    def goal(b: Any, e: Any, rng: np.random.Generator) -> Any:
        return rng.choice(["yes", "no"], len(b))

    by_target, by_loss = (guided(seed, goal, cut)[1].measures["ncp"] for cut in ("target", "loss"))
    assert by_target == pytest.approx(by_loss, rel=0.02)


def test_chance_is_no_target_among_many_cuts() -> None:
    """Of the cuts of twelve columns, one always seems to say something about a coin."""
    rng = np.random.default_rng(1)
    columns = {f"q{i}": rng.integers(0, (60, 2, 5, 8, 12, 30)[i % 6], 2_000) for i in range(12)}
    frame = pl.DataFrame({**columns, "goal": [str(x) for x in rng.integers(0, 2, 2_000)]})

    def purity(cut: str) -> float:
        plan = shoal.Plan(
            columns={**{name: shoal.quasi() for name in columns}, "goal": shoal.target()},
            models=[KAnonymity(k=5)],
            algorithm=Mondrian(cut=cut),
        )
        released = shoal.anonymize(frame, plan).frame.group_by([*columns, "goal"]).len()
        return float(released.group_by([*columns]).agg(pl.col("len").max())["len"].sum()) / 2_000

    assert purity("target") == pytest.approx(purity("loss"), abs=0.02)


def test_rows_without_a_target_count_for_nothing() -> None:
    """If a missing target were a value, the column that says where it is missing would be cut first."""

    def loss(missing: str | None) -> float:
        def goal(b: Any, e: Any, rng: np.random.Generator) -> Any:
            said = np.where(rng.random(len(b)) < 0.5, "yes", "no")
            return pl.Series(said).set(pl.Series(b > 11), missing)

        return float(guided(0, goal, "target")[1].measures["ncp_by_column"]["b"])

    assert loss("none") < 0.42 < loss("?")


@given(st.integers(0, 5), st.integers(0, 2**32 - 1))
@settings(quick, max_examples=10)
def test_the_order_of_rows_changes_nothing(seed: int, shuffle: int) -> None:
    def goal(b: Any, e: Any, rng: np.random.Generator) -> Any:
        return np.round(b * 1.1 + rng.normal(0, 20, len(b)), 3) if seed % 2 else np.where(b > e, "x", "y")

    frame, release = guided(seed, goal, "target")
    again = shoal.anonymize(frame.sample(fraction=1.0, shuffle=True, seed=shuffle), release.plan)
    assert again.tables["release"].equals(release.tables["release"])


# -- weights, floors, merging ---------------------------------------------------------------------------------------


def losses(weight: float, seed: int, cut: str = "loss") -> dict[str, float]:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({name: [str(x) for x in rng.integers(0, 50, 200)] for name in ("a", "b")})
    plan = shoal.Plan(
        columns={"a": shoal.quasi(weight=weight), "b": shoal.quasi()},
        models=[KAnonymity(k=5)],
        algorithm=Mondrian(cut=cut),
    )
    found: dict[str, float] = shoal.anonymize(frame, plan).measures["ncp_by_column"]
    return found


@pytest.mark.parametrize("seed", range(3))
def test_a_heavy_column_loses_less(seed: int) -> None:
    even, heavy, light = losses(1.0, seed), losses(20.0, seed), losses(0.05, seed)
    assert heavy["a"] < even["a"] < light["a"]
    assert heavy["b"] > even["b"] > light["b"]


def test_classes_published_alike_pass_as_the_one_class_that_readers_see() -> None:
    """Counting persons, two passing classes need not pass together, and both were published as `*`."""
    rng = np.random.default_rng(57)
    n, m = int(rng.integers(8, 40)), int(rng.integers(3, 9))
    frame = pl.DataFrame(
        {
            "q": [f"v{x}" for x in rng.integers(0, m, n)],
            "d": [f"d{x}" for x in rng.integers(0, 3, n)],
            "who": [f"p{x}" for x in rng.integers(0, max(3, n // 2), n)],
        }
    )
    plan = shoal.Plan(
        columns={"q": shoal.quasi(), "d": shoal.sensitive(), "who": shoal.identifier()},
        models=[LDiversity("d", l=1.8, variant="entropy")],
        data=Data(person="who"),
    )
    assert shoal.anonymize(frame, plan).verification.holds


def test_a_model_that_the_whole_table_breaks_cannot_be_met() -> None:
    with pytest.raises(CannotBeMet, match="when all rows form a single class"):
        Mondrian().partition(coded_of([("1", "10", "0", "a")] * 3), (LDiversity("d", l=2),), 0.0, 0, silent)


def test_a_rule_that_is_not_there() -> None:
    with pytest.raises(PlanError, match="one of loss, median, target; got 'best'"):
        Mondrian(cut="best")


def test_refining_is_a_choice_that_leaves_the_cuts() -> None:
    with pytest.raises(PlanError, match="refine must be true or false; got 1"):
        Mondrian(refine=1)  # type: ignore[arg-type]
    release = shoal.ReleaseSettings(ranges="cut")
    plan = shoal.Plan(columns=COLUMNS, models=[KAnonymity(k=2)], algorithm=Mondrian(), release=release)
    with pytest.raises(PlanError, match="'mondrian' cannot publish these ranges"):
        plan.changed(algorithm=Mondrian(refine=True))


def test_progress_may_cancel() -> None:
    def stop(_step: str, _share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Mondrian().partition(coded_of([("1", "10", "0", "a")] * 3), (KAnonymity(k=2),), 0.0, 0, stop)


# -- with and without a compiler, with one thread and with two --------------------------------------------------------

SCRIPT = """
import json
import numpy as np
import polars as pl
import shoal
from shoal.hierarchies import Prefix
from shoal.search import sharing
sharing._ROWS_PER_THREAD = 2  # so that threads share even these few rows
found = []
for seed in range(2):
    rng = np.random.default_rng(seed)
    n = 60
    frame = pl.DataFrame({
        "a": [str(x) for x in rng.integers(0, 20, n)], "b": [f"{x:03d}" for x in rng.integers(0, 30, n)],
        "c": ["xyz"[x] for x in rng.integers(0, 3, n)], "d": ["pqr"[x] for x in rng.integers(0, 3, n)],
        "who": [str(x) for x in rng.integers(0, 40, n)],
        "goal": [str(x) for x in rng.integers(0, 2 + 20 * seed, n)]})
    for options in ({}, {"cut": "median"}, {"cut": "target"}, {"refine": True}):
        for categories in ("hierarchy", "sets"):
            for person in (None, "who"):
                plan = shoal.Plan(
                    columns={"a": shoal.quasi(), "b": shoal.quasi(Prefix(), type="text"), "c": shoal.quasi(),
                             "d": shoal.sensitive(), "who": shoal.identifier(), "goal": shoal.target()},
                    models=[shoal.KAnonymity(k=3), shoal.LDiversity("d", l=2), shoal.TCloseness("d", t=0.5)],
                    algorithm=shoal.Mondrian(**options), data=shoal.Data(person=person),
                    release=shoal.ReleaseSettings(categories=categories))
                found.append(shoal.anonymize(frame, plan).tables["release"].write_csv())
print(json.dumps(found))
"""


def ran(**environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_the_kernels_do_the_same_without_a_compiler_and_with_any_number_of_threads() -> None:
    compiled = ran(NUMBA_NUM_THREADS="2", POLARS_MAX_THREADS="3")
    assert len(compiled) == 32
    assert ran(NUMBA_DISABLE_JIT="1") == compiled
    assert ran(NUMBA_NUM_THREADS="1", POLARS_MAX_THREADS="1") == compiled


STRATEGY = st.builds(Mondrian, cut=st.sampled_from(["loss", "median", "target"]), refine=st.booleans())
"""Parameters that the contract of all algorithms tries."""
