"""The local engine moves rows and decides nothing: what it counts and publishes, against doing it row by row."""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.coded import Partition
from shoal.coded.recoding import Exact, Shown
from shoal.engines import columns
from shoal.engines.base import Engine, Published
from shoal.engines.local import LocalEngine
from shoal.forms.base import ByClass, ByValue, Layout, Unchanged
from shoal.models.evidence import COUNT
from shoal.pipeline import _Clock, drafted
from shoal.progress import silent
from shoal.table import Runs
from tests.effort import examples

FRAME = pl.DataFrame(
    {
        "age": ["30", "40", "30", None, "40", "30"],
        "ill": ["flu", "HIV", "flu", "flu", "HIV", "rash"],
        "who": ["a", "b", "a", "c", "b", "d"],
    }
)


def coded(engine: Engine, *names: str) -> dict[str, Any]:
    """Codes that follow the text of each distinct raw value, null first."""
    found = {}
    for name in names:
        ranks = engine.distinct(name).values.cast(pl.String).rank("dense").fill_null(0)
        found[name] = ranks.to_numpy().astype(np.int32) - ranks.to_numpy().astype(np.int32).min()
    return found


def shown(labels: list[str]) -> Shown:
    """One label for each class."""
    nothing = np.zeros(len(labels))
    return Shown(np.arange(len(labels)), labels, nothing, nothing)


# -- counting -----------------------------------------------------------------------------------------------------


def test_the_engine_knows_its_columns_and_rows() -> None:
    engine: Engine = LocalEngine(FRAME)
    assert (engine.kind, engine.columns, engine.rows) == ("local", ("age", "ill", "who"), 6)


def test_distinct_values_come_with_their_counts() -> None:
    values, counts = LocalEngine(FRAME).distinct("age")
    assert values.name == "age"
    assert dict(zip(values.to_list(), counts.tolist(), strict=True)) == {"30": 3, "40": 2, None: 1}


def test_rows_with_a_dropped_value_are_gone() -> None:
    engine = LocalEngine(FRAME)
    no_age = engine.distinct("age").values.is_null().to_numpy()
    rash = (engine.distinct("ill").values == "rash").to_numpy()
    kept = engine.without({"age": no_age, "ill": rash})
    assert kept.rows == 4 and kept.distinct("who").values.to_list() == ["a", "b"]
    assert engine.without({"age": np.zeros(3, np.bool_)}) is engine
    assert engine.without({"age": np.ones(3, np.bool_)}).rows == 0


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["x", "y", None]), st.sampled_from("pq")), min_size=1))
@settings(max_examples=examples(60), deadline=None)
def test_counted_columns_are_a_group_by(rows: list[tuple[Any, ...]]) -> None:
    frame = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String, "who": pl.String}, orient="row")
    engine = LocalEngine(frame)
    of_value = coded(engine, "a", "b")
    code_of = {
        name: dict(zip(engine.distinct(name).values.to_list(), codes.tolist(), strict=True))
        for name, codes in of_value.items()
    }
    for person in (None, "who"):
        codes, weight = engine.count(of_value, person)
        told = Counter((code_of["a"][a], code_of["b"][b], who if person else None) for a, b, who in rows)
        assert sorted(weight.tolist()) == sorted(told.values())
        found = [tuple(row) for row in codes.T.tolist()]
        assert found == sorted(found) and len(set(found)) == len(told)
        by_cells = Counter({cells[:2]: 0 for cells in told})
        for row, times in zip(found, weight.tolist(), strict=True):
            by_cells[row[:2]] += times
        assert by_cells == Counter((code_of["a"][a], code_of["b"][b]) for a, b, _ in rows)


def test_the_input_is_counted_in_rows_or_in_persons() -> None:
    engine = LocalEngine(FRAME)
    texts = engine.distinct("ill").values.replace("rash", "flu")  # two raw values may have one text
    assert engine.reference("ill", texts).rows() == [("HIV", 2), ("flu", 4)]
    assert engine.reference("ill", texts, "who").rows() == [("HIV", 1), ("flu", 3)]


def test_a_tally_is_of_the_chosen_distinct_rows_alone() -> None:
    engine = LocalEngine(FRAME)
    codes, weight = engine.count(coded(engine, "age"))
    chosen = np.arange(len(weight)) == int(np.argmax(weight))  # those of age 30
    value, row, times = engine.tally("ill", chosen)
    told = Counter[str]()
    for v, many in zip(value.tolist(), times.tolist(), strict=True):
        told[engine.distinct("ill").values[v]] += many
    assert told == {"flu": 2, "rash": 1}
    assert set(row.tolist()) == {int(np.argmax(weight))}
    assert codes.shape == (1, 3)


def test_tallies_of_other_rows_and_other_counts_do_not_mix() -> None:
    engine = LocalEngine(pl.DataFrame({"a": ["x", "y", "x"], "b": ["p", "p", "q"]}))
    engine.count({"a": np.array([0, 1], np.int32)})
    first, all_rows = np.array([True, False]), np.array([True, True])
    assert engine.tally("b", first).value.tolist() == [0, 1] and len(engine.tally("b", all_rows).value) == 3
    assert engine.tally("a", first).row.tolist() == [0, 0]
    engine.count({"b": np.array([0, 1], np.int32)})
    assert engine.tally("a", first).row.tolist() == [0, 0] and engine.tally("a", first).value.tolist() == [0, 1]


