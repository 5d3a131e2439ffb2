"""What an engine answers does not depend on how many rows it looks at at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.coded import keys
from shoal.engines import columns, stored
from shoal.engines.local import LocalEngine

ROWS = 500
RNG = np.random.default_rng(3)
FRAME = pl.DataFrame(
    {
        "age": RNG.integers(20, 60, ROWS).astype(str),
        "ill": RNG.choice(np.array(["flu", "HIV", "rash"]), ROWS),
        "cost": pl.Series(RNG.integers(0, 9, ROWS) / 4).replace({0.0: None, 0.25: float("nan")}),
        "who": [f"p{number}" for number in RNG.integers(0, 200, ROWS)],
    }
)


def answers(engine: LocalEngine) -> dict[str, Any]:
    codes = {name: np.arange(len(engine.distinct(name).values), dtype=np.int32) for name in ("age", "cost")}
    counted, weight = engine.count(codes, "who")
    run = (engine._counted.row_of % 7 - 1).astype(np.int32)
    cells = pl.Series("cost", [0.5, None, 1.0, 0.75, 2.0, 1.25])
    pairs = engine.pairs("ill", pl.Series(["flu", "HIV", "a", "b", "c", "flu"]), run)
    chosen = weight > 1
    tally = engine.tally("ill", chosen)
    by_row = np.zeros((len(weight), 3), np.int64)
    np.add.at(by_row, (tally.row, tally.value), tally.times)
    texts = engine.distinct("ill").values.replace("rash", "flu")
    return {
        "counted": (counted.tolist(), weight.tolist()),
        "counts": engine.distinct("cost").counts.tolist(),
        "lacking": engine.lacking(["cost", "ill"], ("HIV",)),
        "raw": sorted(engine.raw_rows(["ill", "who"]).rows()),
        "persons": engine.reference("ill", texts, "who").rows(),
        "rows": engine.reference("ill", texts).rows(),
        "tally": by_row.tolist(),
        "pairs": [each.tolist() for each in pairs[1:]],
        "differing": engine.differing("cost", cells, run),
    }


def test_blocks_of_rows_are_answered_as_the_whole_table(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = answers(LocalEngine(FRAME))
    monkeypatch.setattr(stored, "_MANY", 37)
    monkeypatch.setattr(columns, "_MANY", 29)
    monkeypatch.setattr(keys, "_BLOCK", 41)
    assert answers(LocalEngine(FRAME)) == whole
    monkeypatch.setattr(stored, "_MOST_ROWS_TALLIED", 5)
    monkeypatch.setattr(stored, "_LARGEST_COUNTED", 1)
    assert answers(LocalEngine(FRAME)) == whole


def test_rows_are_dropped_and_keep_their_numbers() -> None:
    engine = LocalEngine(FRAME)
    dropped = {"cost": engine.distinct("cost").values.fill_nan(None).is_null().to_numpy()}
    fewer = engine.without(dropped)
    assert fewer.rows == ROWS - int(engine.distinct("cost").counts[dropped["cost"]].sum())
    kept = np.flatnonzero((FRAME["cost"].fill_nan(None)).is_not_null().to_numpy())
    assert fewer.input_rows(np.arange(fewer.rows)).tolist() == kept.tolist()
    assert engine.without({"ill": np.zeros(3, np.bool_)}) is engine


def test_null_and_nan_are_one_value_until_they_are_compared() -> None:
    engine = LocalEngine(FRAME)
    missing = FRAME["cost"].is_nan().fill_null(True).sum()
    values, counts = engine.distinct("cost")
    assert counts[values.is_null().to_numpy() | values.is_nan().fill_null(False).to_numpy()].tolist() == [missing]


def test_tasks_run_one_after_the_other() -> None:
    """So that only one item is in memory: the next one is made when the result of the last one was taken."""
    made = list[int]()

    def items() -> Iterator[int]:
        for number in range(3):
            made.append(number)
            yield number

    results = LocalEngine(FRAME).each(lambda item: item * 10, items())
    assert next(results) == 0 and made == [0]
    assert list(results) == [10, 20] and made == [0, 1, 2]
