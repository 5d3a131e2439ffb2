"""The engine that is chosen fits the source; one that is named is taken."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.engines import choosing
from shoal.engines.choosing import chosen_engine, memory, needed_bytes
from shoal.errors import PlanError

FRAME = pl.DataFrame({"age": [str(row) for row in range(1000)], "sex": ["f", "m"] * 500})


def plan_for(source: Path | str | None) -> shoal.Plan:
    data = shoal.Data(source=None if source is None else str(source))
    return shoal.Plan(columns={"age": shoal.quasi(), "sex": shoal.quasi()}, models=[shoal.KAnonymity(k=2)], data=data)


@pytest.mark.parametrize("format", ["csv", "parquet", "arrow"])
def test_a_table_that_would_not_fit_in_half_of_the_memory_is_streamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    path = tmp_path / f"t.{format}"
    {"csv": FRAME.write_csv, "parquet": FRAME.write_parquet, "arrow": FRAME.write_ipc}[format](path)
    needed = needed_bytes(path)
    assert needed == (5 * path.stat().st_size if format == "csv" else 40 * 2000)
    monkeypatch.setattr(choosing, "memory", lambda: 2 * needed)
    assert chosen_engine(plan_for(path), None) == "local"
    monkeypatch.setattr(choosing, "memory", lambda: 2 * needed - 1)
    assert chosen_engine(plan_for(path), None) == "stream"
    assert chosen_engine(plan_for(path), "local") == "local"


def test_a_folder_is_streamed(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "part-0.csv")
    assert chosen_engine(plan_for(tmp_path), None) == "stream"


@pytest.mark.parametrize("source", [None, "sqlite:///clinic.db", "absent.csv", "t.xlsx"])
def test_what_cannot_be_streamed_is_left_to_the_local_engine(source: str | None) -> None:
    assert chosen_engine(plan_for(None).changed(data=shoal.Data.model_construct(source=source)), None) == "local"


def test_a_damaged_file_is_left_to_its_reader(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"?")
    assert chosen_engine(plan_for(tmp_path / "t.parquet"), None) == "local"


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(PlanError, match="did you mean 'stream'"):
        chosen_engine(plan_for(None), "steam")


def test_a_container_may_have_less_memory_than_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(choosing, "_LIMITS", (tmp_path / "absent", limit))
    limit.write_text("max\n")
    machine = memory()
    assert machine > 1 << 28
    limit.write_text("4096\n")
    assert memory() == 4096


def test_a_database_is_not_streamed_and_its_url_not_shown() -> None:
    with pytest.raises(PlanError, match="the source of the plan is a database") as caught:
        chosen_engine(plan_for("postgresql://bob@localhost/clinic"), "stream")
    assert "bob" not in str(caught.value)