def test_repeats_are_told_with_the_distinct_rows_of_pairs() -> None:
    engine = LocalEngine(FRAME)
    engine.count(coded(engine, "age"))
    found = engine.repeats("who", ("",), 100)
    assert (found.values, found.rows, found.sharing) == (4, 6, 4)
    assert (found.pairs[0] == found.pairs[1]).all()  # both of a are 30, both of b are 40


def test_a_witness_does_not_keep_the_input_in_memory() -> None:
    plan = shoal.Plan(columns={name: shoal.quasi() for name in FRAME.columns}, models=[shoal.KAnonymity(k=2)])
    engine = LocalEngine(FRAME)
    seen = weakref.ref(engine)
    draft, require_true = drafted(engine, plan, _Clock(), silent)
    require_true()
    del engine, require_true
    gc.collect()
    assert seen() is None and len(draft.private.witness.row) == FRAME.height


def test_a_column_is_coded_once_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, usual = Counter[str](), columns.dictionary

    def counting(column: pl.Series) -> Any:
        asked[column.name] += 1
        return usual(column)

    monkeypatch.setattr(columns, "dictionary", counting)
    engine = LocalEngine(pl.concat([FRAME] * 1000))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(engine.distinct, ["age", "ill"] * 20))
    assert asked == {"age": 1, "ill": 1}


# -- publishing ---------------------------------------------------------------------------------------------------


def published(frame: pl.DataFrame, class_of_age: dict[str | None, int], labels: list[str], **counts: bool) -> Published:
    """Rows by class of their age, with the label of the class, the illness, and a note as it is."""
    engine = LocalEngine(frame)
    names = ["age", *(["ill"] if counts.get("ill") else [])]
    codes, weight = engine.count(coded(engine, *names))
    text_of = dict(zip(coded(engine, "age")["age"].tolist(), engine.distinct("age").values.to_list(), strict=True))
    class_of = np.array([class_of_age[text_of[code]] for code in codes[0].tolist()], np.int64)
    partition = Partition.of_rows(class_of, len(labels), weight, Exact())
    columns = {"age": ByClass(shown(labels)), "ill": ByValue(engine.distinct("ill").values), "note": Unchanged()}
    used = {name: content for name, content in columns.items() if name in frame.columns}
    return engine.publish(partition, Layout("release", used), "who" if "who" in frame.columns else None)


AGES = st.sampled_from(["30", "40", "50", None])
NOTED = st.lists(
    st.tuples(AGES, st.sampled_from(["flu", "HIV", None]), st.sampled_from(["x", "y"]), st.sampled_from("pqr")),
    min_size=1,
    max_size=25,
)


@given(NOTED, st.permutations([0, 1, 1, -1]), st.booleans(), st.randoms(use_true_random=False))
@settings(max_examples=examples(80), deadline=None)
def test_every_row_shows_the_label_of_its_class_and_stands_in_order(
    rows: list[tuple[Any, ...]], classes: list[int], counted: bool, rng: Any
) -> None:
    class_of = dict(zip(["30", "40", "50", None], classes, strict=True))
    used = sorted({class_of[row[0]] for row in rows} - {-1})
    if not used:
        return
    class_of = {age: used.index(c) if c in used else -1 for age, c in class_of.items()}
    labels = ["[30, 50]", "*"][: len(used)]
    schema = {"age": pl.String, "ill": pl.String, "note": pl.String, "who": pl.String}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    found = published(frame, class_of, labels, ill=counted)
    kept = [(labels[class_of[age]], ill, note) for age, ill, note, _ in rows if class_of[age] >= 0]
    expected = sorted(kept, key=lambda cells: (cells[0], cells[1] is not None, cells[1] or "", cells[2]))
    assert found.tables["release"] is found.main
    assert found.main.expanded().with_columns(pl.col("age").cast(pl.String)).rows() == expected
    behind = [rows[row] for row in found.witness.row.tolist()]
    assert [(labels[class_of[age]], ill, note) for age, ill, note, _ in behind] == expected
    assert len(set(found.witness.row.tolist())) == len(kept)
    assert found.witness.persons is not None
    assert found.witness.persons.to_list() == [who for *_, who in behind]
    order = list(range(len(rows)))
    rng.shuffle(order)
    assert published(frame[order], class_of, labels, ill=counted).main.expanded().equals(found.main.expanded())


def test_numbers_that_are_released_unchanged_keep_all_their_digits() -> None:
    notes = [0.1 + 0.2, 0.3, -0.0, 0.0, 1e300, 1.0]
    frame = FRAME.drop("who").with_columns(note=pl.Series(notes))
    found = published(frame, {"30": 0, "40": 0, None: 0}, ["*"])
    assert sorted(map(repr, found.main.expanded()["note"].to_list())) == sorted(map(repr, notes))
    assert found.main["note"].dtype == pl.Float64


