"""A process waits for the next job, and ends when it is no longer wanted, even in the middle of its imports."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from shoal.studio.processes import SPARE, Spare, release, started


def test_a_process_that_waits_ends_with_its_studio(tmp_path: Path) -> None:
    process = started(tmp_path, SPARE)
    release(process)
    assert process.wait(30) == 0


def test_one_process_waits_at_a_time(tmp_path: Path) -> None:
    spare = Spare(tmp_path / "jobs")
    alone = spare.taken()
    spare.keep()
    spare.keep()
    kept = spare._waiting
    assert kept is not None and spare.taken() is kept
    replaced = spare._waiting
    assert replaced is not None and replaced is not kept
    replaced.kill()
    replaced.wait()
    fresh = spare.taken()
    assert fresh not in (kept, replaced)
    spare.close()
    assert spare._waiting is None
    for process in (alone, kept, fresh, replaced):
        release(process)
        assert process.wait(30) in (0, -9)


def test_without_a_process_that_waits_jobs_start_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    spare = Spare(tmp_path)
    spare.keep()
    with pytest.raises(FileNotFoundError):
        spare.taken()
    spare.close()
