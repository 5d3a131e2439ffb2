"""Suggesting a plan: variants of a plan are released in memory, and the best one within the thresholds is proposed.

The given plan fixes columns, roles and the least promises. Models are never weakened: a variant may ask for larger
classes, not for smaller ones. Algorithms, their parameters, suppression within the limit, weights, and the levels and
the number of columns vary. The result depends on the table, the plan, the seed and the number of plans alone.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from shoal import table
from shoal.algorithms import Optimal
from shoal.errors import PlanError, ShoalError
from shoal.evaluate.at_once import checked_workers
from shoal.evaluate.candidates import Setting, needed_floor
from shoal.evaluate.searching import Case, Room, Search
from shoal.evaluate.utility import USES, loss_for, require_use
from shoal.hierarchies import Prefix
from shoal.pipeline import encoded, load_kernels
from shoal.plan import Plan, RiskSettings
from shoal.progress import Progress, silent
from shoal.report.suggestion import Suggestion
from shoal.risks.measuring import Settings
from shoal.search.lattice import Lattice
from shoal.search.listing import LISTED_AT_MOST

BUDGET = 100
"""The number of plans that are tried."""
SAMPLED_ABOVE = 50_000
"""Larger tables are searched by a sample first."""
SAMPLE = 20_000
_FINALISTS = 6
"""The plans of a search by a sample that are released with the whole table."""
_FOR_FINALISTS = 15
"""The plans that are tried with the whole table: the finalists, and those with larger or smaller classes."""


def suggest(
    frame: Any,
    plan: Plan,
    *,
    risk: RiskSettings | Mapping[str, float] | None = None,
    use: str = "general",
    suppression: float | None = None,
    reference: Any = None,
    sampling_fraction: float | None = None,
    budget: int = BUDGET,
    seconds: float | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress = silent,
) -> Suggestion:
    """Variants of a plan, and the one with the best utility that meets its models and the thresholds of risk.

    `risk`: thresholds besides those of the plan, which they replace by name. `use`: "general", "classification" or
    "counts". `suppression`: the largest share of rows that may be suppressed, by default that of the plan. `reference`
    and `sampling_fraction` are those of `shoal.risk`. `budget`: the number of plans that are tried. After `seconds`, no
    further round begins; only then, the result depends on the machine. Nothing is written. An exception from
    `progress` cancels the search. `suggestion.plan` is the proposed plan.
    """
    require_use(use)
    given, _ = table.to_polars(frame)
    plan = _with_thresholds(plan.for_table(given.columns), risk)
    room = Room(_positive(budget), _until(seconds))
    checked_workers(workers)
    known = None if reference is None else table.to_polars(reference)[0]
    settings = Settings(known, sampling_fraction, attacks=False, seed=seed)
    progress("encode", 0.0)
    load_kernels()
    setting = _setting(given, plan, use, _limit(plan, suppression))

    def case(rows: pl.DataFrame) -> Case:
        sampled = None if rows is given else rows.height
        return Case(rows, plan, loss_for(use, rows, plan, seed), settings, sampled, workers)

    if given.height <= SAMPLED_ABOVE:
        search = Search(case(given), setting, room, lambda share: progress("suggest", share))
        search.run()
        tried, refused = search.tried, search.refused
    else:
        ranking = room.less(_FOR_FINALISTS)
        part = ranking.plans / budget
        first = Search(case(_sample(given, seed)), setting, ranking, lambda share: progress("suggest", part * share))
        first.run()
        rest = room.of(_FOR_FINALISTS)
        final = Search(case(given), setting, rest, lambda share: progress("suggest", part + (1 - part) * share))
        final.finish(first.finalists(_FINALISTS))
        tried, refused = [*final.tried, *first.tried], first.refused
    notes = [*_about_search(given, room, seconds), *_about_refused(refused)]
    return Suggestion(use, USES[use], plan.risk.given, tuple(tried), tuple(notes))


def _sample(frame: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Random rows, in the order of the table."""
    rows = np.random.default_rng(seed).choice(frame.height, SAMPLE, replace=False)
    return frame[np.sort(rows)]


def _with_thresholds(plan: Plan, risk: RiskSettings | Mapping[str, float] | None) -> Plan:
    """The plan with further thresholds; raises PlanError if there is no such threshold, or if it is no share."""
    if risk is None:
        return plan
    named = risk.given if isinstance(risk, RiskSettings) else dict(risk)
    shares = {name: _share(name, value) if name != "k_map" else value for name, value in named.items()}
    return plan.changed(risk=RiskSettings(**{**plan.risk.model_dump(exclude_none=True), **shares}))


def _share(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PlanError(f"The threshold '{name}' is not a number.", allowed="A share from 0 to 1.")
    return float(value)


def _positive(budget: int) -> int:
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise ShoalError("The budget is not valid.", allowed="A number of plans, from 1.", hint=f"try {BUDGET}.")
    return budget


def _until(seconds: float | None) -> float | None:
    """When the last round may begin; None if there is no limit."""
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
        raise ShoalError("The number of seconds is not valid.", allowed="A number from 0.", hint="try 60.")
    return time.monotonic() + seconds


def _limit(plan: Plan, suppression: float | None) -> float:
    if suppression is None:
        return plan.release.suppression
    return plan.changed(release=plan.release.model_copy(update={"suppression": float(suppression)})).release.suppression


def _setting(frame: pl.DataFrame, plan: Plan, use: str, suppression: float) -> Setting:
    """The limits of the search; raises if the table does not fit the plan, or if nothing can be generalized."""
    if not plan.quasi_identifiers:
        raise PlanError(
            "The plan has no quasi-identifier, so there is nothing to vary.",
            hint='give the columns that others may know role = "quasi-identifier".',
        )
    try:
        levels = plan.changed(algorithm=Optimal(), release=plan.release.model_copy(update={"suppression": suppression}))
    except PlanError:  # models or form that no search of levels supports
        levels = None
    coded = encoded(frame, levels or plan).coded
    fits = levels is not None and Lattice(coded, levels.searched, suppression).size <= LISTED_AT_MOST
    heights = {
        domain.name: domain.hierarchy.height + domain.finest
        for domain in coded.quasi
        if domain.hierarchy is not None and not domain.learned and _has_fixed_levels(domain.settings.hierarchy)
    }
    k = needed_floor(plan, plan.risk.given)
    return Setting(plan, use, k, suppression, heights, by_level=fits)


def _has_fixed_levels(spec: Any) -> bool:
    return spec is not None and not (isinstance(spec, Prefix) and spec.steps is None)


def _about_search(frame: pl.DataFrame, room: Room, seconds: float | None) -> list[str]:
    notes = []
    if frame.height > SAMPLED_ABOVE:
        notes.append(
            f"Plans were ranked by a sample of {SAMPLE:,} rows. The figures of the proposed plan are those of all rows."
        )
    if seconds is not None and room.late:
        notes.append(f"The search ended after {seconds:g} seconds, so another run may try other plans.")
    return notes


def _about_refused(refused: Sequence[str]) -> list[str]:
    """Which algorithms cannot be used with this plan."""
    return [f"Not tried: {', '.join(refused)}, which cannot be combined with this plan."] if refused else []
