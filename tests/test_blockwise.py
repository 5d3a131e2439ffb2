"""Searches in blocks: blocks hold all rows once, classes lie in one block, and the result follows the content alone."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal import blockwise
from shoal.algorithms import KMember, Mondrian
from shoal.blockwise import Block, Search
from shoal.coded import Coded, Partition
from shoal.coded.recoding import Boxes, Composed, Observed, shown_columns
from shoal.errors import Cancelled, EngineError, PlanError
from shoal.pipeline import encoded, partitioned
from shoal.plan import EngineSettings
from shoal.progress import silent
from shoal.report.summary import summary
from shoal.search.refinement import mean_loss
from tests.effort import examples

QUASI = ("age", "zip", "job")
COLUMNS = {
    "age": shoal.quasi(type="integer"),
    "zip": shoal.quasi(shoal.prefixes(2, 1), type="text"),
    "job": shoal.quasi(),
    "d": shoal.sensitive(),
}
MODELS = (shoal.KAnonymity(k=2), shoal.LDiversity("d", l=2))
ALGORITHMS = [Mondrian(), Mondrian(cut="median"), Mondrian(refine=True), KMember(), KMember(bounded=True, refine=True)]


def limited(limit: int) -> EngineSettings:
    """A limit that may be smaller than a plan file can state."""
    return EngineSettings.model_construct(distinct_limit=limit)


def plan_of(limit: int = 20, algorithm: Any = None, **parts: Any) -> shoal.Plan:
    given = {"columns": COLUMNS, "models": MODELS, "algorithm": algorithm or Mondrian(), "engine": limited(limit)}
    return shoal.Plan(**{**given, **parts})


def table(rows: int = 300, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = pl.Series("age", rng.integers(20, 80, rows)).cast(pl.String)
    zips = pl.Series("zip", rng.choice(["100", "101", "110", "111", "200", "201", "210", "300"], rows))
    job, d = pl.Series("job", rng.choice(list("abcde"), rows)), pl.Series("d", rng.choice(["x", "y", "z"], rows))
    return pl.DataFrame([age.set(age == "33", None), zips, job, d])


def coded_of(frame: pl.DataFrame, plan: shoal.Plan) -> Coded:
    return encoded(frame, plan).coded


def searched(coded: Coded, search: Search, most: int) -> tuple[Partition, list[Block]]:
    """The classes of a table that is searched in blocks, and these blocks."""
    blocks = blockwise.blocks_of(coded, search, most)
    return blockwise.classes(coded, search, blocks), blocks


def content(release: shoal.Release) -> tuple[list[Any], Any]:
    """What is published, and what the steward is told about blocks."""
    return release.frame.rows(), release.steward.search


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=repr)
@pytest.mark.parametrize("limit", [1, 7, 40, 150])
def test_blocks_hold_every_row_once_and_each_class_lies_in_one(limit: int, algorithm: Any) -> None:
    plan = plan_of(limit, algorithm)
    coded = coded_of(table(), plan)
    partition, blocks = searched(coded, Search.of(coded, plan), limit)
    assert len(blocks) > 1
    assert sorted(np.concatenate([block.rows for block in blocks]).tolist()) == list(range(len(coded.counted)))
    block_of = np.empty(len(coded.counted), np.int64)
    for number, block in enumerate(blocks):
        block_of[block.rows] = number
        codes = coded.counted.quasi[:, block.rows]
        assert (codes >= block.box[:, :1]).all() and (codes <= block.box[:, 1:]).all()
    for c in range(partition.classes):
        members = partition.row[partition.offsets[c] : partition.offsets[c + 1]]
        assert len(set(block_of[members].tolist())) == 1
    weight = np.zeros(len(coded.counted), np.int64)
    np.add.at(weight, partition.row, partition.weight)
    assert (weight == coded.counted.weight).all()


@pytest.mark.parametrize("limit", [40, 150])
def test_blocks_have_at_most_so_many_rows_where_cuts_are_valid(limit: int) -> None:
    plan = plan_of(limit)
    coded = coded_of(table(), plan)
    assert max(len(block.rows) for block in blockwise.blocks_of(coded, Search.of(coded, plan), limit)) <= limit


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=repr)
def test_a_release_in_blocks_keeps_its_promises(algorithm: Any) -> None:
    release = shoal.anonymize(table(), plan_of(30, algorithm))
    record = release.steward.search.blocks
    assert record is not None and record.blocks > 1 and record.largest <= 30 == record.distinct_limit
    classes: dict[tuple[Any, ...], list[str]] = {}
    for row in release.frame.iter_rows(named=True):
        classes.setdefault(tuple(row[name] for name in QUASI), []).append(row["d"])
    assert min(len(members) for members in classes.values()) >= 2
    assert min(len(set(members)) for members in classes.values()) >= 2
    assert release.frame.height == 300


@pytest.mark.parametrize("algorithm", [Mondrian(), KMember()], ids=repr)
def test_the_result_does_not_depend_on_the_order_of_rows(algorithm: Any) -> None:
    frame, plan = table(), plan_of(30, algorithm)
    expected = content(shoal.anonymize(frame, plan))
    for seed in range(3):
        shuffled = frame.sample(fraction=1, shuffle=True, seed=seed)
        assert content(shoal.anonymize(shuffled, plan)) == expected


@pytest.mark.parametrize("engine", ["local", "stream"])
def test_engines_give_the_same_release_in_blocks(engine: str, tmp_path: Path) -> None:
    table().write_csv(tmp_path / "table.csv")
    plan = plan_of(30, data=shoal.Data(source=str(tmp_path / "table.csv")))
    release = shoal.anonymize_to(plan, tmp_path / "out", engine=engine)
    assert content(release) == content(shoal.anonymize(table(), plan_of(30)))
    assert shoal.verify_folder(tmp_path / "out").holds


def test_searches_elsewhere_give_the_same_classes() -> None:
    """As executors do: searches, rows and classes are sent as bytes, and done in any order."""

    def elsewhere(task: Any, items: Iterable[Any]) -> Iterator[Any]:
        sent = [pickle.dumps((task, item)) for item in items]
        done = {number: pickle.dumps(task(item)) for number, (task, item) in _unpacked(sent)}
        return (pickle.loads(done[number]) for number in range(len(sent)))

    plan = plan_of(30)
    coded = coded_of(table(), plan)
    here, there = partitioned(coded, plan, silent), partitioned(coded, plan, silent, elsewhere)
    assert here.row.tolist() == there.row.tolist() and here.offsets.tolist() == there.offsets.tolist()
    assert here.record == there.record


def _unpacked(sent: list[bytes]) -> Iterator[tuple[int, Any]]:
    for number in reversed(range(len(sent))):
        yield number, pickle.loads(sent[number])


def test_models_compare_with_the_complete_table() -> None:
    """A block has other shares than the table: classes that are close to their block would be far from the table."""
    rows = [(str(age), "100", "a", "x" if age < 50 else "y") for age in range(100)]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")
    models = (shoal.TCloseness("d", t=0.3),)
    release = shoal.anonymize(frame, plan_of(20, models=models))
    assert release.steward.search.blocks is not None
    shares = release.frame.group_by(QUASI).agg((pl.col("d") == "x").mean())["d"]
    assert ((shares - 0.5).abs() <= 0.3).all()


# -- tables that can hardly be cut --------------------------------------------------------------------------------


def test_rows_that_differ_in_one_column_only_are_cut_there() -> None:
    rows = [(str(age), "100", "a", "xy"[age % 2]) for age in range(400)]
    release = shoal.anonymize(pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row"), plan_of(30))
    record = release.steward.search.blocks
    assert record is not None and record.blocks >= 14 and record.largest <= 30


@pytest.mark.parametrize("algorithm", [Mondrian(), KMember()], ids=repr)
def test_a_block_without_a_valid_cut_is_searched_whole_and_the_steward_is_told(algorithm: Any) -> None:
    plan = plan_of(20, algorithm, models=[shoal.KAnonymity(k=200)])
    release = shoal.anonymize(table(), plan)
    record = release.steward.search.blocks
    assert record is not None and (record.blocks, record.largest) == (1, record.distinct_rows) and record.largest > 20
    told = " ".join(summary(release.steward).sentences)
    assert "could not be divided" in told


def test_a_column_with_one_value_and_a_skewed_one_are_no_obstacle() -> None:
    rows = [("30" if i % 50 else str(i), "100", "abcde"[i % 5], "xyz"[i % 3]) for i in range(400)]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")
    release = shoal.anonymize(frame, plan_of(5))
    assert release.steward.search.blocks is not None and release.frame.height == 400


def test_blocks_stay_inside_of_what_coarsest_allows() -> None:
    columns = {**COLUMNS, "zip": shoal.quasi(shoal.prefixes(2, 1), type="text", coarsest=2)}
    release = shoal.anonymize(table(), plan_of(30, columns=columns))
    assert not release.frame["zip"].is_in(["*"]).any()


@pytest.mark.parametrize("algorithm", [Mondrian(), KMember()], ids=repr)
def test_classes_of_different_blocks_do_not_look_alike_where_they_might_fail_as_one(algorithm: Any) -> None:
    """With persons, merged classes may fail. Labels of trees may be equal on both sides of a cut: they are not cut."""
    frame = table(400).with_columns(who=pl.Series([f"p{row % 97}" for row in range(400)]))
    columns = {**COLUMNS, "who": shoal.identifier()}
    models = [shoal.TCloseness("d", t=0.5)]
    plan = plan_of(50, algorithm, columns=columns, models=models, data=shoal.Data(person="who"))
    coded = coded_of(frame, plan)
    partition, blocks = searched(coded, Search.of(coded, plan), 50)
    assert len(blocks) > 1
    look = partition.released(coded)
    block_of = np.empty(len(coded.counted), np.int64)
    for number, block in enumerate(blocks):
        block_of[block.rows] = number
    seen = {(int(look[c]), int(block_of[partition.row[partition.offsets[c]]])) for c in range(partition.classes)}
    assert len(seen) == len({shown for shown, _ in seen})
    assert all(verdict.holds for verdict in shoal.anonymize(frame, plan).steward.models)


def test_ranges_of_cuts_end_at_the_boundaries_of_their_block() -> None:
    plan = plan_of(30, release=shoal.ReleaseSettings(ranges="cut"))
    coded = coded_of(table(), plan)
    partition, blocks = searched(coded, Search.of(coded, plan), 30)
    assert isinstance(partition.recoding, Boxes)
    boxes = partition.recoding.boxes[:, 0].tolist()
    rows = [coded.counted.quasi[0, partition.row[a:b]] for a, b in pairwise(partition.offsets)]
    assert all(low <= codes.min() and codes.max() <= high for (low, high), codes in zip(boxes, rows, strict=True))
    spans = {tuple(block.box[0].tolist()) for block in blocks}
    assert all(any(low <= first and last <= high for low, high in spans) for first, last in boxes)
    shoal.anonymize(table(), plan)


def test_refined_and_unrefined_blocks_are_published_side_by_side() -> None:
    plan = plan_of(30, Mondrian(refine=True))
    coded = coded_of(table(), plan)
    search = Search.of(coded, plan)
    blocks = blockwise.blocks_of(coded, search, 30)
    parts = [search(coded.only(block.rows).counted) for block in blocks]
    parts[0] = Mondrian().partition(coded.only(blocks[0].rows), plan.searched, 0.0, 0, silent)
    kinds = {type(part.recoding) for part in parts}
    joined = blockwise.joined(coded, blocks, parts)
    assert kinds == {Boxes, Observed} and isinstance(joined.recoding, Composed)
    shown = shown_columns(joined.recoding, coded, joined.members)["age"]
    observed = shown_columns(Observed(), coded, joined.members)["age"]
    assert shown.of_class == observed.of_class
    lost = [mean_loss(coded.only(b.rows), p) * p.rows.sum() for b, p in zip(blocks, parts, strict=True)]
    assert mean_loss(coded, joined) == pytest.approx(sum(lost) / 300)
    given = [one / (1 - (part.record.refined_by or 0)) for one, part in zip(lost, parts, strict=True)]
    assert joined.record.refined_by == pytest.approx(1 - sum(lost) / sum(given))


# -- refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["optimal", "incognito", "samarati", "pais"])
def test_other_algorithms_are_refused_before_the_search(kind: str) -> None:
    columns = {**COLUMNS, "age": shoal.quasi(shoal.intervals(5, 10), type="integer")}
    plan = plan_of(20, {"kind": kind}, columns=columns, models=[shoal.KAnonymity(k=2)])
    with pytest.raises(PlanError, match=f"Algorithm '{kind}' cannot search in blocks") as error:
        shoal.anonymize(table(), plan)
    assert "mondrian, k-member" in error.value.allowed and "distinct_limit" in error.value.hint
    shoal.anonymize(table(), plan.changed(engine=EngineSettings()))


def test_models_of_combinations_and_of_items_are_refused_before_the_search() -> None:
    with pytest.raises(PlanError, match="Model 'lkc' judges more than one class"):
        shoal.anonymize(table(), plan_of(20, models=[shoal.LKC(l=2, k=2, c=0.9, column="d")]))
    items = table().with_columns(items=pl.Series(["a|b", "a", "b"] * 100))
    columns = {**COLUMNS, "items": shoal.quasi_sensitive()}
    models = [shoal.KAnonymity(k=2), shoal.KmAnonymity("items", k=2, m=1)]
    with pytest.raises(PlanError, match="Model 'km-anonymity' judges more than one class"):
        shoal.anonymize(items, plan_of(20, columns=columns, models=models))


def test_a_table_within_the_limit_or_without_quasi_identifiers_is_searched_as_before() -> None:
    assert shoal.anonymize(table(), plan_of(300)).steward.search.blocks is None
    columns = {name: shoal.insensitive() for name in QUASI} | {"d": shoal.sensitive()}
    assert shoal.anonymize(table(), plan_of(1, columns=columns)).steward.search.blocks is None


@pytest.mark.parametrize("limit", [30, 1000], ids=["in blocks", "in one piece"])
def test_a_search_that_does_not_fit_in_memory_is_refused_before_it_starts(
    monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(blockwise, "memory", lambda: 5_000)
    with pytest.raises(EngineError, match=r"The search of \d+ distinct rows, \d+ at a time, needs about") as error:
        shoal.anonymize(table(), plan_of(limit))
    assert "lower distinct_limit" in error.value.hint


def test_a_block_that_cannot_be_divided_is_refused_if_it_does_not_fit_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = plan_of(20, models=[shoal.KAnonymity(k=200)])
    rows = len(coded_of(table(), plan).counted)
    monkeypatch.setattr(blockwise, "memory", lambda: 2 * (rows * 60 + rows * 84 - 1))
    with pytest.raises(EngineError, match=f"distinct rows, {rows} at a time"):
        shoal.anonymize(table(), plan)
    monkeypatch.setattr(blockwise, "memory", lambda: 2 * (rows * 60 + rows * 84))
    shoal.anonymize(table(), plan)


def test_progress_is_that_of_all_blocks() -> None:
    told = list[tuple[str, float]]()
    shoal.anonymize(table(), plan_of(30), progress=lambda *reported: told.append(reported))
    shares = [share for step, share in told if step == "search"]
    assert shares == sorted(shares) and shares[-1] == 1.0 and any(0.4 < share < 0.6 for share in shares)


def test_a_search_can_be_cancelled_inside_of_a_block() -> None:
    calls = []

    def cancelling(step: str, share: float) -> None:
        calls.append(share)
        if step == "search" and len(calls) > 8:
            raise Cancelled("The work was cancelled.")

    with pytest.raises(Cancelled):
        shoal.anonymize(table(), plan_of(100), progress=cancelling)


# -- what the steward is told -------------------------------------------------------------------------------------


def test_the_steward_and_nobody_else_is_told_about_blocks(tmp_path: Path) -> None:
    release = shoal.anonymize(table(), plan_of(30))
    release.save(tmp_path / "out")
    record = json.loads((tmp_path / "out.private/steward.json").read_text(encoding="utf-8"))["blocks"]
    assert set(record) == {"blocks", "distinct_rows", "distinct_limit", "largest", "sample", "extra_loss"}
    assert record["sample"] == 30
    for path in (tmp_path / "out").rglob("*.*"):
        assert b"in blocks" not in path.read_bytes() and b"distinct_limit" not in path.read_bytes()
    assert "searched in" in (tmp_path / "out.private/report.html").read_text(encoding="utf-8")
    assert any(f"{record['blocks']} blocks" in line for line in summary(release.steward).sentences)


def test_the_extra_loss_is_that_of_a_sample_in_blocks_over_the_sample_in_one_piece() -> None:
    plan = plan_of(100)
    coded = coded_of(table(1000), plan)
    search, rows = Search.of(coded, plan), len(coded.counted)
    sample = coded.only(np.array([row * rows // 100 for row in range(100)]))
    whole = Mondrian().partition(sample, plan.searched, 0.0, 0, silent)
    blocks, _ = searched(sample, search, 100 * 100 // rows)
    expected = mean_loss(sample, blocks) / mean_loss(sample, whole) - 1
    assert blockwise.extra_loss(coded, search, 100) == pytest.approx(expected)
    assert blockwise.sample_size(coded, 100) == 100


def test_the_extra_loss_is_unknown_if_the_models_fail_in_the_sample() -> None:
    plan = plan_of(20, models=[shoal.KAnonymity(k=100)])
    release = shoal.anonymize(table(), plan)
    record = release.steward.search.blocks
    assert record is not None and record.extra_loss is None


# -- random tables ------------------------------------------------------------------------------------------------

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["?", "1", "2", "5", "9", "20"]),
        st.sampled_from(["100", "101", "110", "200", "300"]),
        st.sampled_from(["a", "b", "c"]),
        st.sampled_from(["x", "y", "z"]),
    ),
    min_size=4,
    max_size=40,
)


@given(ROWS, st.integers(1, 12), st.sampled_from(ALGORITHMS), st.sampled_from(["hierarchy", "sets"]), st.randoms())
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_class_of_a_random_table_passes(
    rows: list[Any], limit: int, algorithm: Any, categories: str, random: Any
) -> None:
    frame = pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")
    if frame["d"].n_unique() < 2:
        return
    plan = plan_of(limit, algorithm, release=shoal.ReleaseSettings(categories=categories))
    release = shoal.anonymize(frame, plan)
    random.shuffle(rows)
    again = shoal.anonymize(pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row"), plan)
    assert content(release) == content(again)
    found = release.frame.group_by(QUASI).agg(pl.len(), pl.col("d").n_unique())
    assert found["len"].min() >= 2 and found["d"].min() >= 2  # type: ignore[operator]
