"""Several pieces of work at the same time: in threads, with progress, and all of them end if one fails or is cancelled.

Threads, not processes: kernels and table operations release the interpreter lock, no process must be started and
loaded, and the table is neither copied nor written to a file that a killed run would leave behind.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Event
from typing import TypeVar

from shoal.errors import ShoalError
from shoal.pipeline import load_kernels

Job = TypeVar("Job")
Result = TypeVar("Result")
Advance = Callable[[float], None]
"""Called with the share of a piece of work that is done, 0 to 1. It raises if the work is to end."""

_PAUSE = 0.1
"""Seconds between two reports of progress."""


class _Stopped(Exception):
    """Ends a piece of work after the whole was cancelled."""


@dataclass
class _Shares:
    """How much of every piece of work is done. Threads write it; only the thread of the caller reports it."""

    done: list[float]
    stop: Event = field(default_factory=Event)

    def of(self, number: int) -> Advance:
        def advance(share: float) -> None:
            if self.stop.is_set():
                raise _Stopped
            self.done[number] = max(self.done[number], share)

        return advance

    @property
    def mean(self) -> float:
        return sum(self.done) / len(self.done)


def all_at_once(
    jobs: Sequence[Job],
    work: Callable[[Job, Advance], Result],
    report: Callable[[float], None],
    *,
    workers: int | None = None,
) -> list[Result]:
    """The results of `work` on every job, in the order of the jobs, whatever the number of workers.

    `report` gets the share of all work that is done. If it raises, or if a piece of work does, the others end at their
    next report of progress, none is started any more, and the exception is raised.
    """
    if not jobs:
        return []
    load_kernels()  # two threads must not load numba at the same time
    shares = _Shares([0.0] * len(jobs))

    def one(number: int) -> Result:
        advance = shares.of(number)
        advance(0.0)
        result = work(jobs[number], advance)
        shares.done[number] = 1.0
        return result

    pool = ThreadPoolExecutor(min(len(jobs), checked_workers(workers)))
    try:
        pending = [pool.submit(one, number) for number in range(len(jobs))]
        _wait(pending, shares, report)
        return [each.result() for each in pending]
    finally:
        shares.stop.set()
        pool.shutdown(cancel_futures=True)


def _wait(pending: Sequence[Future[Result]], shares: _Shares, report: Callable[[float], None]) -> None:
    """Reports progress until all are done; raises what one of them raises, or `report`, which cancels the others."""
    not_done = set(pending)
    while not_done:
        report(shares.mean)
        done, not_done = wait(not_done, _PAUSE, FIRST_EXCEPTION)
        for each in done:
            each.result()


def checked_workers(workers: int | None) -> int:
    """The number of workers, by default one per core; raises if it is no number from 1."""
    if workers is None:
        return os.cpu_count() or 1
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise ShoalError(
            "The number of workers is not valid.", allowed="A whole number from 1.", hint="omit it for one per core."
        )
    return workers
