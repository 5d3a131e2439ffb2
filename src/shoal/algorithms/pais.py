"""PAIS: starts with one value per column and repeatedly performs the best specialization that the models allow."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np

from shoal.algorithms.base import Algorithm
from shoal.arrays import Int64
from shoal.coded.counted import Coded
from shoal.coded.domains import RANGE
from shoal.coded.partition import Partition
from shoal.coded.recoding import Cuts, Recoding
from shoal.coded.record import SearchRecord, Specialized
from shoal.errors import CannotBeMet, PlanError
from shoal.models.base import ClassModel, Monotone
from shoal.progress import Progress, silent
from shoal.search.scores import Gain, Pairs, Score
from shoal.search.specialization import Specialization
from shoal.search.splits import Candidate, Node, Split, Verdict

GOALS = ("general", "classification")
SCORES = ("sparing", "weighted", "paper")
_TARGETS = ("ncp", "discernibility_ratio")
_PROGRESS_EVERY = 16


@dataclass(frozen=True)
class Pais(Algorithm):
    """Global recoding by specialization: a value is replaced by its children in every row, the best step first.

    The search ends when the models allow no single further step, so the result is maximal.
    `goal = "classification"` takes the step that reveals most about the target, in bits. `goal = "general"` takes the
    step that makes most pairs of rows distinguishable, and so lowers discernibility most.
    `score = "weighted"` counts the gain over all rows, without what the sensitive columns reveal already. A step that
    is not allowed waits until no other step is left, so that a lesser step does not use up the privacy that other
    columns need. Then a range of numbers is cut at the best position that is allowed. A column that is still `*` shows
    as many of its most frequent values as the models allow; the rarer ones stay together under `*`.
    `score = "sparing"` does the same, but multiplies the score by the share of the privacy margin that remains after
    the step. `score = "paper"` takes the mean gain of the affected rows, and discards a step that is not allowed.
    `stop_at` ends the search early: after a number of steps, or as soon as a measure is reached, `{ ncp = 0.3 }` or
    `{ discernibility_ratio = 0.1 }`.
    Of equal scores, the first column in the table is taken, then the lower value, then the lower cut.
    The matching rows of a combination are a union of classes, and merged sets of matching rows pass if each set does: a
    step that is not allowed once is never allowed again. This requires models that are UPWARD or UNION.
    Paper: Mohammed, Fung, Hung, Lee, Anonymizing healthcare data, KDD 2009.
    """

    goal: str = "general"
    """What a step is worth: the rows that it distinguishes, or what it reveals about the target. Allowed: `"general"`,
    `"classification"`."""
    score: str = "sparing"
    """How steps are ranked; see [wide tables](../guide/wide-tables.md#how-it-works). Allowed: `"sparing"`,
    `"weighted"`, `"paper"`."""
    stop_at: int | Mapping[str, float] | None = None
    """Ends the search early: after a number of steps, or as soon as a measure is reached. Allowed: whole numbers from
    0; `{ ncp = … }` or `{ discernibility_ratio = … }` with a number from 0 to 1."""

    kind: ClassVar[str] = "pais"
    forms: ClassVar[tuple[str, ...]] = ("generalized",)
    recoding: ClassVar[type[Recoding]] = Cuts
    judges_tables: ClassVar[bool] = True
    specializes: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.goal not in GOALS:
            raise PlanError(f"Pais goal must be one of {', '.join(GOALS)}; got {self.goal!r}.")
        if self.score not in SCORES:
            raise PlanError(f"Pais score must be one of {', '.join(SCORES)}; got {self.score!r}.")
        _check_stop(self.stop_at)

    @property
    def recodes_globally(self) -> bool:
        return True

    @property
    def weighs(self) -> bool:
        return False

    @property
    def wants_target(self) -> bool:
        return self.goal == "classification"

    def refuses(self, models: Sequence[ClassModel], suppression: float, persons: bool = False) -> str:
        for model in models:
            if model.monotone is Monotone.NONE:
                return (
                    f"Algorithm 'pais' needs models that still hold when classes are merged, but '{model.kind}' may "
                    "not. Hint: use 'mondrian' or 'optimal'."
                )
            if not model.monotone.merges(persons):
                return (
                    f"Algorithm 'pais' cannot count persons for '{model.kind}': a person with rows in two classes is "
                    "one person in their union, so the shares of persons in classes do not bound that in their union. "
                    "Hint: use 'optimal', or keep one row per person."
                )
        return ""

    def partition(
        self, coded: Coded, models: Sequence[ClassModel], suppression: float, seed: int, progress: Progress
    ) -> Partition:
        """A class for every row; no row is suppressed."""
        if reason := self.refuses(models, suppression, coded.counts_persons):
            raise PlanError(reason)
        state = Specialization(coded, models)
        search = _Search(state, self, progress)
        search.run()
        record = SearchRecord(steps=search.record())
        return Partition.of_rows(
            state.class_of_rows(), state.classes, coded.counted.weight, Cuts(state.recoded()), record
        )

    def replayed(self, coded: Coded, models: Sequence[ClassModel]) -> tuple[Specialized, ...] | None:
        """The steps until nothing is left to specialize, or until the models allow no further step."""
        return replace(self, stop_at=None).partition(coded, models, 0.0, 0, silent).record.steps


def _check_stop(stop_at: object) -> None:
    """Raises PlanError unless `stop_at` is None, a number of steps, or a table with one measure."""
    if stop_at is None or (isinstance(stop_at, int) and not isinstance(stop_at, bool) and stop_at >= 0):
        return
    is_measure = isinstance(stop_at, Mapping) and len(stop_at) == 1 and next(iter(stop_at)) in _TARGETS
    if not is_measure or not all(isinstance(v, int | float) and 0 <= v <= 1 for v in cast(Any, stop_at).values()):
        raise PlanError(
            f"Pais stop_at must be a number of steps, or a table with one of {', '.join(_TARGETS)} from 0 to 1; "
            f"got {stop_at!r}."
        )


@dataclass
class _Step:
    """One step, and the state of the table afterwards."""

    node: Node
    edges: Int64
    score: float
    classes: int
    smallest_class: int
    discernibility_ratio: float
    ncp: float
    support: int | None
    confidence: float | None


@dataclass
class _Search:
    """The candidates in descending order of score, and the steps so far."""

    state: Specialization
    settings: Pais
    progress: Progress
    steps: list[_Step] = field(default_factory=list)
    heap: list[tuple[float, int, int, int, Candidate]] = field(default_factory=list)
    offers: int = 0
    spared: dict[tuple[int, int], Candidate] = field(default_factory=dict)
    """Candidates in the heap with less than their score, because of the privacy margin that they would use up."""
    waiting: list[Candidate] = field(default_factory=list)
    settling: bool = False
    """Whether only candidates that waited are left: then the best cut that is allowed is good enough."""

    @cached_property
    def scoring(self) -> Score:
        """The score that the goal and the settings select."""
        if self.settings.goal == "general":
            return Pairs(self.state)
        return Gain(self.state, besides=self.settings.score != "paper")

    def run(self) -> None:
        """Performs steps until none is left, or until the search should stop."""
        self._specialize_to_coarsest()
        for cut in self.state.cut:
            for node in tuple(cut):
                self._consider(node)
        turn = 0
        while self._any_left() and not self._enough():
            if turn % _PROGRESS_EVERY == 0:
                self.progress("search", 1 - self.state.ncp)
            turn += 1
            *_, offer, candidate = heapq.heappop(self.heap)
            if offer != candidate.offer:
                continue  # a later offer replaces it
            if not self.scoring.lasting and candidate.scored < len(self.steps):
                self._score(candidate)
                self._offer(candidate)
                continue
            self._try(candidate)

    def _specialize_to_coarsest(self) -> None:
        """Performs the steps without which a column would be published above its coarsest level.

        If the models forbid one of them, they forbid every table below it as well.
        """
        for column, domain in enumerate(self.state.coded.quasi):
            while node := next((n for n in self._shown(column) if domain.too_coarse(n.low, n.high)), None):
                split = self.state.split(node, self.state.edges(node))
                verdict = self.state.judge(split)
                if not verdict.allowed:
                    raise CannotBeMet(
                        f"The models do not allow column '{domain.name}' at its coarsest level.",
                        hint="raise coarsest, or relax the models.",
                    )
                score = self.scoring.parts(node, split.edges)
                self.state.perform(split, verdict.seen)
                self._note(split, score)

    def _shown(self, column: int) -> list[Node]:
        """The nodes of a column that some row shows."""
        return [node for node in self.state.cut[column] if not self.state.coded.lacks(column, node.low, node.high)]

    def _any_left(self) -> bool:
        """Whether a candidate is left; when only refused ones are, they are settled."""
        if not self.heap and self.waiting:
            self.settling = True
            for candidate in self.waiting:
                self._settle(candidate)
            self.waiting.clear()
        return bool(self.heap)

    def _enough(self) -> bool:
        """Whether `stop_at` is reached."""
        stop_at = self.settings.stop_at
        if stop_at is None:
            return False
        if isinstance(stop_at, int):
            return len(self.steps) >= stop_at
        name, value = next(iter(stop_at.items()))
        return bool(getattr(self.state, name) <= value)

    def _consider(self, node: Node, parent: Candidate | None = None) -> None:
        """Makes a node a candidate, unless it is a single value or no row has one of its values.

        What is closed in a range is closed in its parts, because merged sets of matching rows pass if each set does.
        """
        if node.codes == 1 or self.state.coded.lacks(node.column, node.low, node.high):
            return
        candidate = Candidate(
            node, self.state.edges(node), cuttable=self.state.coded.quasi[node.column].published == RANGE
        )
        if candidate.cuttable:
            candidate.closed = np.zeros(node.codes - 1, np.bool_)
            if parent is not None and parent.closed is not None:
                candidate.closed |= parent.closed[node.low - parent.node.low : node.high - parent.node.low]
        self._score(candidate)
        self._offer(candidate)

    def _score(self, candidate: Candidate) -> None:
        """Computes the score of a candidate."""
        candidate.scored = len(self.steps)
        if candidate.cuttable:
            candidate.scores = self.scoring.cuts(candidate.node)
            self._choose_cut(candidate)
        else:
            candidate.score = self.scoring.parts(candidate.node, candidate.edges)

    def _choose_cut(self, candidate: Candidate) -> None:
        """Sets the candidate to its best open cut; without one, it has no inner edge."""
        from shoal.kernels.specializing import best_open

        assert candidate.scores is not None and candidate.closed is not None
        at = int(best_open(candidate.scores, candidate.closed))
        inner = [] if at < 0 else [candidate.node.low + at + 1]
        if inner != candidate.edges[1:-1].tolist():
            candidate.edges = np.array([candidate.node.low, *inner, candidate.node.high + 1], np.int64)
            candidate.seen = None
        candidate.score = float(candidate.scores[at]) if at >= 0 else 0.0

    def _offer(self, candidate: Candidate) -> None:
        """Adds a candidate to the heap, with its score or the share of it that counts."""
        self.offers += 1
        candidate.offer = self.offers
        if len(candidate.edges) > 2:
            share = 1.0 if candidate.seen is None else self.state.privacy_left(candidate.seen)
            place = (-candidate.score * share, candidate.node.column, candidate.node.low, candidate.offer)
            heapq.heappush(self.heap, (*place, candidate))

    def _try(self, candidate: Candidate) -> None:
        """Performs the best candidate if every model allows it; otherwise it never returns unchanged."""
        if candidate.judged is not None:
            self._perform(candidate, *candidate.judged)
            return
        split = self.state.split(candidate.node, candidate.edges)
        verdict = self.state.judge(split)
        if not verdict.allowed:
            self._refuse(candidate, verdict)
        elif self.settings.score == "sparing" and self.state.has_privacy_to_spend:
            # The margin that it uses up lowers its score, so others may now be better.
            candidate.seen, candidate.judged = verdict.seen, (split, verdict)
            self.spared[candidate.node.column, candidate.node.low] = candidate
            self._offer(candidate)
        else:
            self._perform(candidate, split, verdict)

    def _perform(self, candidate: Candidate, split: Split, verdict: Verdict) -> None:
        """Performs a step, updates the offers of other candidates, and considers the new nodes."""
        before = [watched.seen for watched in self.state.watched]
        nodes = self.state.perform(split, verdict.seen)
        self._note(split, candidate.score)
        self.spared.pop((candidate.node.column, candidate.node.low), None)
        spent = before != [watched.seen for watched in self.state.watched]
        for other in self.spared.values():
            other.judged = None
            if spent:  # otherwise its score is unchanged
                self._offer(other)
        for node in nodes:
            self._consider(node, candidate)

    def _refuse(self, candidate: Candidate, verdict: Verdict) -> None:
        """Discards a candidate, or lets it wait for settling."""
        self.spared.pop((candidate.node.column, candidate.node.low), None)
        candidate.seen = None
        if self.settings.score == "paper" or not (candidate.cuttable or self._is_whole(candidate.node)):
            return
        if candidate.closed is not None:
            candidate.closed[int(candidate.edges[1]) - candidate.node.low - 1] = True
        if not self.settling:
            self.waiting.append(candidate)
            return
        if candidate.closed is not None:
            self.state.close_cuts(candidate.node, candidate.closed, verdict)
        self._settle(candidate)

    def _settle(self, candidate: Candidate) -> None:
        """Offers a refused candidate again.

        A range of numbers gets its best cut that is not closed. A column that is still `*` shows fewer of its values.
        """
        if not candidate.cuttable:
            candidate.edges = self._fewer_parts(candidate)
        if candidate.cuttable and self.scoring.lasting:
            self._choose_cut(candidate)
        elif candidate.cuttable or len(candidate.edges) > 2:
            self._score(candidate)
        self._offer(candidate)

    def _fewer_parts(self, candidate: Candidate) -> Int64:
        """The most parts that may be shown now, the first and most frequent ones; all others stay together.

        If some parts may be shown, so may fewer, because merged sets of matching rows pass if each set does.
        """
        allowed, too_many = 0, len(candidate.edges) - 2
        while too_many - allowed > 1:
            tried = (allowed + too_many) // 2
            split = self.state.split(candidate.node, _first(candidate.edges, tried))
            allowed, too_many = (tried, too_many) if self.state.judge(split).allowed else (allowed, tried)
        return _first(candidate.edges, allowed)

    def _is_whole(self, node: Node) -> bool:
        """Whether the column is still `*`."""
        return len(self.state.cut[node.column]) == 1

    def _note(self, split: Split, score: float) -> None:
        """Records a step, and the state of the table."""
        all_seen = [watched.seen for watched in self.state.watched]
        confidences = [watched.seen.confidence for watched in self.state.watched if watched.values]
        self.steps.append(
            _Step(
                split.node,
                split.edges,
                score,
                self.state.classes,
                self.state.smallest_class,
                self.state.discernibility_ratio,
                self.state.ncp,
                min((seen.support for seen in all_seen), default=None),
                max(confidences, default=None),
            )
        )

    def record(self) -> tuple[Specialized, ...]:
        """The steps in a form that may be published.

        A node is recorded by the positions of its first and last released value in the column's order, so that the
        record names nothing that the release does not contain.
        """
        places = [np.array(sorted(node.low for node in cut)) for cut in self.state.cut]
        return tuple(self._recorded(step, places[step.node.column]) for step in self.steps)

    def _recorded(self, step: _Step, lows: Int64) -> Specialized:
        return Specialized(
            column=self.state.coded.names[step.node.column],
            parts=tuple(int(edge) for edge in np.searchsorted(lows, step.edges)),
            score=step.score,
            classes=step.classes,
            smallest_class=step.smallest_class,
            discernibility_ratio=step.discernibility_ratio,
            ncp=step.ncp,
            support=step.support,
            confidence=step.confidence,
        )


def _first(edges: Int64, parts: int) -> Int64:
    """The edges of the first `parts` parts, and of all others as one part."""
    return np.append(edges[: parts + 1], edges[-1])
