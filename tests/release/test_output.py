"""Folders that appear whole or not at all, and what is written into them. Saving a release tests the rest."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import OutputError
from shoal.release import output
from shoal.release.output import check_free, partial, put_in_place, write_json
from tests.contract.patients import plan_of


def test_numbers_of_numpy_and_no_numbers_become_json(tmp_path: Path) -> None:
    value = {
        "whole": np.int64(7),
        "real": np.float64(0.5),
        "flag": np.bool_(True),
        "none": [float("nan"), np.float64("inf"), None],
        1: (np.int32(3),),
    }
    write_json(tmp_path / "x.json", value)
    text = (tmp_path / "x.json").read_text()
    assert json.loads(text) == {"whole": 7, "real": 0.5, "flag": True, "none": [None, None, None], "1": [3]}


def test_what_is_no_json_is_not_quietly_turned_into_text(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        write_json(tmp_path / "x.json", {"series": pl.Series([1])})


def test_an_unwritable_folder_is_said_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output.os, "access", lambda *_: False)
    plan = plan_of(tmp_path).changed(data=shoal.Data(source=str(tmp_path / "not even there.csv")))
    with pytest.raises(OutputError, match="is not writable"):
        shoal.anonymize_to(plan, tmp_path / "out")


def test_the_full_path_is_told_and_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert check_free(Path("out"), force=False) == tmp_path / "out"
    assert not list(tmp_path.iterdir())


def test_a_part_that_is_not_put_in_place_is_gone(tmp_path: Path) -> None:
    with partial(tmp_path / "out") as part:
        (part / "half.txt").write_text("half")
    assert not list(tmp_path.iterdir())


def test_no_run_clears_the_folder_that_another_is_just_making(tmp_path: Path) -> None:
    """Many runs at once: each has its own folder as long as it needs it."""

    def made(_: int) -> bool:
        with partial(tmp_path / "out") as part:
            (part / "half.txt").write_text("half")
            return part.is_dir()

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(made, range(400)))
    assert not list(tmp_path.iterdir())


def test_parts_take_the_place_of_what_was_there(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "old.txt").write_text("old")
    with partial(tmp_path / "one") as first, partial(tmp_path / "two") as second:
        for part in (first, second):
            (part / "new.txt").write_text("new")
        put_in_place({first: tmp_path / "one", second: tmp_path / "two"}, tmp_path / "one", force=True)
    found = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.txt"))
    assert found == ["one/new.txt", "two/new.txt"]
