"""Figures of risk as lines of a view: what was measured, and beside it what the steward accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from shoal.counts import counted, some_of
from shoal.percent import percent
from shoal.plan import Plan
from shoal.regulation.base import Line

Figures = Mapping[str, Any]

_ON_SEVERAL_COLUMNS = ("elimination",)
"""Attacks that infer a value of any sensitive column, so that their outcome names none."""


class _Figure(NamedTuple):
    """A figure of `shoal risk`: its measure and name, the threshold for it, and how it is called."""

    measure: str
    name: str
    threshold: str
    what: str
    said: str


_RE_IDENTIFICATION = (
    _Figure(
        "prosecutor",
        "highest",
        "highest",
        "Highest risk",
        "an intruder who knows that an individual is in the table finds the row with a probability of up to {}",
    ),
    _Figure("prosecutor", "average", "average", "Average risk", "the same probability is {} on average"),
    _Figure(
        "journalist",
        "highest",
        "journalist",
        "Highest risk in the population",
        "an intruder who looks up a row in the reference table or the population finds the individual with a "
        "probability of up to {}",
    ),
    _Figure(
        "marketer", "success", "marketer", "Expected share", "an intruder who links all rows links {} of them correctly"
    ),
    _Figure(
        "population_uniques",
        "share",
        "population_uniques",
        "Population uniques",
        "an estimated {} of the population are unique",
    ),
)


def unique_rows(figures: Figures) -> Line:
    """The rows that no other row equals in all quasi-identifiers."""
    rows, uniques = int(figures.get("rows", 0)), int(figures.get("uniques", 0))
    share = uniques / rows if rows else 0.0
    units = ("individual", "individuals") if figures.get("individuals") else ("row", "rows")
    said = f"{uniques:,} of {counted(rows, *units)} ({percent(share)}) are unique on the quasi-identifiers"
    return _compared("Unique rows", said, share, "uniques", figures)


def re_identification(figures: Figures) -> tuple[Line, ...]:
    """One line for every figure of re-identification that was measured, with the threshold of the plan for it."""
    return tuple(
        _compared(figure.what, figure.said.format(percent(share)), share, figure.threshold, figures)
        for figure in _RE_IDENTIFICATION
        if (share := _measured(figures, figure)) is not None
    )


def _measured(figures: Figures, figure: _Figure) -> float | None:
    of_measure = figures.get(figure.measure)
    return of_measure.get(figure.name) if isinstance(of_measure, Mapping) else None


def _compared(what: str, said: str, share: float, threshold: str, figures: Figures) -> Line:
    accepted = (figures.get("thresholds") or {}).get(threshold)
    details: dict[str, Any] = {"measured": share, "accepted": accepted}
    if accepted is None:
        return Line(what, f"{said}. The plan states no threshold.", "", details)
    status = "exceeded" if share > accepted else "within"
    verb = "exceeds" if status == "exceeded" else "is within"
    return Line(what, f"{said}. This {verb} the threshold of the plan, {percent(accepted)}.", status, details)


def attacks(figures: Figures, *, on_values: bool) -> tuple[Line, ...]:
    """The attacks on sensitive values, or those on identities, with the baseline and the promised bound beside each."""
    tried = [attack for attack in figures.get("attacks") or () if _is_on_values(attack) is on_values]
    return tuple(_attack(attack) for attack in tried) or (Line("Attacks", "none of this kind was run."),)


def _is_on_values(attack: Mapping[str, Any]) -> bool:
    return attack.get("column") is not None or attack["kind"] in _ON_SEVERAL_COLUMNS


def _attack(attack: Mapping[str, Any]) -> Line:
    on = f" on '{attack['column']}'" if attack.get("column") else ""
    said = f"success {percent(attack['success'])}, baseline {percent(attack['baseline'])}; "
    bound = attack.get("bound")
    promised = "the models promise no bound." if bound is None else f"the models promise at most {percent(bound)}."
    broken = "" if attack.get("holds", True) else " The attack beats this bound."
    keys = ("kind", "column", "success", "baseline", "bound", "holds")
    details = {key: attack.get(key) for key in keys}
    result = f"{said}{promised}{broken} {attack.get('measured', '')}".rstrip()
    return Line(f"Attack '{attack['kind']}'{on}", result, "exceeded" if broken else "", details)


def models(plan: Plan) -> Line:
    """The models that the plan promises."""
    kinds = list(dict.fromkeys(model.kind for model in plan.models))
    said = f"the plan promises {', '.join(kinds)}." if kinds else "the plan promises no privacy model."
    return Line("Models", said, "", {"models": kinds})


def uncovered(plan: Plan) -> Line:
    """The sensitive columns that no model names."""
    without = [name for name in plan.sensitive if name not in plan.reads]
    said = f"no model names {some_of(without)}." if without else "models name every sensitive column of the plan."
    return Line("Columns without a model", said, "found" if without else "", {"columns": without})


def thresholds(figures: Figures) -> Iterator[Line]:
    """The thresholds that the steward states in the plan."""
    stated: Mapping[str, float] = figures.get("thresholds") or {}
    said = ", ".join(f"{name} = {value}" for name, value in stated.items())
    yield Line("Thresholds", f"the plan states {said}." if said else "the plan states none.", "", dict(stated))


def columns(what: str, names: Sequence[str]) -> Line:
    """Columns by name."""
    said = f"{counted(len(names), 'column', 'columns')}, {some_of(names)}." if names else "none."
    return Line(what, said, "", {"columns": list(names)})
