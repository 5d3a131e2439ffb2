"""Runs of the fuzzer: one by its seed, or many on several cores, and the table of what was tried."""

from __future__ import annotations

import multiprocessing
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

import shoal
from shoal.errors import CannotBeMet, PlanError, PromiseBroken, ShoalError
from tests.fuzz import making
from tests.fuzz.judging import Case, problems, public_bytes, saved_problems

SAVED_EVERY, TWIN_EVERY = 20, 50
STATES = ("released", "refused", "not met", "wrong")


class Run(NamedTuple):
    """The outcome of one run; `problem` is empty unless the state is "wrong"."""

    seed: int
    combination: tuple[str, str, str]
    state: str
    problem: str = ""


def made_of(seed: int) -> tuple[making.Made, shoal.Plan, Random]:
    """The table and the plan of a seed, and the random numbers that follow."""
    rng = Random(seed)
    combination = _combination(rng)
    made = making.table(rng, making.trees())
    return made, _plan(rng, made, combination), rng


def run(seed: int) -> Run:
    """Makes a table and a plan from the seed, releases the table and judges the release."""
    combination = _combination(Random(seed))
    try:
        made, plan, rng = made_of(seed)
        case = Case(made, plan, shoal.anonymize(made.frame, plan))
        found = problems(case)
        if not found and seed % SAVED_EVERY == 0:
            found = saved_problems(case)
        if not found and seed % TWIN_EVERY == 0:
            found = _twin_problems(case, making.twin(rng, made))
    except CannotBeMet:
        return Run(seed, combination, "not met")
    except PromiseBroken:
        return Run(seed, combination, "wrong", traceback.format_exc())
    except ShoalError:
        return Run(seed, combination, "refused")
    except Exception:
        return Run(seed, combination, "wrong", traceback.format_exc())
    return Run(seed, combination, "wrong" if found else "released", "; ".join(found))


def _combination(rng: Random) -> tuple[str, str, str]:
    return rng.choice(making.combinations())


def _plan(rng: Random, made: making.Made, combination: tuple[str, str, str]) -> shoal.Plan:
    """A plan whose parts fit each other, if a few attempts find one."""
    for _ in range(4):
        with suppress(PlanError):
            return making.plan(rng, made, making.trees(), *combination)
    return making.plan(rng, made, making.trees(), *combination)


def _twin_problems(case: Case, other: making.Made) -> list[str]:
    """The same rows in another order and with other identifiers publish the same bytes."""
    release = shoal.anonymize(other.frame, case.plan)
    same = public_bytes(release) == public_bytes(case.release)
    return [] if same else ["twin: other row order and identifiers publish other bytes"]


@dataclass
class Coverage:
    """How many runs of every model × algorithm × form ended in which state, and all that went wrong."""

    counts: Counter[tuple[tuple[str, str, str], str]]
    wrong: list[Run]

    @classmethod
    def empty(cls) -> Coverage:
        return cls(Counter(), [])

    def add(self, done: Run) -> None:
        self.counts[done.combination, done.state] += 1
        if done.state == "wrong":
            self.wrong.append(done)

    @property
    def runs(self) -> int:
        return sum(self.counts.values())

    def number(self, state: str) -> int:
        return sum(times for (_, each), times in self.counts.items() if each == state)

    def lines(self) -> Iterator[str]:
        """The table as text."""
        yield f"{'model':<18}{'algorithm':<11}{'form':<13}{'tried':>7}" + "".join(f"{each:>10}" for each in STATES)
        for combination in making.combinations():
            numbers = [self.counts[combination, state] for state in STATES]
            model, algorithm, form = combination
            cells = "".join(f"{number:>10}" for number in numbers)
            yield f"{model:<18}{algorithm:<11}{form:<13}{sum(numbers):>7}{cells}"
        numbers = [self.number(state) for state in STATES]
        yield f"{'all':<42}{self.runs:>7}" + "".join(f"{number:>10}" for number in numbers)


def run_for(seconds: float, first: int) -> Coverage:
    """Runs with the seeds from `first` on, in this process, until the time is over."""
    coverage, end, seed = Coverage.empty(), time.monotonic() + seconds, first
    while time.monotonic() < end:
        coverage.add(run(seed))
        seed += 1
    return coverage


def run_many(first: int, runs: int, workers: int) -> Iterator[Run]:
    """Runs with the seeds `first`, `first` + 1, …, on several cores."""
    seeds = range(first, first + runs)
    if workers == 1:
        yield from map(run, seeds)
        return
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        yield from pool.imap_unordered(run, seeds, chunksize=25)
