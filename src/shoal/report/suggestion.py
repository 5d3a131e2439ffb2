"""A suggestion: the plans that were tried, which of them meet the thresholds, the proposed one, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from shoal import markup
from shoal.counts import counted
from shoal.errors import CannotBeMet
from shoal.percent import percent
from shoal.plan import Plan
from shoal.report.comparison import SEVERAL, Compared, as_text
from shoal.report.scatter import Point, scatter
from shoal.risks.measuring import Exceeded

PRIVATE = (
    "The figures, and the choice among plans, depend on the input: they are private, and none of them is published."
)
ONE_PLAN = f"Publish the release of one plan only: {SEVERAL}"
_MARKS = "Filled: not dominated. Orange ring: exceeds a threshold. Grey ring: another plan is better."
_LIMIT = "Dotted: accepted average."
PROMISE = "The models and the thresholds are the promise. The average risk only tells plans apart that meet both."


@dataclass(frozen=True)
class Tried:
    """A plan that was tried.

    `release`: its figures, None if it could not be met, for the `reason`. `loss`: what its release loses for the use.
    `lost`: the information loss by column. `exceeded`: the thresholds that it exceeds. `sampled`: the number of rows
    of the sample that was released, None for the whole table.
    """

    name: str
    plan: Plan
    release: Compared | None = None
    loss: float | None = None
    lost: Mapping[str, float] = field(default_factory=dict)
    exceeded: tuple[Exceeded, ...] = ()
    reason: str = ""
    sampled: int | None = None

    @property
    def meets(self) -> bool:
        """Whether its release keeps every promise and exceeds no threshold."""
        return self.release is not None and not self.exceeded

    @property
    def excess(self) -> float:
        """How many times larger than a threshold a figure is, at most; 1 if none is exceeded."""
        return max((_times(each) for each in self.exceeded), default=1.0)

    @property
    def risk(self) -> float:
        """The average risk of the release; 1 without one."""
        return 1.0 if self.release is None else self.release.average_risk

    @property
    def rank(self) -> tuple[bool, float, float]:
        """The order of plans on the same rows: those that meet the thresholds first, then by loss, then by risk."""
        return not self.meets, math.inf if self.loss is None else self.loss, self.risk

    def beats(self, other: Tried) -> bool:
        """Whether it risks and loses no more than another one, and less of at least one of both."""
        if self.loss is None or other.loss is None or self.sampled != other.sampled:
            return False
        mine, theirs = (self.risk, self.loss), (other.risk, other.loss)
        return all(one <= two for one, two in zip(mine, theirs, strict=True)) and mine != theirs


def _times(exceeded: Exceeded) -> float:
    """How many times a figure is larger than its threshold, or smaller if it must be at least that."""
    small, large = sorted((exceeded.accepted, float(exceeded.measured)))
    return large / small if small > 0 else math.inf


@dataclass(frozen=True)
class Suggestion:
    """The plan with the least loss for a use among those that meet models and thresholds, and all that were tried.

    `measured`: the figure that is least. `thresholds`: the largest accepted figures of risk. `notes`: what must be
    known about the search.
    """

    use: str
    measured: str
    thresholds: Mapping[str, float]
    tried: tuple[Tried, ...]
    notes: tuple[str, ...] = ()

    @property
    def complete(self) -> tuple[Tried, ...]:
        """The plans that were released with the whole table."""
        return tuple(each for each in self.tried if each.release is not None and each.sampled is None)

    @property
    def proposed(self) -> Tried | None:
        """The plan with the least loss that meets the thresholds; None if no plan does. Of equals, the first one."""
        meeting = [each for each in self.complete if each.meets]
        return min(meeting, key=lambda each: each.rank, default=None)

    @property
    def closest(self) -> Tried | None:
        """The plan that exceeds the thresholds least; None if no plan has a release."""
        return min(self.complete, key=lambda each: (each.excess, each.rank), default=None)

    @property
    def front(self) -> tuple[Tried, ...]:
        """The plans that no other dominates in average risk and loss, the one with the least loss first."""
        kept = [each for each in self.complete if not any(other.beats(each) for other in self.complete)]
        return tuple(sorted(kept, key=lambda each: (each.loss, each.risk)))

    @property
    def plan(self) -> Plan:
        """The proposed plan; raises CannotBeMet, with what is closest, if no plan meets models and thresholds."""
        if self.proposed is None:
            raise self._failure()
        return self.proposed.plan

    def _failure(self) -> CannotBeMet:
        """Why no plan is proposed, with what is closest."""
        closest = self.closest
        if closest is None:
            return CannotBeMet(
                f"{self._none('can be met', 'cannot be met')}.",
                allowed=self.tried[0].reason,
                hint="relax the models, allow suppression, or drop a quasi-identifier.",
            )
        return CannotBeMet(
            f"{self._none('meets the thresholds', 'does not meet the thresholds')}.",
            allowed=f"Closest is {closest.name}: {_missed(closest)}.",
            hint="accept a larger risk, allow suppression with --suppression, or drop a quasi-identifier.",
        )

    def _none(self, of_several: str, of_one: str) -> str:
        """That no plan is or does something, in words that agree with their number."""
        plans = len(self.tried)
        return (
            f"The plan that was tried {of_one}"
            if plans == 1
            else f"None of the {plans} plans that were tried {of_several}"
        )

    def to_json(self) -> dict[str, Any]:
        """The suggestion as JSON values."""
        proposed, front = self.proposed, {each.name for each in self.front}
        return {
            "use": self.use,
            "measured": self.measured,
            "thresholds": dict(self.thresholds),
            "proposed": None if proposed is None else proposed.name,
            "plan": None if proposed is None else proposed.plan.to_toml(),
            "tried": [_as_dict(each) for each in self.tried],
            "front": [each.name for each in self.tried if each.sampled is None and each.name in front],
            "sentences": self.sentences(),
        }

    @property
    def head(self) -> tuple[str, ...]:
        """The headers of the table."""
        ncp = () if self.use == "general" else ("NCP",)
        return "plan", self.measured, "highest risk", "average risk", *ncp, "suppressed", "classes", ""

    def table(self) -> list[tuple[str, ...]]:
        """The rows of the table below `head`: the best plan first, then those that exceed a threshold or failed."""
        whole = sorted(self.tried, key=lambda each: (each.sampled is not None, each.rank))
        return [self._row(each) for each in whole]

    def _row(self, tried: Tried) -> tuple[str, ...]:
        release = tried.release
        width = len(self.head) - 2
        if release is None or tried.loss is None:
            return tried.name, *("–" for _ in range(width)), f"cannot be met: {tried.reason}"
        ncp = () if self.use == "general" else (percent(release.ncp),)
        risks = (percent(release.highest_risk), percent(release.average_risk))
        rest = (percent(release.suppressed), f"{release.classes:,}")
        return tried.name, percent(tried.loss), *risks, *ncp, *rest, self._remark(tried)

    def _remark(self, tried: Tried) -> str:
        parts = [f"on a sample of {tried.sampled:,} rows"] if tried.sampled is not None else []
        if tried is self.proposed:
            parts.append("proposed")
        elif tried.exceeded:
            parts.append(f"exceeds {', '.join(each.threshold for each in tried.exceeded)}")
        elif tried.sampled is None and any(tried is each for each in self.front):
            parts.append("on the front")
        return "; ".join(parts)

    def sentences(self) -> list[str]:
        """What was tried, what is proposed and why, or why nothing is, and what must be known."""
        return [self._tried(), *self._reason(), *self._why(), *self._notes()]

    def without_reason(self) -> list[str]:
        """The same without why nothing is proposed, for whoever is told by the error of `plan`."""
        return [self._tried(), *self._why(), *self._notes()]

    def _notes(self) -> list[str]:
        """What must be known before a plan is used."""
        return [*self.notes, PROMISE, PRIVATE, *([ONE_PLAN] if self.proposed is not None else [])]

    def _reason(self) -> list[str]:
        """Why nothing is proposed; empty if a plan is."""
        return [] if self.proposed is not None else [str(self._failure())]

    def _tried(self) -> str:
        """How many plans were tried, and how many of them meet models and thresholds."""
        limits = ", ".join(f"{name} {_figure(name, value)}" for name, value in self.thresholds.items())
        what = f"the models and the thresholds ({limits})" if limits else "the models; no threshold is set"
        plans, meeting = len(self.tried), sum(each.meets for each in self.complete)
        if plans == 1:
            return f"1 plan was tried; it {'meets' if meeting else 'does not meet'} {what}."
        return f"{plans:,} plans were tried; {counted(meeting, 'of them meets', 'of them meet')} {what}."

    def _why(self) -> list[str]:
        """What is proposed, and why; empty if nothing is."""
        if (proposed := self.proposed) is None:
            return []
        why = f"Proposed: {proposed.name}. Of the plans that meet them, it has the least {self.measured}"
        lines = [f"{why}: {percent(_loss(proposed))}, at {_risks(proposed)}."]
        first = self.tried[0]
        if first.release is not None and first.sampled is None and first is not proposed:
            lines.append(_against(first, self.measured))
        if cheaper := self._cheaper(proposed):
            lines.append(cheaper)
        return lines

    def _cheaper(self, proposed: Tried) -> str:
        """The plan that would lose less, and why it is not proposed; empty if there is none."""
        less = [each for each in self.complete if each.exceeded and _loss(each) < _loss(proposed)]
        if not less:
            return ""
        best = min(less, key=lambda each: (each.loss, each.risk))
        return f"{best.name} would lose less ({percent(_loss(best))}), but {_missed(best)}."

    def svg(self) -> str:
        """A drawing of risk against loss, in which dominated plans are grey. It is private."""
        front = {id(each) for each in self.front}
        points = [
            Point(self._label(each), _loss(each), each.risk, id(each) in front, self._tip(each), bool(each.exceeded))
            for each in self.complete
        ]
        titles = (self.measured, "average risk of re-identification")
        words, accepted = " ".join([self._tried(), *self._reason(), *self._why()]), self.thresholds.get("average")
        note = _MARKS if accepted is None else f"{_MARKS} {_LIMIT}"
        return scatter(f"Risk against {self.measured}", points, *titles, label=words, note=note, limit=accepted)

    def _label(self, tried: Tried) -> str:
        """Only two names: dozens would cover each other. The others are shown where the pointer is."""
        return "proposed" if tried is self.proposed else "given plan" if tried is self.tried[0] else ""

    def _tip(self, tried: Tried) -> str:
        remark = self._remark(tried)
        figures = f"{tried.name}: risk {percent(tried.risk)}, {self.measured} {percent(_loss(tried))}"
        return f"{figures}; {remark}" if remark else figures

    def __str__(self) -> str:
        return as_text([self.head, *self.table()], self.sentences())

    def _repr_html_(self) -> str:
        table = markup.table(self.head, self.table(), numbers=self.head[1:-1])
        return markup.fragment(table, markup.paragraphs(self.sentences()), self.svg())


def _loss(tried: Tried) -> float:
    return 1.0 if tried.loss is None else tried.loss


def _risks(tried: Tried) -> str:
    assert tried.release is not None
    highest, average = percent(tried.release.highest_risk), percent(tried.release.average_risk)
    return f"a highest risk of {highest} and an average risk of {average}"


def _missed(tried: Tried) -> str:
    """The thresholds that a plan exceeds, in words."""
    figures = [(each.threshold, each.measured, each.accepted) for each in tried.exceeded]
    return " and ".join(
        f"'{name}' is {_figure(name, measured)} (accepted: {_figure(name, accepted)})"
        for name, measured, accepted in figures
    )


def _figure(threshold: str, value: float) -> str:
    """A threshold, or the figure that it bounds: a share, except the number of individuals of k-map."""
    return f"{value:,.4g}" if threshold == "k_map" else percent(value)


def _against(first: Tried, measured: str) -> str:
    """The given plan beside the proposed one."""
    missed = f", but {_missed(first)}" if first.exceeded else ""
    return f"The given plan ({first.plan.algorithm.kind}): {measured} {percent(_loss(first))}{missed}."


def _as_dict(tried: Tried) -> dict[str, Any]:
    release = tried.release
    figures = (
        {}
        if release is None
        else {
            "highest_risk": release.highest_risk,
            "average_risk": release.average_risk,
            "ncp": release.ncp,
            "suppressed": release.suppressed,
            "classes": release.classes,
            "models": [verdict.to_json() for verdict in release.models],
        }
    )
    return {
        "name": tried.name,
        "meets": tried.meets,
        "loss": tried.loss,
        "lost": dict(tried.lost),
        "exceeded": [asdict(each) for each in tried.exceeded],
        "reason": tried.reason or None,
        "sampled": tried.sampled,
        **figures,
    }
