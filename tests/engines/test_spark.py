"""The Spark engine answers as the local engine, however Spark divides the rows."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.engines import spark_frames, spark_rows
from shoal.engines.base import Engine
from shoal.engines.local import LocalEngine
from shoal.engines.spark import SparkEngine
from shoal.engines.spark_frames import Driver
from shoal.engines.spark_rows import coded_rows
from tests.spark import needs_spark, scattered

pytestmark = needs_spark
ROWS = 400
RNG = np.random.default_rng(5)
FRAME = pl.DataFrame(
    {
        "age": RNG.integers(20, 40, ROWS),
        "ill": pl.Series(RNG.choice(np.array(["flu", "HIV", "räsh", "", " ?"]), ROWS)).replace("", None),
        "a.cost`": pl.Series(RNG.integers(0, 7, ROWS) / 4).replace(
            {0.0: None, 0.25: float("nan"), 0.5: -0.0, 0.75: 0.0}
        ),
        "born": [date(1970 + number % 5, 1, 1) for number in RNG.integers(0, 9, ROWS)],
        "seen": [datetime(2020, 1, 1 + number % 3, 12, 30) for number in RNG.integers(0, 9, ROWS)],
        "paid": [Decimal(int(number)) / 4 for number in RNG.integers(0, 9, ROWS)],
        "well": RNG.integers(0, 2, ROWS).astype(bool),
        "who": [f"p{number}" for number in RNG.integers(0, 150, ROWS)],
        "name": [f"n{number}" for number in np.minimum(RNG.integers(0, 200, ROWS), 120)],
    }
)
CODED = {name: name != "name" for name in FRAME.columns}


def engine_of(session: Any, frame: pl.DataFrame, partitions: int = 3) -> SparkEngine:
    is_coded = {name: name != "name" for name in frame.columns}
    return SparkEngine(coded_rows(scattered(session, frame, partitions), {}, is_coded, Driver(1 << 30)))


def exact(value: object) -> str:
    return repr(value)


def answers(engine: Engine) -> dict[str, Any]:
    """What an engine answers, without what depends on its codes."""
    found: dict[str, Any] = {"rows": engine.rows, "columns": engine.columns}
    texts = {name: [exact(value) for value in engine.distinct(name).values] for name in FRAME.columns if CODED[name]}
    for name, of_name in texts.items():
        found[name] = sorted(zip(of_name, engine.distinct(name).counts.tolist(), strict=True))
    codes = {name: _ranks(texts[name]) for name in ("age", "ill", "a.cost`")}
    counted, weight = engine.count(codes, "who")
    found["persons"] = sorted((*counted[:3, row].tolist(), int(weight[row])) for row in range(len(weight)))
    counted, weight = engine.count(codes)
    found["counted"] = (counted.tolist(), weight.tolist())
    joint, times = engine.joint({name: _ranks(texts[name]) for name in ("born", "ill")})  # leaves the count alone
    found["joint"] = sorted((*joint[:, row].tolist(), int(times[row])) for row in range(len(times)))
    for column in ("born", "ill", "well"):
        value, row, times = engine.tally(column, weight > 1)
        tally: dict[tuple[str, int], int] = {}
        for v, r, n in zip(value.tolist(), row.tolist(), times.tolist(), strict=True):
            tally[texts[column][v], r] = tally.get((texts[column][v], r), 0) + n
        found[f"tally of {column}"] = tally
    value, row, times = engine.tally("name", np.ones(len(weight), np.bool_))
    found["names"] = (len(np.unique(value)), int(times.sum()))
    merged = engine.distinct("ill").values.replace("flu", "HIV")
    found["reference"] = engine.reference("ill", merged).rows()
    found["reference in persons"] = engine.reference("ill", merged, "who").rows()
    found["lacking"] = engine.lacking(["ill", "a.cost`", "born"], ("?", "HIV"))
    found["raw rows"] = sorted(map(str, engine.raw_rows(["ill", "a.cost`", "who"]).rows()))
    for column in ("name", "who"):
        for sample in (1, 3):
            repeats = engine.repeats(column, ("n3", "p4"), 20, sample)
            found[f"repeats of {column} {sample}"] = (*repeats[:3], repeats.pairs.tolist())
    return found


def _ranks(texts: list[str]) -> np.ndarray[Any, np.dtype[np.int32]]:
    order = sorted(set(texts))
    return np.array([order.index(text) // 2 for text in texts], np.int32)


def test_it_answers_as_the_local_engine(session: Any) -> None:
    assert answers(engine_of(session, FRAME, 1)) == answers(LocalEngine(FRAME))


def test_it_answers_so_in_several_partitions(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_rows, "_ROWS_OF_PARTITION", 60)
    assert answers(engine_of(session, FRAME, 7)) == answers(LocalEngine(FRAME))


def test_it_answers_so_if_results_are_too_large_to_be_collected_at_once(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_rows, "_ROWS_OF_PARTITION", 150)
    monkeypatch.setattr(spark_frames, "_SMALL", 0)
    assert answers(engine_of(session, FRAME, 2)) == answers(LocalEngine(FRAME))


def test_small_tables_are_tallied_in_one_pass(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = engine_of(session, FRAME)
    rows = engine.count({"age": np.arange(len(engine.distinct("age").values), dtype=np.int32)}).weight
    tallies = [engine.tally(name, rows > 15) for name in ("ill", "name")]
    monkeypatch.setattr(spark_frames.Driver, "counted", None)
    assert [int(each.times.sum()) for each in tallies] == [int(rows[rows > 15].sum())] * 2
    assert engine.tally("born", rows > 25).times.sum() == rows[rows > 25].sum()


def test_rows_are_dropped_as_by_the_local_engine(session: Any) -> None:
    fewer = []
    for engine in (engine_of(session, FRAME), LocalEngine(FRAME)):
        values = engine.distinct("ill").values
        dropped = {"ill": values.is_null().to_numpy(), "age": (engine.distinct("age").values == 21).to_numpy()}
        fewer.append(answers(engine.without(dropped)))
    assert fewer[0] == fewer[1]
    assert fewer[0]["rows"] < ROWS


def test_nothing_is_dropped_where_no_value_is(session: Any) -> None:
    engine = engine_of(session, FRAME)
    assert engine.without({"ill": np.zeros(len(engine.distinct("ill").values), np.bool_)}) is engine
