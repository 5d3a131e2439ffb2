"""Work at the same time: results in order, errors and cancellation end everything."""

from __future__ import annotations

import threading
import time

import pytest

from shoal.errors import ShoalError
from shoal.evaluate.at_once import Advance, all_at_once, checked_workers


@pytest.mark.parametrize("workers", [None, 1, 2, 7])
def test_results_are_in_the_order_of_the_jobs(workers: int | None) -> None:
    def work(job: int, _advance: Advance) -> int:
        time.sleep(0.002 * (job % 3))
        return job * job

    assert all_at_once(range(9), work, lambda _share: None, workers=workers) == [job * job for job in range(9)]


def test_no_jobs_have_no_results() -> None:
    assert all_at_once([], lambda _job, _advance: 1, lambda _share: None) == []


def test_an_error_of_one_job_ends_all() -> None:
    begun: list[int] = []

    def work(job: int, advance: Advance) -> None:
        begun.append(job)
        if job == 1:
            raise ShoalError("blocked.")
        for _ in range(200):
            time.sleep(0.01)
            advance(0.5)

    with pytest.raises(ShoalError, match="blocked"):
        all_at_once(range(20), work, lambda _share: None, workers=2)
    assert len(begun) < 20


def test_cancelling_ends_all_workers() -> None:
    ended = threading.Event()

    def work(_job: int, advance: Advance) -> None:
        try:
            while True:
                time.sleep(0.005)
                advance(0.1)
        finally:
            ended.set()

    def report(share: float) -> None:
        if share > 0:
            raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        all_at_once([1, 2, 3], work, report, workers=2)
    assert ended.is_set()
    assert threading.active_count() == before


def test_progress_reaches_the_end_and_never_falls_back() -> None:
    shares: list[float] = []

    def work(job: int, advance: Advance) -> None:
        for share in (0.5, 0.2, 1.0):
            time.sleep(0.05 if job else 0)
            advance(share)

    all_at_once([0, 1, 2], work, shares.append, workers=2)
    assert shares == sorted(shares)
    assert shares[0] <= 1 / 3


@pytest.mark.parametrize("workers", [0, -1, True, 1.5])
def test_the_number_of_workers_is_checked(workers: object) -> None:
    with pytest.raises(ShoalError, match="number of workers"):
        checked_workers(workers)  # type: ignore[arg-type]
