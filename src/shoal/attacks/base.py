"""The interface of an attack: it measures what an intruder with given knowledge learns from a release."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from shoal.attacks.target import Target
from shoal.plan import Plan
from shoal.progress import Progress, silent
from shoal.table import Runs

_NORMAL_95 = 1.959963984540054
_TOLERANCE = 1e-12
"""A success that exceeds its bound by no more than this equals it."""


@dataclass(frozen=True)
class Exposed:
    """The number of classes in which an attack exposes an individual, and the number of their rows."""

    classes: int
    classes_exposed: int
    rows: int
    rows_exposed: int


@dataclass(frozen=True)
class Outcome:
    """The result of an attack on a table.

    `knows`: what the intruder is assumed to know. `column`: the sensitive column attacked, if any. `tried`: the number
    of individuals attacked, a sample of all if `sampled`. `success`: a share, or the confidence of the intruder, as
    `measured` says; `case` tells it apart from other outcomes of the same attack and column, in a few words. `low` and
    `high` are its 95 % confidence interval, equal to it for a maximum over all rows.
    `baseline`: the success of the same attack without the release's classes. `bound`: the success that the models of
    the plan allow, None if they promise nothing about it.
    """

    kind: str
    knows: str
    column: str | None
    tried: int
    success: float
    low: float
    high: float
    baseline: float
    bound: float | None
    measured: str
    sampled: bool = False
    case: str = ""

    @property
    def holds(self) -> bool:
        """Whether the attack stays within its bound.

        Of a sample, only the lower end of the interval shows that the attack does better.
        """
        return self.bound is None or (self.low if self.sampled else self.success) <= self.bound + _TOLERANCE

    def to_json(self) -> dict[str, Any]:
        """The outcome as JSON lists it. It holds no value of the data."""
        return {
            "kind": self.kind,
            "column": self.column,
            "case": self.case,
            "success": self.success,
            "low": self.low,
            "high": self.high,
            "baseline": self.baseline,
            "bound": self.bound,
            "holds": self.holds,
            "tried": self.tried,
            "knows": self.knows,
            "measured": self.measured,
        }


class Attack(Protocol):
    """A way to learn what a release should hide about an individual.

    Implementations are frozen dataclasses whose fields all have defaults. They look at released rows, grouped by their
    labels, and use neither verification nor the models' own judgement of a class.
    """

    kind: ClassVar[str]
    about: ClassVar[str]
    against: ClassVar[str]
    """The kind of model that prevents the attack; empty if no model does."""
    knows: ClassVar[str]
    """What the intruder is assumed to know, in one sentence."""
    published: ClassVar[bool] = False
    """Whether the manifest states what the attack finds in the published tables alone."""

    def applies(self, target: Target) -> str:
        """Why the attack cannot be tried on the target; empty if it can."""
        ...

    def attack(self, target: Target, progress: Progress = silent) -> tuple[Outcome, ...]:
        """Attacks the individuals of the target, or a sample of them."""
        ...

    @staticmethod
    def found_in(tables: Mapping[str, Runs], plan: Plan) -> tuple[str, ...]:
        """The results on tables to be published, in sentences; empty if the attack does not apply."""
        return ()

    @staticmethod
    def shown_on(folder: Path) -> tuple[str, ...]:
        """The results on a published release, in sentences; empty if the attack does not apply."""
        return ()


def of_share(
    attack: Attack,
    successes: float,
    tried: int,
    *,
    baseline: float,
    bound: float | None,
    measured: str,
    column: str | None = None,
    knows: str = "",
    sampled: bool = False,
    case: str = "",
) -> Outcome:
    """The outcome of an attack that succeeds with a share of the individuals, or is expected to."""
    success = successes / tried if tried else 0.0
    low, high = wilson(successes, tried)
    knows = knows or attack.knows
    return Outcome(attack.kind, knows, column, tried, success, low, high, baseline, bound, measured, sampled, case)


def of_maximum(
    attack: Attack,
    success: float,
    tried: int,
    *,
    baseline: float,
    bound: float | None,
    measured: str,
    column: str | None = None,
    knows: str = "",
    sampled: bool = False,
    case: str = "",
) -> Outcome:
    """The outcome of an attack whose success is the largest figure over all individuals that were tried."""
    knows = knows or attack.knows
    return Outcome(
        attack.kind, knows, column, tried, success, success, success, baseline, bound, measured, sampled, case
    )


def wilson(successes: float, tried: int) -> tuple[float, float]:
    """The 95 % confidence interval of a share, by Wilson's score.

    `successes` may be an expected number: chances of several individuals vary less than as many tosses of a coin, so
    that the interval is then wider than necessary.

    >>> low, high = wilson(5, 10)
    >>> round(low, 3), round(high, 3)
    (0.237, 0.763)
    """
    if tried == 0:
        return 0.0, 1.0
    share, z = successes / tried, _NORMAL_95
    scale = 1 + z * z / tried
    centre = (share + z * z / (2 * tried)) / scale
    width = z * math.sqrt(share * (1 - share) / tried + z * z / (4 * tried * tried)) / scale
    return min(max(centre - width, 0.0), share), max(min(centre + width, 1.0), share)
