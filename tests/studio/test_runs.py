"""A run is recorded in its folder, and read back as it was."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from shoal.studio import runs
from shoal.studio.runs import Run, read_run
from shoal.studio.states import Failure, Stage, State
from shoal.unfinished import locked


def test_a_run_is_read_back(tmp_path: Path) -> None:
    run = Run(tmp_path, "try", State.FAILED, Stage("search", 0.5), "a", "b", "c", Failure("No.", exit_code=3), {"k": 5})
    run.save()
    assert read_run(tmp_path) == run
    assert run.id == tmp_path.name and not run.has_release
    assert run.private.name == "release.private"


def test_a_folder_without_a_record_is_no_run(tmp_path: Path) -> None:
    assert read_run(tmp_path) is None
    (tmp_path / "file").touch()
    assert read_run(tmp_path / "file") is None


@pytest.mark.parametrize(
    "record",
    [
        "",
        "{",
        "[]",
        '{"state": "dancing"}',
        '{"state": "damaged"}',
        '{"state": "done", "summary": {"models": "x"}}',
        '{"state": "done", "summary": [1]}',
        '{"state": "done", "name": 3}',
        '{"state": "failed", "failure": "no"}',
        '{"state": "done", "created": [3]}',
        "\xff",
    ],
)
def test_a_run_whose_record_cannot_be_read_is_damaged(tmp_path: Path, record: str) -> None:
    (tmp_path / "run.json").write_bytes(record.encode("latin-1"))
    run = read_run(tmp_path)
    assert run is not None and run.state is State.DAMAGED and run.state.is_final
    assert run.name == tmp_path.name and run.failure is not None and "run.json" in run.failure.error


@pytest.mark.parametrize(("name", "state"), [("0003-first", State.DAMAGED), ("mine", None)])
def test_a_release_without_a_record_is_a_damaged_run(tmp_path: Path, name: str, state: State | None) -> None:
    folder = tmp_path / name
    folder.mkdir()
    assert read_run(folder) is None
    (folder / "release").mkdir()
    run = read_run(folder)
    assert (run and run.state) == state


def test_clearing_waits_for_a_process_that_is_still_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(tmp_path, "try")
    run.plan_path.touch()
    left = tmp_path / ".release.0123abcd.partial"
    left.mkdir()
    held, freed = threading.Event(), threading.Event()

    def hold() -> None:
        with locked(run.plan_path):
            held.set()
            freed.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(10)
    threading.Timer(0.3, freed.set).start()
    began = time.monotonic()
    run.clear()
    assert time.monotonic() - began > 0.2 and not left.exists()
    holder.join()


def test_clearing_spares_what_is_not_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_TRIES", 1)
    run = Run(tmp_path, "try")
    run.release.mkdir()
    (run.release / "notes.txt").write_text("mine", encoding="utf-8")
    run.clear()
    assert (run.release / "notes.txt").exists() and not run.has_release


@pytest.mark.parametrize("name", ["run.json", "plan.toml", "release"])
def test_a_run_that_is_linked_from_elsewhere_is_none(tmp_path: Path, name: str) -> None:
    run = Run(tmp_path / "0001-run", "run")
    run.folder.mkdir()
    run.save()
    assert read_run(run.folder) is not None
    (run.folder / name).rename(tmp_path / name) if name == "run.json" else (tmp_path / name).mkdir()
    (run.folder / name).symlink_to(tmp_path / name)
    assert read_run(run.folder) is None


@pytest.mark.parametrize("share", ["1" + "0" * 400, "NaN", "-1", "1e400", '"half"', "null", "2"])
def test_a_damaged_record_prevents_nothing(tmp_path: Path, share: str) -> None:
    (tmp_path / "run.json").write_text(f'{{"state": "done", "share": {share}}}', encoding="utf-8")
    run = read_run(tmp_path)
    assert run is not None and run.stage.share == 0.0
