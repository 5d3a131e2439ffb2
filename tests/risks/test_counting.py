"""A raw table that an engine counts has the risk of the table in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.plan import RiskSettings
from shoal.risks.counting import COUNTED
from shoal.risks.measuring import Settings
from shoal.risks.releases import source_of
from tests.spark import needs_spark, running, scattered

FRAME = pl.DataFrame(
    {
        "who": [f"p{row // 3}" for row in range(300)],
        "age": [20 + row % 6 for row in range(300)],
        "zip": [None if row % 10 == 0 else f"{10 + row % 5}" for row in range(300)],
        "ill": [["flu", "HIV", "rash", None][row * 5 % 4] for row in range(300)],
        "w": [1.0 + row % 2 for row in range(300)],
        "note": [f"n{row}" for row in range(300)],
    }
)
COLUMNS = {"age": shoal.quasi(), "zip": shoal.quasi(), "ill": shoal.sensitive()}
ENGINES = ["stream", pytest.param("spark", marks=needs_spark)]


def risks(path: Path, plan: shoal.Plan, engine: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The risk of a table in memory and with an engine, apart from what the engine cannot try."""
    master = "local[2]" if engine == "spark" else None
    here = source_of(path, plan, engine="local")
    there = source_of(path, plan, engine=engine, master=master)
    assert there.counted and len(there.main.times) < here.main.height == there.main.height
    found = [source.risk(Settings()).to_json() for source in (here, there)]
    assert COUNTED in found[1]["notes"] and COUNTED not in found[0]["notes"]
    for each in found:
        del each["notes"]
        outcomes = [outcome for outcome in each["attacks"] if outcome["kind"] not in ("row-order", "learned")]
        each["attacks"] = [
            {key: pytest.approx(value) if isinstance(value, float) else value for key, value in outcome.items()}
            for outcome in outcomes
        ]
    return found[0], found[1]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_figures_are_those_of_the_table_in_memory(engine: str, format: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{format}"
    FRAME.write_csv(path) if format == "csv" else FRAME.write_parquet(path)
    plan = shoal.Plan(columns=COLUMNS, models=[shoal.KAnonymity(k=2)])
    here, there = risks(path, plan, engine)
    assert there == here and here["uniques"] >= 0 and len(here["attacks"]) > 4


@pytest.mark.parametrize("engine", ENGINES)
def test_persons_and_sampling_weights_are_counted(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pl.concat([FRAME, FRAME]).write_parquet(path)
    plan = shoal.Plan(
        columns=COLUMNS,
        models=[shoal.KAnonymity(k=2)],
        data=shoal.Data(person="who"),
        risk=RiskSettings(weight="w"),
    )
    here, there = risks(path, plan, engine)
    assert there == here and here["individuals"]
    assert here["individual"] == there["individual"] is not None


def test_a_folder_of_files_is_one_table(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    for number in range(3):
        FRAME[number::3].write_csv(tmp_path / f"t/{number}.csv")
    plan = shoal.Plan(columns=COLUMNS, models=[shoal.KAnonymity(k=2)])
    assert source_of(tmp_path / "t", plan, engine="stream").risk(Settings(attacks=False)).rows == 300
    assert source_of(tmp_path / "t", plan).risk(Settings(attacks=False)).rows == 300


def test_large_files_are_counted_without_being_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    FRAME.write_parquet(tmp_path / "t.parquet")
    plan = shoal.Plan(columns=COLUMNS, models=[shoal.KAnonymity(k=2)])
    assert not source_of(tmp_path / "t.parquet", plan).counted
    monkeypatch.setattr("shoal.engines.choosing.memory", lambda: 1000)
    assert source_of(tmp_path / "t.parquet", plan).counted


@needs_spark
def test_a_spark_frame_has_the_risk_of_its_rows() -> None:
    plan = shoal.Plan(columns=COLUMNS, models=[shoal.KAnonymity(k=2)])
    for session in running():
        found = shoal.risk(scattered(session, FRAME), plan)
    expected = shoal.risk(FRAME, plan)
    assert found.figures == expected.figures and COUNTED in found.notes
    assert {each.kind for each in expected.attacks} - {each.kind for each in found.attacks} == {"row-order"}
