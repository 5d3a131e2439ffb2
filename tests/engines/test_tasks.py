"""What executors do, without Spark: parts of a table, handled one by one, add up to the table."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.coded import keys
from shoal.coded.keys import distinct_rows
from shoal.engines import tasks
from shoal.engines.columns import hashed
from shoal.engines.tasks import (
    TIMES,
    Coder,
    Coding,
    Finder,
    Hashed,
    Kept,
    Keyed,
    Lacking,
    Located,
    Packed,
    Prepared,
    Running,
    Tallied,
    TalliedByRow,
    Values,
    summed,
)
from shoal.errors import TableError

ROWS = 60
RNG = np.random.default_rng(1)
GIVEN = pl.DataFrame(
    {
        "x0": pl.Series(RNG.choice(np.array(["a", "b", ""]), ROWS)).replace("", None),
        "x1": RNG.integers(0, 4, ROWS),
        "x2": [["p", "q"] if row % 2 else ["r"] for row in range(ROWS)],
    }
)
PREPARED = Prepared(("text", "number", "set"), {"set": ";"})
CODERS = {
    0: Coder(pl.Series(["a", "b"]), pl.Series(["a", "b", None])),
    1: Coder(pl.Series(["0", "1", "2", "3"]), pl.Series([0, 1, 2, 3])),
    2: Coder(pl.Series(["p;q", "r"]), pl.Series(["p;q", "r"])),
}


def coded() -> pl.DataFrame:
    return Coding(PREPARED, CODERS, ())(GIVEN)


def test_values_are_counted_with_their_cells() -> None:
    found = Values(PREPARED, (0, 1, 2), (1,))(GIVEN)
    assert found.columns == ["column", "text", TIMES, "r1"]
    assert found.group_by("column").agg(pl.col(TIMES).sum()).sort("column")[TIMES].to_list() == [ROWS] * 3
    numbers = found.filter(pl.col("column") == 1)
    assert numbers["r1"].cast(pl.String).to_list() == numbers["text"].to_list()
    assert set(found.filter(pl.col("column") == 2)["text"]) == {"p;q", "r"}
    assert found.filter(pl.col("column") != 1)["r1"].null_count() == 5


def test_codes_stand_for_their_cells() -> None:
    rows = coded()
    assert rows.columns == ["c0", "c1", "c2", TIMES]
    assert rows.schema["c0"] == pl.Int32
    assert rows[TIMES].sum() == ROWS
    expected = GIVEN.select(pl.col("x0"), pl.col("x1")).group_by("x0", "x1").len().sort("x0", "x1")
    cells = [coder.distinct.gather(rows[f"c{i}"]).alias(f"x{i}") for i, coder in list(CODERS.items())[:2]]
    found = summed(pl.DataFrame([*cells, rows[TIMES]])).sort("x0", "x1")
    assert found.rows() == expected.rows()


def test_columns_that_are_hashed_keep_every_row() -> None:
    rows = Coding(PREPARED, {1: CODERS[1]}, (0,))(GIVEN)
    assert rows.columns == ["c1", "h0", TIMES]
    assert rows["h0"].to_numpy().view(np.uint64).tolist() == hashed(GIVEN["x0"].alias("text")).tolist()
    assert rows[TIMES].to_list() == [1] * ROWS


@pytest.mark.parametrize("cell", ["secret", None])
def test_a_value_that_is_in_no_dictionary_is_refused_without_being_named(cell: str | None) -> None:
    with pytest.raises(TableError, match="other values than when it was first read") as raised:
        CODERS[2].codes(pl.Series("set", ["r", cell]))
    assert "secret" not in str(raised.value)


def test_codes_that_stand_for_other_cells_are_found() -> None:
    with pytest.raises(Exception, match="do not stand for its values"):
        Coder(pl.Series(["a", "b"]), pl.Series(["b", "a"])).codes(pl.Series("text", ["a"]))


def test_dropped_codes_are_gone() -> None:
    rows = coded()
    kept = Kept({"c0": np.array([False, False, True]), "c1": np.array([True, False, False, False])}, {})(rows)
    assert kept.rows() == rows.filter((pl.col("c0") != 2) & (pl.col("c1") != 0)).rows()
    dense = Kept({"c1": np.array([True, False, False, False])}, {"c1": np.array([0, 0, 1, 2], np.int32)})(rows)
    assert set(dense["c1"]) == {0, 1, 2}


def test_codes_are_tallied_by_column() -> None:
    found = Tallied((0, 1))(coded())
    expected = GIVEN["x1"].value_counts().sort("x1")["count"].to_list()
    assert found.filter(pl.col("column") == 1).sort("code")[TIMES].to_list() == expected


def test_combinations_are_counted_by_new_codes() -> None:
    halves = np.array([0, 0, 1, 1], np.int32)
    found = Keyed({"k0": ("c1", halves)})(coded()).sort("k0")
    below = int((GIVEN["x1"] < 2).sum())
    assert found.rows() == [(0, below), (1, ROWS - below)]
    assert Keyed({})(coded()).rows() == [(ROWS,)]


def test_rows_that_lack_a_value_are_counted_once() -> None:
    flags = {"c0": np.array([False, False, True]), "c1": np.array([True, False, False, False])}
    expected = int((GIVEN["x0"].is_null() | (GIVEN["x1"] == 0)).sum())
    assert Lacking(flags)(coded()).rows() == [(expected,)]


@pytest.mark.parametrize("room", [1 << 62, 50, 7])
def test_rows_are_found_among_distinct_ones(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = [RNG.integers(0, 5, 80).astype(np.int32) for _ in range(4)]
    ids, firsts, _ = distinct_rows(columns)
    distinct = np.stack([column[firsts] for column in columns])
    monkeypatch.setattr(keys, "ROOM", room)
    finder = Finder.of(distinct)
    assert (len(finder.levels) > 1) == (room < 1 << 62)
    assert finder.rows(columns, 80).tolist() == ids.tolist()


def test_rows_that_are_not_among_the_distinct_ones_are_not_found() -> None:
    finder = Finder.of(np.array([[0, 1], [1, 0]], np.int32))
    found = finder.rows([np.array([0, 0, 1, 9, 0], np.int32), np.array([1, 0, 0, 0, 2], np.int32)], 5)
    assert found.tolist() == [0, -1, 1, -1, -1]
    assert Finder.of(np.zeros((0, 1), np.int32)).rows([], 3).tolist() == [0, 0, 0]


def test_a_tally_counts_the_chosen_rows_alone() -> None:
    same = np.arange(4, dtype=np.int32)
    located = Located(Finder.of(same[None]), (("c1", same),))
    columns = (("c1", same), ("c0", np.array([0, 1, 2], np.int32)))
    task = TalliedByRow(located, np.array([True, False, False, True]), columns)
    found = task(coded())
    assert set(found["row"]) == {0, 3}
    assert found.group_by("column").agg(pl.col(TIMES).sum()).sort("column")[TIMES].n_unique() == 1
    assert found.filter(pl.col("column") == 0).select(pl.col("row") == pl.col("value")).to_series().all()
    found = found.filter(pl.col("column") == 1)
    expected = GIVEN.filter((pl.col("x1") == 3) & (pl.col("x0") == "b")).height
    assert found.filter((pl.col("row") == 3) & (pl.col("value") == 1))[TIMES].sum() == expected


def test_a_row_that_was_not_counted_is_refused() -> None:
    located = Located(Finder.of(np.array([[0, 1]], np.int32)), (("c1", np.arange(4, dtype=np.int32)),))
    with pytest.raises(TableError, match="other rows"):
        located.rows(coded())


def test_hashes_of_missing_cells_and_beyond_the_sample_are_left_out() -> None:
    rows = Coding(PREPARED, {1: CODERS[1]}, (0,))(GIVEN)
    absent = hashed(pl.Series([None, "a"], dtype=pl.String)).view(np.int64)
    found = Hashed("h0", None, absent, 2**63)(rows)
    assert found.height == 1
    assert found[TIMES].sum() == int((GIVEN["x0"] == "b").sum())
    assert Hashed("h0", None, absent, 0)(rows).height == 0
    assert Hashed("h0", None, absent, 2**63, among=np.zeros(0, np.int64))(rows).height == 0
    coded_hashes = hashed(pl.Series(["a", "b", None])).view(np.int64)
    assert Hashed("c0", coded_hashes, absent, 2**63)(coded()).rows() == found.rows()


class Shared:
    def __init__(self, value: Any) -> None:
        self.value = value


def test_a_task_is_sent_whole_and_sees_small_batches_together(monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow as pa

    monkeypatch.setattr(tasks, "_ROWS", 25)
    task = pickle.loads(pickle.dumps(Values(PREPARED, (0, 1, 2), (1,))))

    def batches() -> Iterator[Any]:
        yield from GIVEN.to_arrow().to_batches(max_chunksize=10)

    found = list(Running(Shared(task))(batches()))
    assert len(found) == 2
    assert found[0].schema == pa.schema(
        [("column", pa.int32()), ("text", pa.string()), (TIMES, pa.int64()), ("r1", pa.int64())]
    )
    assert sum(sum(batch.column(2).to_pylist()) for batch in found) == 3 * ROWS


def test_a_task_for_single_items_is_done_for_each_of_them() -> None:
    given = pl.DataFrame({"number": [4, 2], "item": [pickle.dumps([1, 2]), pickle.dumps([])]})
    done = Packed(len)(given)
    assert done["number"].to_list() == [4, 2] and [pickle.loads(each) for each in done["item"]] == [2, 0]
