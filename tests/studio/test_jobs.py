"""Jobs run in processes of their own: they report, return, fail and are cancelled without disturbing the studio."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal.studio.jobs import Job, JobService
from shoal.studio.problems import Busy, NoSuchThing
from shoal.studio.processes import Spare
from shoal.studio.states import State
from tests.studio.tables import plan_of, write_clinic

SOON = 2.0


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jobs")


@pytest.fixture(scope="module")
def seen() -> list[Job]:
    return []


@pytest.fixture(scope="module")
def service(place: Path, seen: list[Job]) -> Iterator[JobService]:
    service = JobService(place / "work", at_once=1, quick_at_once=1, on_change=seen.append)
    yield service
    service.close()


def test_a_job_reports_and_returns(service: JobService, place: Path, seen: list[Job]) -> None:
    job = service.submit("sample", {"source": str(write_clinic(place)), "rows": 2})
    assert job.state is State.QUEUED
    with pytest.raises(Busy):
        service.result(job.id)
    job = service.wait(job.id, 60)
    assert job.state is State.DONE and job.seconds > 0 and job.to_json()["doing"] == "done"
    assert service.result(job.id) == {
        "columns": ["age", "ill"],
        "rows": [["20", "flu"], ["21", "cold"]],
        "row_count": 40,
    }
    assert "read" in [each.stage.step for each in seen if each.id == job.id]
    assert [path.name for path in (place / "work" / job.id).iterdir()] == ["result.json"]


def test_a_failure_does_not_quote_the_data(service: JobService, place: Path) -> None:
    (place / "bad.parquet").write_bytes(b"PAR1 patient 4711")
    job = service.wait(service.submit("sample", {"source": str(place / "bad.parquet")}).id, 60)
    assert job.state is State.FAILED and job.failure and "4711" not in str(job.failure)
    assert job.failure.exit_code == 2


def test_cancelling_stops_soon(service: JobService, place: Path) -> None:
    """The first job is cancelled while it profiles a large table; the second while it waits."""
    numbers = np.random.default_rng(0).integers(0, 1_000_000, (6, 500_000))
    pl.DataFrame({f"c{n}": each for n, each in enumerate(numbers)}).write_csv(place / "large.csv")
    plan = place / "plan.toml"
    plan.write_text(plan_of(place / "large.csv"), encoding="utf-8")
    running = service.submit("profile", {"source": str(place / "large.csv")})
    waiting = service.submit("check", {"plan": str(plan)})
    while service.job(running.id).state is State.QUEUED:
        time.sleep(0.02)
    assert service.job(waiting.id).state is State.QUEUED, service.job(running.id)
    assert service.cancel(waiting.id).state is State.CANCELLED
    began = time.monotonic()
    service.cancel(running.id)
    job = service.wait(running.id, 10)
    assert job.state in (State.CANCELLED, State.FAILED) and time.monotonic() - began < SOON + 1
    assert service.cancel(running.id).state is job.state


def test_quick_jobs_do_not_wait_for_long_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long job that goes on for ever, and one that waits for it, hold up no sample."""
    service = JobService(tmp_path / "work", at_once=1)
    taken = Spare.taken
    sleeping = [subprocess.Popen(["sleep", "600"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)]
    monkeypatch.setattr(Spare, "taken", lambda spare: sleeping.pop() if sleeping else taken(spare))
    long = [service.submit("compare", {"releases": {}}) for _ in range(2)]
    while service.job(long[0].id).state is State.QUEUED:
        time.sleep(0.02)
    quick = service.wait(service.submit("sample", {"source": str(write_clinic(tmp_path))}).id, 60)
    assert quick.state is State.DONE
    assert [service.job(job.id).state for job in long] == [State.RUNNING, State.QUEUED]
    service.close()


def test_a_process_may_end_before_it_reads_its_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one does that is cancelled while it starts: that is no fault of the studio."""

    def ended(_spare: Spare) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(["true"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.wait()
        return process

    monkeypatch.setattr(Spare, "taken", ended)
    service = JobService(tmp_path)
    job = service.wait(service.submit("sample", {}).id, 30)
    assert job.state is State.FAILED and job.failure and "ended unexpectedly" in str(job.failure)
    service.close()


def test_only_known_kinds_and_jobs(service: JobService) -> None:
    with pytest.raises(NoSuchThing):
        service.submit("__import__", {})
    with pytest.raises(NoSuchThing):
        service.job("../x")


def test_a_waiting_process_does_the_next_job_and_shares_nothing(tmp_path: Path) -> None:
    service = JobService(tmp_path / "work")
    service.warm()
    first = service._spare._waiting
    source = write_clinic(tmp_path)
    assert service.wait(service.submit("sample", {"source": str(source)}).id, 60).state is State.DONE
    made = [tmp_path / "work", *(tmp_path / "work").rglob("*")]
    assert not any(path.stat().st_mode & 0o077 for path in made if path.is_dir())
    second = service._spare._waiting
    assert first is not None and first.poll() == 0 and second is not None and second.pid != first.pid
    job = service.submit("sample", {"source": str(tmp_path / "none.csv")})
    assert service.wait(job.id, 60).state is State.FAILED
    third = service._spare._waiting
    service.close()
    assert third is not None and third.returncode is not None


def test_closing_ends_everything(tmp_path: Path) -> None:
    service = JobService(tmp_path)
    jobs = [service.submit("sample", {"source": str(write_clinic(tmp_path))}) for _ in range(4)]
    service.close()
    assert all(service.job(job.id).state.is_final for job in jobs)


def test_no_job_is_left_hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither if its process cannot be started, nor if what it does cannot be noted, nor if it writes nonsense."""

    def full(_job: Job) -> None:
        raise OSError(28, "No space left on device")

    service = JobService(tmp_path / "a", on_change=full)
    job = service.wait(service.submit("sample", {"source": str(write_clinic(tmp_path))}).id, 30)
    assert job.state is State.FAILED and job.failure and "No space left" in str(job.failure)
    service.close()

    service = JobService(tmp_path / "b")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    job = service.wait(service.submit("sample", {}).id, 30)
    assert job.state is State.FAILED and job.failure and "No such file" in str(job.failure)
    (tmp_path / "babbler").write_text("#!/bin/sh\nread x; echo '{\"step\": '; echo 5\n", encoding="utf-8")
    (tmp_path / "babbler").chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "babbler"))
    job = service.wait(service.submit("sample", {}).id, 30)
    assert job.state is State.FAILED and job.failure and "ended unexpectedly" in str(job.failure)
    service.close()
