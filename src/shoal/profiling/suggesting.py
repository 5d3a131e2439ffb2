"""Suggested plans: roles and hierarchies from the profile, and models that were tried on the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar, get_args

import polars as pl

from shoal.algorithms import Mondrian
from shoal.errors import CannotBeMet, PlanError, did_you_mean
from shoal.models.base import ClassModel
from shoal.pipeline import anonymize
from shoal.plan import Plan, ReleaseSettings
from shoal.profiling.facts import coded
from shoal.profiling.guards import LADDER, guarded, models, usual_k
from shoal.profiling.profile import ColumnProfile, Profile
from shoal.profiling.protecting import Protection, protection
from shoal.profiling.signs import DATE, DROP, IDENTIFIER, PREFIX, QUASI, SENSITIVE
from shoal.progress import Progress, silent
from shoal.roles.columns import REMOVED, Column, Data

Purpose = Literal["general", "classification", "wide"]
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)
Asked = TypeVar("Asked")

_TRIED_ROWS = 20_000
_TRIED_CELLS = 2_000_000
_FEW_CODES = 12
_LARGEST_YEAR = 9_999
_NEARLY_UNIQUE = 0.5
_ENOUGH_ROWS = 100
_FEWEST_LISTED = 20
"""From this number of rows, no text with mostly unique values is published in sets."""
_MUCH_MORE, _LITTLE = 1.5, 0.05
"""Guards may raise the information loss by half, or by five percentage points."""


def suggested_plan(
    frame: pl.DataFrame,
    profile: Profile,
    data: Data | None = None,
    *,
    purpose: str = "general",
    target: str | None = None,
    progress: Progress = silent,
) -> Plan:
    """A plan for a table that can be released with it: every sensitive column is guarded by a model.

    The strictest guards are taken that cost little more information than k-anonymity alone, tried on at most 20,000
    rows. `purpose`: "general", "classification" of a `target`, which stays guarded, or "wide" for tables with many
    columns.
    """
    check_purpose(profile, purpose, target)
    columns = {column.name: _column(column, frame[column.name], column.name == target) for column in profile.columns}
    data = (data or Data()).model_copy(update={"person": profile.person})
    algorithm = Mondrian(cut="target" if purpose == "classification" else "loss", refine=purpose == "wide")
    individuals = profile.rows if profile.person is None else _distinct(profile, profile.person)
    protected = _protected(frame, profile, columns)
    to_guard = [
        guarded(frame[name], protected[name].counts if name in protected else None, as_text=column.type == "text")
        for name, column in columns.items()
        if column.role == SENSITIVE
    ]
    types = {each.name: _type(profile, each.name) for each in to_guard if each.is_number}
    columns = {name: _with_settings(column, protected.get(name), types.get(name)) for name, column in columns.items()}
    release = _release(profile, purpose)
    parts: dict[str, Any] = {"data": data, "columns": columns, "algorithm": algorithm, "release": release}
    k = usual_k(individuals)
    if all(column.removed for column in columns.values()):  # no plan that runs, but a start
        by_role = {role: [name for name, column in columns.items() if column.role == role] for role in REMOVED}
        return Plan(**parts | {"columns": {}, "roles": by_role}, models=models(to_guard, k, LADDER[0]))
    trial = _Trial(frame, Plan(**parts, models=models((), k, LADDER[0])), progress)
    rung = trial.strictest({rung: models(to_guard, k, rung) for rung in LADDER})
    most = trial.strictest({most: models(to_guard, k, rung, most) for most in range(rung.diversity, 1, -1)})
    return Plan(**parts, models=models(to_guard, k, rung, most))


def _protected(frame: pl.DataFrame, profile: Profile, columns: Mapping[str, Column]) -> dict[str, Protection]:
    """The sensitive columns whose values are codes of a tree with nodes that are usually protected."""
    sensitive = (column for column in profile.columns if columns[column.name].role == SENSITIVE)
    found = {column.name: protection(frame[column.name], column.hierarchy) for column in sensitive}
    return {name: each for name, each in found.items() if each is not None}


def _with_settings(column: Column, found: Protection | None, type_: str | None) -> Column:
    """The column with its protected nodes, or with its type."""
    settings: dict[str, object] = {} if type_ is None else {"type": type_}
    if found is not None:
        settings |= {"hierarchy": found.tree, "protected": found.nodes}
    return column.model_copy(update=settings)


@dataclass(frozen=True)
class _Trial:
    """Models tried on some rows of a table, in a plan that has k-anonymity alone."""

    frame: pl.DataFrame
    plan: Plan
    progress: Progress

    def strictest(self, ladder: dict[Asked, tuple[ClassModel, ...]]) -> Asked:
        """What is asked by the first models that lose little more than k-anonymity alone; else by the last ones.

        The ladder is from the strictest to the most lenient. Rungs with the same models are tried once.
        """
        rungs = {each: asked for asked, each in reversed(ladder.items())}
        *stricter, last = reversed(rungs.items())
        if self.frame.is_empty():
            return last[1]
        for number, (each, asked) in enumerate(stricter, start=1):
            self.progress("try", number / len(ladder))
            if _loss(self._sample, self.plan.changed(models=each)) <= self._most_loss:
                return asked
        return last[1]

    @cached_property
    def _most_loss(self) -> float:
        least = _loss(self._sample, self.plan)
        return max(_MUCH_MORE * least, least + _LITTLE)

    @cached_property
    def _sample(self) -> pl.DataFrame:
        return _sampled(self.frame)


def _loss(sample: pl.DataFrame, plan: Plan) -> float:
    """The information loss of the plan on some rows; 1 if there is no release."""
    try:
        return float(anonymize(sample, plan).measures["ncp"])
    except CannotBeMet:
        return 1.0


def _sampled(frame: pl.DataFrame) -> pl.DataFrame:
    """Some rows from the complete table, always the same ones."""
    rows = min(_TRIED_ROWS, max(_TRIED_CELLS // max(frame.width, 1), 1))
    return frame if frame.height <= rows else frame.gather_every(frame.height // rows).head(rows)


def _column(column: ColumnProfile, cells: pl.Series, is_target: bool) -> Column:
    as_read: dict[str, Any] = {"role": SENSITIVE, "type": column.read_as}
    if is_target:
        return Column(**as_read, target=True)
    if column.role == SENSITIVE and (column.has_sets or _hardly_repeats(column, len(cells), _ENOUGH_ROWS)):
        return Column(role=DROP)  # sets may reveal a diagnosis, and are as identifying as a number
    if column.role == SENSITIVE:
        return Column(**as_read)
    if column.role != QUASI:
        return Column(role=column.role)
    listed = not column.hierarchy and _hardly_repeats(column, len(cells), _FEWEST_LISTED)
    return Column(role=DROP) if listed or _is_unreadable_date(column, cells) else _quasi_identifier(column)


def _hardly_repeats(column: ColumnProfile, rows: int, enough: int) -> bool:
    """Whether most values of a text column are unique, in enough rows to say so."""
    return column.type == "text" and column.unique > _NEARLY_UNIQUE * (1 - column.missing) and rows >= enough


def _quasi_identifier(column: ColumnProfile) -> Column:
    settings: dict[str, Any] = {"type": column.read_as, "top": column.top}
    if column.type == "integer" and column.distinct <= _FEW_CODES and column.top is None:
        settings["type"] = "text"  # codes such as 1 and 2 have no order
    if (settings["type"] or column.type) == "text":  # numbers and dates lose less as ranges
        settings["hierarchy"] = dict(column.hierarchy) or None
    if column.hierarchy == PREFIX:
        settings["finest"] = 1  # no complete postal code
    return Column(role=QUASI, **{key: value for key, value in settings.items() if value is not None})


def _is_unreadable_date(column: ColumnProfile, cells: pl.Series) -> bool:
    """Whether a column has dates in a notation that is read as text or as numbers: classes would list exact dates."""
    if not column.reason.startswith(DATE.what):
        return False
    if column.type == "text":
        return column.distinct > _FEW_CODES
    return column.type == "integer" and int(coded(cells).values.max() or 0) > _LARGEST_YEAR  # type: ignore[arg-type]


def _type(profile: Profile, name: str) -> str:
    return next(column.type for column in profile.columns if column.name == name)


def _distinct(profile: Profile, name: str) -> int:
    return next(column.distinct for column in profile.columns if column.name == name)


def _release(profile: Profile, purpose: str) -> ReleaseSettings:
    """Sets of values where text has no hierarchy, and ranges that end at no individual's exact value.

    The classes of a wide table are refined, which cuts do not bound.
    """
    without = any(column.type == "text" and not column.hierarchy for column in profile.of_role(QUASI))
    categories: Literal["sets", "hierarchy"] = "sets" if without else "hierarchy"
    return ReleaseSettings(categories=categories, ranges="tight" if purpose == "wide" else "cut")


def check_purpose(profile: Profile, purpose: str, target: str | None) -> None:
    """Raises if there is no such purpose, or if the target does not fit it or the table."""
    names = [column.name for column in profile.columns]
    if purpose not in PURPOSES:
        raise PlanError(
            f"There is no purpose '{purpose}'.",
            allowed=f"Allowed: {', '.join(PURPOSES)}.",
            hint=did_you_mean(purpose, PURPOSES),
        )
    if purpose == "classification" and target is None:
        raise PlanError(
            "A plan for classification needs a target, the column to be predicted.",
            hint="add --target COLUMN, in Python target=….",
        )
    if target is not None and target not in names:
        raise PlanError(f"Column '{target}' is not in the table.", hint=did_you_mean(target, names))
    if target is not None and purpose != "classification":
        raise PlanError(
            f"The target '{target}' has no effect on a plan for '{purpose}'.",
            hint='add --for classification, in Python "classification".',
        )
    if target is not None and _distinct(profile, target) < 2:
        raise PlanError(f"The target '{target}' has a single value, so there is nothing to predict.")
    if target is not None:
        _check_target(next(each for each in profile.columns if each.name == target))


def _check_target(column: ColumnProfile) -> None:
    """Raises if the target identifies, or may be known to others: a target is released with its exact values."""
    if column.role == IDENTIFIER:
        raise PlanError(f"Column '{column.name}' seems to identify individuals, so it cannot be the target.")
    if column.role == QUASI or column.reason.startswith(DATE.what):
        what = column.reason.split(":")[0].split(" (")[0]
        raise PlanError(
            f"Column '{column.name}' may be known to others ({what}), so it cannot be the target of a draft: "
            "a target is released with its exact values.",
            hint="choose a sensitive column; or draft a plan without a target, and decide yourself how to protect it.",
        )
