"""A dry run: all checks of a plan and its data that are possible before the search. Nothing is released."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from shoal import hierarchies
from shoal.blockwise import needs_blocks
from shoal.coded.coding import bounded
from shoal.coded.counted import Coded
from shoal.engines.base import Engine
from shoal.engines.choosing import chosen_engine
from shoal.engines.fitting import require_columns
from shoal.errors import HierarchyError, PlanError, did_you_mean
from shoal.feasibility import Whole
from shoal.hierarchies import Coverage
from shoal.pipeline import fitted_rows, opened_source, read_source, require_no_warnings
from shoal.plan import Plan
from shoal.progress import Progress, silent
from shoal.roles.columns import Column, Data
from shoal.search.lattice import Lattice
from shoal.search.listing import require_listable
from shoal.table import read_sets, typed
from shoal.warnings import Case, Warning, find_warnings


@dataclass(frozen=True)
class CheckedColumn:
    """A column as the search sees it: the number of its distinct values and of its hierarchy's levels."""

    role: str
    type: str | None = None
    values: int | None = None
    published: str = ""
    levels: int | None = None


@dataclass(frozen=True)
class Checked:
    """The result of a dry run; `rows_dropped` rows have a missing value and would be dropped."""

    rows: int
    rows_dropped: int
    distinct_rows: int
    columns: Mapping[str, CheckedColumn]
    warnings: tuple[Warning, ...]
    release_exists: bool
    """Whether a release is known to exist: every model holds with all rows in one class, which the plan allows.

    Models of items must hold after the removal of enough items.
    """
    undecided: tuple[str, ...] = ()
    """The models of items that only the removal of items can decide."""
    in_blocks: bool = False
    """Whether the table has more distinct rows than are searched at a time, so that it is searched in blocks."""


def check(plan: Plan, *, progress: Progress = silent) -> Checked:
    """Checks a plan against its data without a search; raises if they do not fit.

    The hierarchies must cover their columns, the algorithm must support the table, and no model may be impossible: one
    that fails with all rows in one class, where no recoding can help. Only warnings that do not depend on classes are
    reported.
    """
    progress("read", 0.0)
    with opened_source(plan, chosen_engine(plan, None)) as (engine, plan):
        progress("encode", 0.0)
        return _checked(engine, plan)


def _checked(engine: Engine, plan: Plan) -> Checked:
    fit = fitted_rows(engine, plan)
    if plan.algorithm.lists_recodings:
        require_listable(plan.algorithm.kind, Lattice(fit.coded, plan.searched, plan.release.suppression))
    warnings = find_warnings(Case(fit, None, plan))
    require_no_warnings(warnings, plan)
    undecided = tuple(model.kind for model in plan.removing if not model.removal_suffices)
    in_one_class = Whole.of(fit.coded, plan).passes and all(domain.blocks is None for domain in fit.coded.quasi)
    return Checked(
        rows=fit.rows_in,
        rows_dropped=fit.dropped,
        distinct_rows=len(fit.coded.counted),
        columns=_columns(plan, fit.coded),
        warnings=warnings,
        release_exists=in_one_class and not undecided,
        undecided=undecided,
        in_blocks=needs_blocks(fit.coded, plan),
    )


def check_hierarchies(plan: Plan, column: str | None = None) -> dict[str, Coverage]:
    """Column → coverage of its hierarchy, for all hierarchies of a plan or that of one column.

    Uncovered values are counted and are not an error.
    """
    with_hierarchy = [name for name, settings in plan.columns.items() if settings.hierarchy is not None]
    if column is not None and column not in with_hierarchy:
        raise PlanError(f"The plan has no hierarchy for column '{column}'.", hint=did_you_mean(column, with_hierarchy))
    frame = read_source(plan)
    plan = plan.for_table(frame.columns)
    require_columns(frame.columns, plan)
    chosen = with_hierarchy if column is None else [column]
    return {name: coverage(frame[name], plan.columns[name], plan.data) for name in chosen}


def coverage(column: pl.Series, settings: Column, data: Data) -> Coverage:
    """How a column's hierarchy covers its values, which are read and bounded as the settings state.

    Of a set-valued column, the values are its items.
    """
    if settings.role == "quasi-sensitive":
        column = read_sets(column, settings.separator, data.absent).items
    type_ = settings.type or ("text" if settings.role in ("sensitive", "quasi-sensitive") else None)
    actual_type, values = typed(column, type=type_, missing=data.missing, notation=data.notation)
    try:
        return hierarchies.check(settings.hierarchy, bounded(values, actual_type, settings, column.name))
    except HierarchyError as error:
        raise HierarchyError(f"Column '{column.name}': {error.fact}", allowed=error.allowed, hint=error.hint) from None


def _columns(plan: Plan, coded: Coded) -> dict[str, CheckedColumn]:
    columns = {name: CheckedColumn(column.role, column.type) for name, column in plan.columns.items()}
    for quasi in coded.quasi:
        levels = len(quasi.hierarchy.levels) if quasi.hierarchy else None
        columns[quasi.name] = CheckedColumn("quasi-identifier", quasi.type, quasi.size, quasi.published, levels)
    for name, read in coded.sensitive.items():
        levels = len(read.hierarchy.levels) if read.hierarchy else None
        columns[name] = CheckedColumn("sensitive", plan.columns[name].type, read.size, "unchanged", levels)
    for name, sets in coded.items.items():
        levels = len(sets.hierarchy.levels) if sets.hierarchy else None
        columns[name] = CheckedColumn("quasi-sensitive", values=sets.size, published="sets", levels=levels)
    return columns
