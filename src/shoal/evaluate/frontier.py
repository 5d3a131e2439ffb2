"""The frontier of several plans: each is released in memory and verified, and those that no other dominates remain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from shoal import table
from shoal.errors import CannotBeMet, HierarchyError, PlanError, ShoalError, TableError
from shoal.evaluate.at_once import Advance, all_at_once
from shoal.evaluate.comparing import compared_as, counts_error
from shoal.pipeline import anonymize
from shoal.plan import Plan
from shoal.progress import Progress, silent
from shoal.release import Release
from shoal.report.comparison import Compared
from shoal.report.frontier import Frontier
from shoal.risks.measuring import Risk, Settings
from shoal.risks.releases import Source

_STEPS = {"encode": 0.0, "search": 0.05, "items": 0.6, "form": 0.7, "verify": 0.85}
"""The share of a release that is done when a step begins; about, and the same for all."""
_MEASURE = 0.9


def frontier(
    frame: Any,
    plans: Mapping[str, Plan] | Sequence[Plan],
    *,
    queries: bool = False,
    workers: int | None = None,
    progress: Progress = silent,
) -> Frontier:
    """The verified releases of several plans of one table, side by side; nothing is written.

    A mapping names its plans. Plans that cannot be met are listed with the reason. `queries` also measures the error of
    COUNT queries. Plans are tried at the same time, by as many `workers` as there are cores; the result does not depend
    on their number. An exception from `progress` cancels all of them.
    """
    given, _ = table.to_polars(frame)
    named = _named(plans)

    def work(name: str, advance: Advance) -> Compared | str:
        try:
            release, risk = released(given, named[name], Settings(attacks=False), advance)
        except (CannotBeMet, PlanError, TableError, HierarchyError) as refusal:
            return refusal.fact
        error = counts_error(given, release.draft.tables, release.plan) if queries else None
        return compared_as(name, release.plan, release.manifest, risk, error=error)

    found = all_at_once(list(named), work, lambda share: progress("frontier", share), workers=workers)
    tried = dict(zip(named, found, strict=True))
    return Frontier(
        releases=tuple(each for each in found if isinstance(each, Compared)),
        plans=named,
        unmet={name: reason for name, reason in tried.items() if isinstance(reason, str)},
    )


def released(frame: pl.DataFrame, plan: Plan, settings: Settings, advance: Advance) -> tuple[Release, Risk]:
    """The verified release of a plan, in memory, and its risk; raises CannotBeMet if there is none."""
    release = anonymize(frame, plan, progress=_steps(advance))
    advance(_MEASURE)
    draft = release.draft
    return release, Source(draft.tables, draft.plan, persons=draft.private.witness.persons).risk(settings)


def _steps(advance: Advance) -> Progress:
    """The progress of one release, out of that of its steps."""

    def report(step: str, share: float) -> None:
        begins = _STEPS.get(step, 0.0)
        ends = min((each for each in (*_STEPS.values(), _MEASURE) if each > begins), default=_MEASURE)
        advance(begins + (ends - begins) * share)

    return report


def _named(plans: Mapping[str, Plan] | Sequence[Plan]) -> dict[str, Plan]:
    named = dict(plans) if isinstance(plans, Mapping) else {f"plan {n + 1}": plan for n, plan in enumerate(plans)}
    wrong = [name for name, plan in named.items() if not isinstance(plan, Plan)]
    if not named or wrong:
        raise ShoalError(
            f"'{wrong[0]}' is not a plan." if wrong else "There are no plans to try.",
            allowed="One or more plans: a list, or a mapping of names to plans.",
            hint="shoal.read_plan reads a plan file.",
        )
    return named