def split(frame: pl.DataFrame, weights: list[int]) -> Published:
    """All rows are alike to the search; class i gets weights[i] of them."""
    engine = LocalEngine(frame)
    engine.count(coded(engine, "age"))
    classes = len(weights)
    row, offsets = np.zeros(classes, np.int64), np.arange(classes + 1)
    partition = Partition(row, offsets, np.array(weights, np.int64), Exact())
    columns = {"age": ByClass(shown([f"class {c}" for c in range(classes)])), "note": Unchanged()}
    return engine.publish(partition, Layout("release", columns))


@given(st.lists(st.sampled_from("abcd"), min_size=3, max_size=12), st.randoms(use_true_random=False))
@settings(max_examples=examples(40), deadline=None)
def test_rows_that_are_alike_may_be_split_over_classes_in_an_order_that_is_their_own(
    notes: list[str], rng: Any
) -> None:
    weights = [1, len(notes) - 2]  # one row is in no class
    frame = pl.DataFrame({"age": ["30"] * len(notes), "note": notes})
    found = split(frame, weights).main.expanded().with_columns(pl.col("age").cast(pl.String))
    first, *others = sorted(notes)
    assert found.rows() == [("class 0", first), *(("class 1", note) for note in others[:-1])]
    rng.shuffle(notes)
    shuffled = split(pl.DataFrame({"age": ["30"] * len(notes), "note": notes}), weights)
    assert shuffled.main.expanded().with_columns(pl.col("age").cast(pl.String)).equals(found)


ANATOMY = st.lists(
    st.tuples(st.sampled_from(["30", "40", None]), st.sampled_from(["flu", "HIV", None]), st.sampled_from("xy")),
    min_size=1,
    max_size=20,
)


@given(ANATOMY, st.randoms(use_true_random=False))
@settings(max_examples=examples(60), deadline=None)
def test_classes_are_numbered_and_sensitive_values_counted_apart(rows: list[tuple[Any, ...]], rng: Any) -> None:
    frame = pl.DataFrame(rows, schema={"age": pl.String, "ill": pl.String, "note": pl.String}, orient="row")

    def made(frame: pl.DataFrame) -> Published:
        engine = LocalEngine(frame)
        codes, weight = engine.count(coded(engine, "age", "ill"))
        distinct, class_of = np.unique(codes[0], return_inverse=True)
        partition = Partition.of_rows(class_of.astype(np.int64), len(distinct), weight, Exact())
        columns = {"age": ByValue(engine.distinct("age").values), "note": Unchanged()}
        counted, texts = {"ill": "sensitive_ill"}, {"ill": engine.distinct("ill").values}
        return engine.publish(partition, Layout("quasi", columns, "class_id", counted, texts))

    found = made(frame)
    assert list(found.tables) == ["quasi", "sensitive_ill"]
    in_order = sorted(((age, note) for age, _, note in rows), key=lambda cells: (cells[0] or "", cells[1]))
    assert found.main.expanded().select("age", "note").rows() == in_order
    number = {age: n for n, age in enumerate(dict.fromkeys(age for age, _ in in_order), start=1)}
    assert found.main.expanded()["class_id"].to_list() == [number[age] for age, _ in in_order]
    assert {(c, ill): n for c, ill, n in found.tables["sensitive_ill"].expanded().rows()} == Counter(
        (number[age], ill) for age, ill, _ in rows
    )
    behind = [rows[row] for row in found.witness.row.tolist()]
    assert [(age, note) for age, _, note in behind] == in_order
    assert found.witness.linked is not None
    assert found.witness.linked.expanded().rows() == [(ill, number[age]) for age, ill, _ in behind]
    order = list(range(len(rows)))
    rng.shuffle(order)
    again = made(frame[order])
    assert all(again.tables[name].expanded().equals(table.expanded()) for name, table in found.tables.items())


def test_released_rows_are_regrouped_with_their_counts() -> None:
    found = LocalEngine(FRAME).regroup(Runs.of(FRAME), ["age", "ill"])
    assert sorted(found.select("age", "ill", COUNT).rows(), key=str) == sorted(
        [("30", "flu", 2), ("40", "HIV", 2), (None, "flu", 1), ("30", "rash", 1)], key=str
    )


def test_joint_counts_leave_the_last_count_alone() -> None:
    """Pairs of two columns, counted by hand; what was counted before can still be tallied."""
    engine = LocalEngine(pl.DataFrame({"a": ["x", "y", "x", "x", None], "b": [1, 2, 1, 2, 2]}))
    weight = engine.count({"a": np.arange(3, dtype=np.int32)}).weight
    codes, times = engine.joint({"a": np.array([0, 1, 1], np.int32), "b": np.array([5, 7], np.int32)})
    pairs = Counter(dict(zip(map(tuple, codes.T.tolist()), times.tolist(), strict=True)))
    assert pairs == {(0, 5): 2, (0, 7): 1, (1, 7): 2} and times.dtype == np.int64
    assert engine.tally("b", np.ones(len(weight), np.bool_)).times.sum() == 5
