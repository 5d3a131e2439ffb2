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
    (tmp_path / "run.json").write_text('{"state": "dancing"}', encoding="utf-8")
    assert read_run(tmp_path) is None


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
    assert run is None or run.stage.share == 0.0
