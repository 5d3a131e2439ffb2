"""A dry run: everything that can be known of a plan and its data before the search, and no release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from shoal import hierarchies
from shoal.coded.coding import bounded
from shoal.coded.counted import Coded
from shoal.engines.fitting import require_columns
from shoal.errors import HierarchyError, PlanError, did_you_mean
from shoal.feasibility import Whole
from shoal.hierarchies import Coverage
from shoal.pipeline import fitted, read_source, require_no_warnings
from shoal.plan import Plan
from shoal.progress import Progress, silent
from shoal.roles.columns import Column
from shoal.search.lattice import Lattice, require_listable
from shoal.table import typed
from shoal.warnings import Case, find_warnings


@dataclass(frozen=True)
class CheckedColumn:
    """A column as the search would see it: `values` counts the distinct ones, `levels` those of its hierarchy."""

    role: str
    type: str | None = None
    values: int | None = None
    published: str = ""
    levels: int | None = None


@dataclass(frozen=True)
class Checked:
    """What a dry run found; `rows_dropped` of the rows have a missing value and would be left out."""

    rows: int
    rows_dropped: int
    distinct_rows: int
    columns: Mapping[str, CheckedColumn]
    warnings: tuple[str, ...]
    release_exists: bool
    """Whether that is sure already: every model holds with all rows in one class."""


def check(plan: Plan, *, progress: Progress = silent) -> Checked:
    """Raises unless plan and data fit, the hierarchies cover, the algorithm can take them, and no model fails with
    all rows in one class that a recoding cannot help.

    Warnings are those that do not depend on the classes which a search would find.
    """
    progress("read", 0.0)
    frame = read_source(plan)
    progress("encode", 0.0)
    found = fitted(frame, plan)
    if plan.algorithm.lists_recodings:
        require_listable(plan.algorithm.kind, Lattice(found.coded, plan.enforced, plan.release.suppression))
    warnings = find_warnings(Case(found, None, plan))
    require_no_warnings(warnings, plan)
    return Checked(
        rows=found.rows_in,
        rows_dropped=found.dropped,
        distinct_rows=len(found.coded.counted),
        columns=_columns(plan, found.coded),
        warnings=warnings,
        release_exists=Whole(found.coded, plan).passes,
    )


def check_hierarchies(plan: Plan, column: str | None = None) -> dict[str, Coverage]:
    """How the hierarchies of a plan, or that of one column, fit the values of their columns; nothing need fit."""
    having = [name for name, settings in plan.columns.items() if settings.hierarchy is not None]
    if column is not None and column not in having:
        raise PlanError(f"The plan has no hierarchy for column '{column}'.", hint=did_you_mean(column, having))
    frame = read_source(plan)
    require_columns(frame.columns, plan)
    chosen = having if column is None else [column]
    return {name: coverage(frame[name], plan.columns[name], plan.data.missing) for name in chosen}


def coverage(column: pl.Series, settings: Column, missing: tuple[str, ...]) -> Coverage:
    """How a column's hierarchy fits its values, read and coded as the settings say."""
    type_ = settings.type or ("text" if settings.role == "sensitive" else None)
    found, values = typed(column, type=type_, missing=missing)
    try:
        return hierarchies.check(settings.hierarchy, bounded(values, found, settings, column.name))
    except HierarchyError as error:
        raise HierarchyError(f"Column '{column.name}': {error.fact}", allowed=error.allowed, hint=error.hint) from None


def _columns(plan: Plan, coded: Coded) -> dict[str, CheckedColumn]:
    columns = {name: CheckedColumn(column.role, column.type) for name, column in plan.columns.items()}
    for quasi in coded.quasi:
        levels = len(quasi.hierarchy.levels) if quasi.hierarchy else None
        columns[quasi.name] = CheckedColumn("quasi-identifier", quasi.type, quasi.size, quasi.published, levels)
    for name, read in coded.sensitive.items():
        levels = len(read.hierarchy.levels) if read.hierarchy else None
        columns[name] = CheckedColumn("sensitive", plan.columns[name].type, read.size, "as it is", levels)
    return columns
