"""Folders that appear whole or not at all, and what is written into them. Saving a release tests the rest."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import OutputError
from shoal.release import output
from shoal.release.output import check_free, partial, put_in_place, write_json
from shoal.verification.folder import private_folder
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


def write_pair(public: Path, private: Path, version: str) -> None:
    """The two folders of a release, as far as a run that replaces them looks at them."""
    for folder in (public, private):
        folder.mkdir(exist_ok=True)
    (public / "release.csv").write_text(version)
    write_json(public / "manifest.json", {"shoal_version": "0", "files": {"release.csv": ""}})
    (private / "plan.toml").write_text(version)
    write_json(private / "steward.json", {"digest": version})


def versions(folder: Path) -> tuple[str, str]:
    return (folder / "out/release.csv").read_text(), (folder / "out.private/plan.toml").read_text()


def replace_pair(folder: Path, version: str) -> None:
    out = folder / "out"
    with partial(out) as public, partial(private_folder(out)) as private:
        write_pair(public, private, version)
        put_in_place({private: private_folder(out), public: out}, out, force=True)


def test_parts_take_the_place_of_what_was_there(tmp_path: Path) -> None:
    replace_pair(tmp_path, "old")
    replace_pair(tmp_path, "new")
    assert versions(tmp_path) == ("new", "new")
    assert {path.name for path in tmp_path.iterdir()} == {"out", "out.private"}


def killed_at(step: int, work: Callable[[], None]) -> bool:
    """Does the work in a process that is killed before its step-th change of a folder; False if it ends before."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
    steps = iter(range(1, 1000))
    for name in ("rename", "replace", "unlink", "rmdir", "mkdir"):
        usual = getattr(os, name)

        def change(*args: Any, usual: Any = usual, **options: Any) -> Any:
            if next(steps) == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return usual(*args, **options)

        setattr(os, name, change)
    work()
    os._exit(0)


@pytest.mark.parametrize("step", range(1, 40))
def test_after_a_kill_at_any_moment_the_next_start_has_one_pair(tmp_path: Path, step: int) -> None:
    replace_pair(tmp_path, "old")
    was_killed = killed_at(step, lambda: replace_pair(tmp_path, "new"))
    with pytest.raises(OutputError, match="not empty"):
        check_free(tmp_path / "out", force=False)
    assert versions(tmp_path) in ([("old", "old"), ("new", "new")] if was_killed else [("new", "new")])
    assert {path.name for path in tmp_path.iterdir()} == {"out", "out.private"}


def test_every_moment_was_tried(tmp_path: Path) -> None:
    assert not killed_at(40, lambda: replace_pair(tmp_path, "new"))


def test_a_second_kill_while_the_first_is_repaired_loses_nothing_either(tmp_path: Path) -> None:
    for first in range(1, 30):
        for second in range(1, 8):
            folder = tmp_path / f"{first} {second}"
            folder.mkdir()
            replace_pair(folder, "old")
            killed_at(first, lambda folder=folder: replace_pair(folder, "new"))  # type: ignore[misc]
            killed_at(second, lambda folder=folder: check_free(folder / "out", force=True) and None)  # type: ignore[misc]
            check_free(folder / "out", force=True)
            assert versions(folder) in [("old", "old"), ("new", "new")]
            assert {path.name for path in folder.iterdir()} == {"out", "out.private"}


def test_what_was_added_after_a_kill_is_not_replaced(tmp_path: Path) -> None:
    replace_pair(tmp_path, "old")
    for step in range(1, 40):
        killed_at(step, lambda: replace_pair(tmp_path, "new"))
        if (tmp_path / ".out.replacing").exists():
            break
    (tmp_path / "out/mine.txt").write_text("mine")
    with pytest.raises(OutputError, match="1 file that no release wrote"):
        check_free(tmp_path / "out", force=True)
    assert (tmp_path / "out/mine.txt").read_text() == "mine"
    (tmp_path / "out/mine.txt").unlink()
    check_free(tmp_path / "out", force=True)
    assert versions(tmp_path) == ("new", "new")


def test_a_folder_that_only_looks_like_a_leftover_stays(tmp_path: Path) -> None:
    """Under a name that an earlier version gave to the folder that it was replacing."""
    (tmp_path / ".out.replaced").mkdir()
    (tmp_path / ".out.replaced/release.csv").write_text("the only copy")
    check_free(tmp_path / "out", force=True)
    assert (tmp_path / ".out.replaced/release.csv").exists()


def test_ctrl_c_while_folders_are_renamed_comes_too_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_pair(tmp_path, "old")
    usual = Path.rename

    def rename(self: Path, target: Path) -> Path:
        os.kill(os.getpid(), signal.SIGINT)
        return usual(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.warns(UserWarning, match="it was completed"):
        replace_pair(tmp_path, "new")
    assert versions(tmp_path) == ("new", "new")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


NOTEBOOK = """
import os, sys, signal, threading, time
from pathlib import Path
import shoal
from shoal.datasets import patient_hierarchies, patients, patients_plan_toml
folder = Path(sys.argv[1])
for name, text in {"plan.toml": patients_plan_toml(), **patient_hierarchies()}.items():
    (folder / name).write_text(text)
patients(3000, 0).write_csv(folder / "patients.csv")
before = set(os.listdir(folder))
plan, delay, outcomes = shoal.read_plan(folder / "plan.toml"), 0.0, []
shoal.anonymize_to(plan, folder / "warm")
before |= {"warm", "warm.private"}
while True:
    def interrupt():
        for _ in range(2):  # the second one comes during the cleanup
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.002)
    timer = threading.Timer(delay, interrupt)
    timer.start()
    try:
        try:
            shoal.anonymize_to(plan, folder / "out")
            timer.join()
            break
        except KeyboardInterrupt:
            timer.join()
    except KeyboardInterrupt:
        timer.join()
    assert set(os.listdir(folder)) == before, os.listdir(folder)
    delay += 0.1
signal.signal(signal.SIGINT, signal.SIG_IGN)
assert set(os.listdir(folder)) == before | {"out", "out.private"}
sys.stdout.write("done")
"""


def test_ctrl_c_in_a_notebook_leaves_nothing_whenever_it_comes(tmp_path: Path) -> None:
    """KeyboardInterrupt comes later and later, until the release is complete before it."""
    done = subprocess.run([sys.executable, "-c", NOTEBOOK, tmp_path], capture_output=True, text=True, timeout=300)
    assert done.stdout == "done" or "KeyboardInterrupt" in done.stderr, done.stderr
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert "AssertionError" not in done.stderr


def test_a_folder_that_only_looks_like_a_leftover_is_kept(tmp_path: Path) -> None:
    mine = tmp_path / ".out.notes.partial"
    mine.mkdir()
    (mine / "thesis.txt").write_text("mine")
    check_free(tmp_path / "out", force=True)
    with partial(tmp_path / "out"):
        pass
    assert (mine / "thesis.txt").read_text() == "mine"
