"""Choosing k: searches with several k, and removes items after each search. Nothing is released.

A small k generalizes little and leaves small classes, from which many items must be removed. A large k does the
opposite. Paper: Shi, Xiong, Fung 2010, Figure 6.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal import table
from shoal.arrays import Int64
from shoal.coded.partition import Partition
from shoal.coded.recoding import Shown, shown_columns
from shoal.coded.removed import losing_classes, removed_items
from shoal.engines.fitting import Fitted
from shoal.errors import CannotBeMet, PlanError
from shoal.evaluate.at_once import Advance, all_at_once
from shoal.feasibility import require_possible
from shoal.measures import Outcome
from shoal.measures.item_loss import lost
from shoal.measures.ncp import Ncp
from shoal.models import KAnonymity
from shoal.models.base import ClassModel
from shoal.pipeline import encoded, partitioned
from shoal.plan import Plan
from shoal.progress import Progress, silent
from shoal.report.k_choice import KChoice, TriedK
from shoal.verification.labelled import Labelled, hierarchy

KS = (1, 2, 3, 5, 10, 20)
_SEARCH = 0.5
"""The share of the progress of a k that the search is; the rest is the removal of items."""


def choose_k(frame: Any, plan: Plan, *, ks: Sequence[int] = KS, progress: Progress = silent) -> KChoice:
    """The losses by generalization and by removed items for several k of a plan with a model of items.

    The k of every class model is replaced, and k-anonymity is added if none has a k. With k = 1, k-anonymity is
    omitted; without other class models, rows with equal quasi-identifiers then form a class. A k that cannot be met is
    shown with the reason. The figures depend on the input, so they are private.
    """
    given, _ = table.to_polars(frame)
    plan = plan.for_table(given.columns)
    chosen = _checked(ks, plan)
    progress("encode", 0.0)
    fitted = encoded(given, plan)
    return KChoice(fitted.rows_in, _planned(plan), _all_tried(fitted, plan, chosen, progress))


def _checked(ks: Sequence[int], plan: Plan) -> list[int]:
    """The k to try, ascending and each once; raises if one is no k, or if the plan removes no items."""
    if not plan.removing:
        raise PlanError(
            "The plan has no model of items, so a choice of k has no removed items to weigh.",
            allowed="Models of items are those for which items of a quasi-sensitive column are removed.",
            hint='add one, such as kind = "qs-diversity".',
        )
    if not ks or not all(isinstance(k, int) and not isinstance(k, bool) and k >= 1 for k in ks):
        raise PlanError(
            "The k to try are not valid.", allowed="One or more whole numbers from 1.", hint="try 1, 5, 10."
        )
    return sorted(set(ks))


# -- the plan of every k ------------------------------------------------------------------------------------------


def _has_k(model: ClassModel) -> bool:
    """Whether a model of classes has a k; the k of a model of items counts combinations of items."""
    return not model.removes_items and hasattr(model, "k")


def _planned(plan: Plan) -> int | None:
    """The k of the plan, 1 if no model has one, None if they differ."""
    ks = {getattr(model, "k") for model in plan.models if _has_k(model)} or {1}  # noqa: B009
    return ks.pop() if len(ks) == 1 else None


def with_k(plan: Plan, k: int) -> Plan:
    """The plan with this k in all models of classes; raises PlanError if a model or the algorithm refuses it."""
    kept = [model for model in plan.models if k > 1 or model.kind != KAnonymity.kind]
    models = [dataclasses.replace(model, k=k) if _has_k(model) else model for model in kept]
    if k > 1 and not any(map(_has_k, kept)):
        models.insert(0, KAnonymity(k=k))
    return plan.changed(models=models)


# -- all k at once ------------------------------------------------------------------------------------------------


def _all_tried(fitted: Fitted, plan: Plan, ks: Sequence[int], progress: Progress) -> tuple[TriedK, ...]:
    """What every k leads to; searches and removals of different k run at the same time."""

    def work(k: int, advance: Advance) -> TriedK:
        return _tried(fitted, plan, k, advance)

    # In ascending order, because the smallest k has the most classes and takes longest.
    return tuple(all_at_once(ks, work, lambda share: progress("choose", share)))


def _steps(advance: Advance) -> Progress:
    """The progress of one k: the search first, then the removal of items, which starts again for every model."""

    def report(step: str, share: float) -> None:
        advance(_SEARCH * share if step != "items" else _SEARCH + (1 - _SEARCH) * share)

    return report


def _tried(fitted: Fitted, plan: Plan, k: int, advance: Advance) -> TriedK:
    try:
        changed = with_k(plan, k)
    except PlanError as error:
        return TriedK(k, reason=str(error))
    try:
        require_possible(fitted.coded, changed)
        return _measured(fitted, changed, k, partitioned(fitted.coded, changed, _steps(advance)))
    except CannotBeMet as error:
        return TriedK(k, reason=error.fact)


# -- the figures of a partition -----------------------------------------------------------------------------------


def _measured(fitted: Fitted, plan: Plan, k: int, partition: Partition) -> TriedK:
    """The figures that the release of a partition would have, without its tables."""
    shown = shown_columns(partition.recoding, fitted.coded, partition.members)
    items = removed_items(fitted.coded, partition)
    losses: dict[str, Any] = lost({name: (each.cost, each.whole) for name, each in items.items()})
    removals, released = partition.record.item_removal or (), partition.released(fitted.coded)
    return TriedK(
        k=k,
        ncp=_ncp(fitted, plan, partition, shown),
        **losses,
        classes=int(released.max(initial=-1)) + 1,
        rows_suppressed=fitted.rows_in - int(partition.weight.sum()),
        with_item_loss=len(np.unique(released[losing_classes(fitted.coded, partition)])),
        removals=removals,
        in_time=all(each.in_time or each.proven == each.classes for each in removals),
    )


def _ncp(fitted: Fitted, plan: Plan, partition: Partition, shown: Mapping[str, Shown]) -> float:
    """The information loss as a release would state it: from its labels and the hierarchies of the plan."""
    columns = {name: _labelled(column, partition.rows, plan, name) for name, column in shown.items()}
    losses = [column.lost for column in columns.values()]
    outcome = Outcome(tuple(columns), fitted.rows_in, partition.rows, np.array(losses), np.full(len(losses), np.nan))
    return float(str(Ncp().of(outcome)["ncp"]))


def _labelled(column: Shown, rows: Int64, plan: Plan, name: str) -> Labelled:
    """The labels of a column with the rows that show them; a label may stand for several codes."""
    counts: Counter[str] = Counter()
    of_code = np.bincount(column.codes, rows, minlength=len(column.labels)).astype(np.int64)
    for code in np.flatnonzero(of_code).tolist():
        counts[column.labels[code]] += int(of_code[code])
    labels = tuple(sorted(counts))
    return Labelled(labels, np.array([counts[label] for label in labels]), hierarchy(plan, name).placed(labels))
