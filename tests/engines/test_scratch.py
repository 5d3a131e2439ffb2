"""Private folders are readable by nobody else, and gone afterwards, however the process ends."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.engines.scratch import explained, scratch_folder
from shoal.errors import OutputError


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The temporary folder of the system."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path


def test_a_folder_is_private_and_removed_on_success(place: Path) -> None:
    with scratch_folder() as folder:
        assert folder.parent == place
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "column").write_bytes(b"codes")
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_folder_is_removed_on_failure_and_on_ctrl_c(place: Path, error: type[BaseException]) -> None:
    with pytest.raises(error), scratch_folder() as folder:
        (folder / "column").write_bytes(b"codes")
        raise error
    assert list(place.iterdir()) == []


def test_folders_of_other_processes_stay_and_those_of_killed_ones_go(place: Path) -> None:
    script = "import sys, time; from shoal.engines.scratch import scratch_folder\nwith scratch_folder() as folder:\n"
    script += " (folder / 'column').touch(); print(folder, flush=True); time.sleep(60)"
    environment = {**os.environ, "TMPDIR": str(place)}
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment) as other:
        assert other.stdout is not None
        theirs = Path(other.stdout.readline().strip())
        with scratch_folder():
            assert theirs.is_dir()
        os.kill(other.pid, signal.SIGKILL)
    assert theirs.is_dir()
    with scratch_folder():
        assert not theirs.exists()
    assert list(place.iterdir()) == []


def test_a_cancelled_process_removes_its_folder(place: Path) -> None:
    script = "import os; from shoal.engines.scratch import scratch_folder; from shoal.unfinished import abandoned\n"
    script += "with scratch_folder() as folder:\n (folder / 'column').touch(); abandoned(); os._exit(130)"
    environment = {**os.environ, "TMPDIR": str(place)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, check=False)
    assert done.returncode == 130 and list(place.iterdir()) == []


def test_what_looks_alike_but_is_no_folder_of_ours_stays(place: Path) -> None:
    outside = place / "outside"
    outside.mkdir()
    (place / f".shoal-stream.{'0' * 16}.partial").symlink_to(outside)
    (place / f".shoal-stream.{'1' * 16}.partial").touch()
    (place / ".shoal-stream.other.partial").mkdir()
    with scratch_folder():
        pass
    assert len(list(place.iterdir())) == 4


def test_a_full_disk_is_explained(place: Path) -> None:
    with pytest.raises(OutputError, match="TMPDIR"), explained():
        raise OSError(28, "No space left on device")


def test_a_folder_that_another_process_removed_is_made_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []
    make = Path.mkdir

    def mkdir(path: Path, mode: int) -> None:
        make(path, mode)
        made.append(path)
        if len(made) == 1:
            path.rmdir()

    monkeypatch.setattr(Path, "mkdir", mkdir)
    with scratch_folder() as folder:
        assert folder == made[1] and folder.is_dir()
    assert list(place.iterdir()) == []


def test_a_named_place_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "gone"))
    with pytest.raises(OutputError, match="TMPDIR"), scratch_folder():
        pass
