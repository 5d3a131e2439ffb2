"""The stream engine answers as the local engine does, and leaves nothing behind."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.engines.base import Engine
from shoal.engines.local import LocalEngine
from shoal.engines.stream import streamed
from shoal.errors import CannotBeMet, PlanError, TableError
from shoal.pipeline import anonymize_to
from shoal.table import batches

FRAME = pl.DataFrame(
    {
        "who": [f"p{row // 3}" for row in range(120)],
        "age": [20 + row * 7 % 40 for row in range(120)],
        "ill": [["flu", "HIV", None][row % 3] for row in range(120)],
        "signs": [["a", "b"], [], ["c"]] * 40,
    }
)
COLUMNS = {
    "who": shoal.identifier(),
    "age": shoal.quasi(),
    "ill": shoal.sensitive(),
}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder of the system, with small batches."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setattr(batches, "_ROWS", 31)
    return place


@pytest.fixture
def source(tmp_path: Path) -> Path:
    FRAME.drop("signs").write_parquet(tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def simple(source: Path, k: int = 3) -> shoal.Plan:
    return shoal.Plan(
        columns=COLUMNS, models=[shoal.KAnonymity(k=k)], data=shoal.Data(source=str(source), missing_rows="drop")
    )


def test_an_engine_has_the_rows_of_its_files(source: Path) -> None:
    with streamed(simple(source)) as stream:
        engine: Engine = stream
        local = LocalEngine(FRAME.drop("signs"))
        assert (engine.kind, engine.columns, engine.rows) == ("stream", local.columns, local.rows)
        dropped = {"ill": engine.distinct("ill").values.is_null().to_numpy()}
        fewer, expected = engine.without(dropped), local.without(dropped)
        assert fewer.rows == expected.rows == 80
        codes = {"age": np.arange(len(fewer.distinct("age").values), dtype=np.int32)}
        for one, other in zip(fewer.count(codes), expected.count(codes), strict=True):
            assert np.array_equal(one, other)
        ill = {"ill": np.arange(len(fewer.distinct("ill").values), dtype=np.int32) // 2}
        for one, other in zip(fewer.joint(codes | ill), expected.joint(codes | ill), strict=True):
            assert np.array_equal(one, other)
        assert fewer.joint(ill).weight.sum() == 80
        for one, other in zip(fewer.repeats("who", ("",), 50), expected.repeats("who", ("",), 50), strict=True):
            assert np.array_equal(one, other)
        assert stream.without({"age": np.zeros(40, np.bool_)}) is stream


def test_nothing_is_left_behind(source: Path, tmp_path: Path, place: Path) -> None:
    anonymize_to(simple(source), tmp_path / "out", engine="stream")
    assert list(place.iterdir()) == []
    with pytest.raises(CannotBeMet):
        anonymize_to(simple(source, k=100), tmp_path / "other", engine="stream")
    assert list(place.iterdir()) == [] and not (tmp_path / "other").exists()


def test_a_plan_that_does_not_fit_is_refused_before_anything_is_stored(source: Path, place: Path) -> None:
    plan = simple(source).changed(columns={**COLUMNS, "zip": shoal.quasi()})
    with pytest.raises(PlanError, match="'zip' is not in the table"), streamed(plan):
        pass
    with pytest.raises(PlanError, match="names no source"), streamed(simple(source).changed(data=shoal.Data())):
        pass
    assert list(place.iterdir()) == []


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.parquet"
    FRAME.drop("signs").head(0).write_parquet(path)
    with pytest.raises(TableError, match="no rows"), streamed(simple(path)):
        pass


def test_lists_are_read_only_if_they_are_not_released(tmp_path: Path) -> None:
    path = tmp_path / "sets.parquet"
    FRAME.write_parquet(path)
    plan = shoal.Plan(
        columns={**COLUMNS, "signs": shoal.drop()}, models=[shoal.KAnonymity(k=3)], data=shoal.Data(source=str(path))
    )
    with (
        pytest.raises(TableError, match="List"),
        streamed(plan.changed(columns={**COLUMNS, "signs": shoal.insensitive()})),
    ):
        pass
    with streamed(plan) as engine:  # of a column that is dropped, hashes are enough
        assert engine.rows == FRAME.height


def test_a_source_file_that_vanishes_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        pl.DataFrame({"age": ["1", "2"]}).write_csv(tmp_path / f"{name}.csv")
    usual = batches._text

    def text(path: Path, *given: Any) -> Any:
        if path.name == "b.csv":
            path.unlink()
        return usual(path, *given)

    monkeypatch.setitem(batches._READERS, "text", text)
    plan = shoal.Plan(
        columns={"age": shoal.quasi()}, models=[shoal.KAnonymity(k=2)], data=shoal.Data(source=str(tmp_path))
    )
    with pytest.raises(TableError, match=r"b\.csv cannot be read: No such file") as raised, streamed(plan):
        pass
    assert "temporary" not in str(raised.value)
