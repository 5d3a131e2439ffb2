"""The search for a suggestion, in rounds: algorithms first, then the size of classes, then one setting at a time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import polars as pl

from shoal.errors import CannotBeMet, PlanError, ShoalError, TableError
from shoal.evaluate.at_once import Advance, all_at_once
from shoal.evaluate.candidates import Candidate, Setting, neighbours, starts
from shoal.evaluate.comparing import compared_as
from shoal.evaluate.frontier import released
from shoal.evaluate.utility import Loss
from shoal.plan import Plan
from shoal.report.suggestion import Tried
from shoal.risks import ALL as RISKS
from shoal.risks.measuring import Risk, Settings

_RAISES, _HALVINGS = 6, 5
"""The most rounds of asking for larger classes, and of looking for smaller ones that still meet the thresholds."""
_LARGEST_STEP, _SMALLEST_STEP = 4.0, 1.1
"""By how many times the smallest class grows in one round."""
_TIGHTENED = 4
"""The candidates whose smallest class is brought down to what the thresholds need."""
_FACTORS = (2.0, 4.0, 1.4)
"""The factors of weights that are tried one after the other, as long as one of them finds something better."""
_COMBINED = 4
"""The most single improvements that are combined."""
_CENTRES = 3
"""The algorithms around whose best candidate settings are varied."""


@dataclass(frozen=True)
class Case:
    """A table and how its releases are measured."""

    frame: pl.DataFrame
    plan: Plan
    loss: Loss
    settings: Settings
    sampled: int | None = None
    workers: int | None = None

    def tried(self, name: str, plan: Plan, advance: Advance) -> Tried:
        """What a plan leads to; a plan that cannot be met, or measured, has the reason."""
        try:
            release, risk = released(self.frame, plan, self.settings, advance)
            _require_checked(risk)
            loss = self.loss(release)
        except (CannotBeMet, PlanError, TableError) as refusal:
            return Tried(name, plan, reason=refusal.fact, sampled=self.sampled)
        compared = compared_as(name, plan, release.manifest, risk)
        lost = dict(release.measures["ncp_by_column"])
        return Tried(name, plan, compared, loss, lost, risk.exceeded, sampled=self.sampled)


def _require_checked(risk: Risk) -> None:
    """Raises if a threshold cannot be checked: no plan could be said to meet it."""
    if not risk.unchecked:
        return
    name = risk.unchecked[0]
    lacking = next(reason for cls in RISKS if name in cls.limits and (reason := risk.not_measured.get(cls.name)))
    raise ShoalError(f"The threshold '{name}' cannot be checked. {lacking}", hint="give what is needed, or omit it.")


@dataclass
class Room:
    """How many plans may still be tried, and until when rounds may begin."""

    plans: int
    deadline: float | None = None
    late: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.whole = self.plans
        self.parent: Room | None = None

    @property
    def left(self) -> int:
        if self.deadline is not None and time.monotonic() > self.deadline:
            self.mark_late()
        return 0 if self.late else self.plans

    def mark_late(self) -> None:
        self.late = True
        if self.parent is not None:
            self.parent.late = True

    def less(self, plans: int) -> Room:
        """Room that leaves so many plans for later, but at least half of all."""
        return self.of(max(self.plans - plans, (self.plans + 1) // 2))

    def of(self, plans: int) -> Room:
        """A part of the room."""
        part = Room(min(plans, self.plans), self.deadline)
        part.parent = self
        self.plans -= part.plans
        return part


class Search:
    """Tries candidates in rounds. The order of candidates, not of their results, decides what is tried."""

    def __init__(self, case: Case, setting: Setting, room: Room, report: Callable[[float], None]) -> None:
        self.case, self.setting, self.room, self.report = case, setting, room, report
        self.found: dict[str, tuple[Candidate, Tried]] = {}
        self._refused: set[str] = set()

    @property
    def tried(self) -> list[Tried]:
        return [tried for _, tried in self.found.values()]

    @property
    def refused(self) -> list[str]:
        """The kinds of algorithms that cannot be combined with the plan."""
        return sorted(self._refused - {candidate.algorithm.kind for candidate, _ in self.found.values()})

    def run(self) -> None:
        """All rounds, while there is room."""
        first = list(starts(self.setting, self.case.frame.height))
        self.finish(first)
        self.improve()

    def finish(self, candidates: list[Candidate]) -> None:
        """Tries candidates, and with larger classes those that exceed a threshold, until the least suffices."""
        self.try_all(candidates)
        self.meet(candidates)
        self.tighten()

    def finalists(self, number: int) -> list[Candidate]:
        """The best candidates: those that meet the thresholds first."""
        return [candidate for candidate, tried in self._ranked() if tried.release is not None][:number]

    def _ranked(self) -> list[tuple[Candidate, Tried]]:
        """All candidates that were tried, the best one first, and of equals the one that was tried first."""
        return sorted(self.found.values(), key=lambda each: each[1].rank)

    # -- trying ----------------------------------------------------------------------------------------------------

    def try_all(self, candidates: Iterable[Candidate]) -> None:
        """Tries the candidates that were not tried yet, as far as there is room."""
        plans: dict[str, tuple[Candidate, Plan]] = {}
        left = self.room.left if self.found else self.room.plans  # the first round always takes place
        for candidate in candidates:
            if len(plans) < left and (name := candidate.name) not in self.found and name not in plans:
                try:
                    plans[name] = candidate, candidate.plan(self.case.plan)
                except PlanError:
                    self._refused.add(candidate.algorithm.kind)
        self.room.plans -= len(plans)
        done, whole = len(self.found), self.room.whole

        def work(name: str, advance: Advance) -> Tried:
            return self.case.tried(name, plans[name][1], advance)

        def report(share: float) -> None:
            self.report(min(1.0, (done + share * len(plans)) / whole))

        results = all_at_once(list(plans), work, report, workers=self.case.workers)
        for name, tried in zip(plans, results, strict=True):
            self.found[name] = plans[name][0], tried

    def at(self, candidate: Candidate) -> Tried | None:
        """What a candidate led to; None if it was not tried."""
        found = self.found.get(candidate.name)
        return None if found is None else found[1]

    @property
    def best(self) -> tuple[Candidate, Tried] | None:
        """The candidate with the least loss that meets the thresholds, the first one of equals."""
        return next((each for each in self._ranked() if each[1].meets), None)

    def promising(self, tried: Tried) -> bool:
        """Whether a plan loses less than the best that meets the thresholds, so that larger classes may pay."""
        return self.best is None or tried.rank[1] < self.best[1].rank[1]

    # -- larger classes --------------------------------------------------------------------------------------------

    def meet(self, candidates: list[Candidate]) -> None:
        """Asks candidates that exceed a threshold for larger classes, as long as they lose less than the best."""
        for _ in range(_RAISES):
            raised, outcomes = list[Candidate](), set[tuple[float, float]]()
            for candidate in candidates:
                tried = self.at(candidate)
                if tried is None or not tried.exceeded or not self.promising(tried):
                    continue
                outcome = tried.rank[1:]  # two algorithms may find the same classes
                if outcome not in outcomes:
                    outcomes.add(outcome)
                    raised.append(replace(candidate, k=_larger(candidate.k, tried.excess, self.case.frame.height)))
            if not raised or not self.room.left:
                return
            self.try_all(raised)
            candidates = raised

    def tighten(self) -> None:
        """Brings the smallest class down to what the thresholds need, for the best candidates."""
        for _ in range(_HALVINGS):
            best = [candidate for candidate, tried in self._ranked() if tried.meets][:_TIGHTENED]
            middles = [middle for candidate in best if (middle := self._between(candidate)) is not None]
            if not middles or not self.room.left:
                return
            self.try_all(middles)

    def _between(self, candidate: Candidate) -> Candidate | None:
        """The candidate with classes between those that meet the thresholds and those that do not."""
        failing = [
            other.k
            for other, tried in self.found.values()
            if other.k < candidate.k and not tried.meets and replace(other, k=candidate.k) == candidate
        ]
        if not failing or max(failing) + 1 >= candidate.k:
            return None
        return replace(candidate, k=(max(failing) + candidate.k) // 2)

    # -- one setting at a time -------------------------------------------------------------------------------------

    def improve(self) -> None:
        """Varies the settings of the best candidates, and combines what helps, while there is room."""
        centres = self._centres()
        for factor in _FACTORS:
            for centre in centres:
                self._climb(centre, factor)
            if not self.room.left:
                return
            centres = self._centres()[:1]

    def _centres(self) -> list[Candidate]:
        """The best candidate of each algorithm, the best one first."""
        kinds: dict[str, Candidate] = {}
        for candidate, tried in self._ranked():
            if tried.meets:
                kinds.setdefault(candidate.algorithm.kind, candidate)
        return list(kinds.values())[:_CENTRES]

    def _climb(self, centre: Candidate, factor: float) -> None:
        """Goes from a candidate to better ones next to it, until there is none."""
        while self.room.left:
            here = self.at(centre)
            assert here is not None
            near = [*self._lower(centre, here), *neighbours(centre, self.setting, here.lost, factor)]
            self.try_all(near)
            self.meet([each for each in near if (tried := self.at(each)) is not None and _less(tried, here)])
            better = self._better(centre, here)
            if not better:
                return
            self.try_all(_combined(centre, better))
            self.tighten()
            following = self._better(centre, here)[0]
            if following == centre:
                return
            centre = following

    def _lower(self, centre: Candidate, here: Tried) -> list[Candidate]:
        """The candidate with smaller classes, which may meet the thresholds: other settings changed the risk."""
        least, average = self.setting.k, self.case.plan.risk.average
        if centre.k <= least:
            return []
        guess = math.ceil(centre.k * here.risk / average) if average else centre.k - 1
        return [replace(centre, k=k) for k in sorted({centre.k - 1, max(least, min(guess, centre.k - 1))})]

    def _better(self, centre: Candidate, here: Tried) -> list[Candidate]:
        """The candidates of the same algorithm that meet the thresholds and lose less, the best one first."""
        kind = centre.algorithm.kind
        return [
            candidate
            for candidate, tried in self._ranked()
            if candidate.algorithm.kind == kind and tried.meets and _less(tried, here)
        ]


def _less(tried: Tried, than: Tried) -> bool:
    """Whether a plan loses less than another one."""
    return tried.loss is not None and than.loss is not None and tried.loss < than.loss


def _larger(k: int, excess: float, rows: int) -> int:
    """The next smallest class after a threshold was exceeded so many times."""
    step = min(max(excess, _SMALLEST_STEP), _LARGEST_STEP)
    return min(max(math.ceil(k * step), k + 1), rows)


def _combined(centre: Candidate, better: list[Candidate]) -> list[Candidate]:
    """The first improvements together: the two best, the three best, and so on."""
    found, together = list[Candidate](), better[0]
    for other in better[1:_COMBINED]:
        taken = {(change.column, change.key) for change in together.changes if change not in centre.changes}
        for change in other.changes:
            if change not in centre.changes and (change.column, change.key) not in taken:
                together = together.having(change)
        if together.algorithm == centre.algorithm:
            together = replace(together, algorithm=other.algorithm)
        found.append(together)
    return found
