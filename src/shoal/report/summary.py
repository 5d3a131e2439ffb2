"""Summary: the outcome of a run in a few lines, the same in a terminal and in a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shoal.coded.record import BlockRecord, SearchRecord
from shoal.counts import counted
from shoal.errors import PlanError
from shoal.forms import Anatomy
from shoal.labels import ANY
from shoal.manifest import Manifest
from shoal.percent import percent
from shoal.plan import Plan
from shoal.report.items import item_columns
from shoal.report.numbers import number
from shoal.risks.disclosure import Disclosure

LISTED = 10
"""The most columns that are listed: those with the highest information loss."""

HIGH_LOSS = 0.5
HIGH_COLUMN_LOSS = 0.9
"""From these on, the mean loss and the loss of a single column are worth a change of the plan."""


@dataclass(frozen=True)
class Summary:
    """What a run achieved, in sentences and one table."""

    rows: str
    loss: str
    columns: tuple[tuple[str, str, str, str], ...]
    """Column, what it is published as, its information loss and its level; the highest loss first."""
    others: str
    """How many columns are not listed, and the most that one of them loses."""
    sentences: tuple[str, ...]
    items: tuple[tuple[str, ...], ...] = ()
    """What became of the items of each set-valued column, for the steward."""

    @property
    def has_levels(self) -> bool:
        return any(level for *_, level in self.columns)


def summary(manifest: Manifest) -> Summary:
    """The summary of a release; what only the steward may know is in it if it is in the manifest."""
    losses = _losses(manifest)
    listed = list(losses) if len(losses) <= LISTED + 1 else list(losses)[:LISTED]
    return Summary(
        rows=_rows(manifest),
        loss=f"Information loss (NCP): {percent(manifest.measures.get('ncp', 0.0))}.",
        columns=tuple(_column(manifest, name, losses[name]) for name in listed) if any(losses.values()) else (),
        others=_others([loss for name, loss in losses.items() if name not in listed]),
        sentences=(*outcome(manifest), *_exceeded(manifest)),
        items=item_columns(manifest),
    )


def outcome(manifest: Manifest) -> tuple[str, ...]:
    """Which columns carry no information, and what the search knows about its result, in sentences."""
    losses, published = _losses(manifest), manifest.published_as
    hidden = [name for name, text in published.items() if text == ANY]
    same = [name for name, text in published.items() if text.startswith("one ")]
    sentences = [
        "No quasi-identifier was generalized." if losses and not any(losses.values()) else "",
        _named(hidden, "column was generalized", "columns were generalized", f"to {ANY} in all rows"),
        _named(same, "column has", "columns have", "the same range or set in all rows"),
        _applied(manifest),
        _proven(manifest),
        *_improved(manifest),
    ]
    return tuple(sentence for sentence in sentences if sentence)


def _exceeded(manifest: Manifest) -> list[str]:
    """The thresholds of the plan that the risk of the released rows exceeds."""
    exceeded: Mapping[str, Mapping[str, float]] = manifest.risk.get("exceeded", {})
    return [
        f"The threshold '{name}' of the plan is exceeded: {_figure(each['measured'])}, accepted "
        f"{_figure(each['accepted'])}."
        for name, each in exceeded.items()
    ]


def _figure(value: float) -> str:
    return percent(value) if isinstance(value, float) else f"{value:,}"


def levels(manifest: Manifest) -> dict[str, str]:
    """Column → its level, or the range of levels if its rows differ."""
    several = {name: f"{min(rows, key=int)} to {max(rows, key=int)}" for name, rows in manifest.rows_by_level.items()}
    return {**several, **{name: str(level) for name, level in manifest.levels.items()}}


def suppressed(manifest: Manifest) -> str:
    """The share of suppressed rows, and the reasons if some were dropped for missing values."""
    share = f"{percent(manifest.rows_suppressed / manifest.rows_in)} of all rows" if manifest.rows_in else ""
    if not manifest.rows_dropped:
        return share
    searched = manifest.rows_suppressed - manifest.rows_dropped
    return f"{share}, {number(searched)} by the search and {number(manifest.rows_dropped)} for missing values"


def _rows(manifest: Manifest) -> str:
    size = manifest.measures.get("average_class_size", 0.0)
    released = (
        f"Released {manifest.rows_released:,} of {counted(manifest.rows_in, 'row', 'rows')} in "
        f"{counted(manifest.classes, 'class', 'classes')} of {size:.1f} rows on average."
    )
    if not manifest.rows_suppressed:
        return f"{released} No row was suppressed."
    return f"{released} Suppressed {counted(manifest.rows_suppressed, 'row', 'rows')}: {suppressed(manifest)}."


def _losses(manifest: Manifest) -> dict[str, float]:
    """Column → its information loss, the highest first."""
    losses: Mapping[str, float] = manifest.measures.get("ncp_by_column") or {}
    return dict(sorted(losses.items(), key=lambda item: -item[1]))


def _column(manifest: Manifest, name: str, loss: float) -> tuple[str, str, str, str]:
    return name, manifest.published_as.get(name, ""), percent(loss), levels(manifest).get(name, "")


def _others(losses: list[float]) -> str:
    if not losses or not losses[0]:
        return counted(len(losses), "more column loses", "more columns lose") + " nothing." if losses else ""
    columns = counted(len(losses), "more column", "more columns")
    return f"… and {columns}, with an information loss of at most {percent(losses[0])}."


def _named(columns: list[str], one: str, many: str, what: str) -> str:
    """How many columns something holds of, and which; the first of many."""
    if not columns:
        return ""
    names = columns if len(columns) <= LISTED + 1 else [*columns[:LISTED], f"and {len(columns) - LISTED:,} more"]
    return f"{counted(len(columns), one, many)} {what}: {', '.join(names)}."


def _improved(manifest: Manifest) -> list[str]:
    """What clustering and refinement achieved, if the search tells."""
    found, search = [], manifest.search
    if search.by_cuts:
        found.append("The classes are those of mondrian: with these models, clusters would lose more information.")
    if search.refined_by is not None:
        found.append(f"Refinement lowered the information loss by {percent(search.refined_by)}.")
    if search.blocks is not None:
        found.append(_in_blocks(search.blocks))
    if search.loss is not None:
        found.append(f"Of all rows, the release has {_next_to_all(search)}.")
    return found


def _in_blocks(search: BlockRecord) -> str:
    """How a table with very many distinct rows was searched, and what that costs."""
    blocks = counted(search.blocks, "block", "blocks")
    rows = f"The {search.distinct_rows:,} distinct rows were searched in {blocks} of at most {search.distinct_limit:,}"
    if search.largest > search.distinct_limit:
        rows += f"; one of {search.largest:,} could not be divided without breaking a model"
    if search.extra_loss is None:
        return f"{rows}. What this adds to the information loss is not known: the models do not hold in a sample."
    more = "more" if search.extra_loss >= 0 else "less"
    estimate = f"blocks lose {percent(abs(search.extra_loss))} {more} information"
    return f"{rows}. On a sample of {search.sample:,} distinct rows, {estimate} than one search of all rows."


def _next_to_all(search: SearchRecord) -> str:
    """The precision and loss of a release of some exact rows, next to those if all rows were generalized."""
    here = {"precision": search.precision, "information loss": search.loss}
    every = {"precision": search.precision_if_all, "information loss": search.loss_if_all}
    known = [f"{name} {number(value)}" for name, value in here.items() if value is not None]
    if search.loss_if_all is None:
        return " and ".join(known) + "; the models cannot cover all rows"
    compared = [f"{name} {number(value)}" for name, value in every.items() if value is not None]
    return f"{' and '.join(known)}, compared with {' and '.join(compared)} if the models cover all rows"


def _applied(manifest: Manifest) -> str:
    """Whose recoding was used, and how many rows it does not cover; empty for a release with a search of its own."""
    search = manifest.search
    if search.recoding_of is None:
        return ""
    if not search.rows_without_label:
        return "The recoding is that of an earlier release."
    rows = counted(search.rows_without_label, "row was", "rows were")
    return f"The recoding is that of an earlier release. It has no label for some values: {rows} suppressed for it."


def _proven(manifest: Manifest) -> str:
    """Whether the result is optimal; empty for a search that does not know."""
    search = manifest.search
    if search.proven_optimal is None:
        return ""
    cost = f"{search.measure}: cost {number(search.cost)}"
    if search.proven_optimal:
        return f"Proven optimal ({cost})."
    return f"Not proven optimal ({cost}, lower bound {number(search.lower_bound)})."


# -- what to do next ----------------------------------------------------------------------------------------------


def advised(manifest: Manifest, plan: Plan) -> str:
    """What should be changed before publication, as a sentence without a capital; empty if nothing."""
    warnings = "warning no longer applies" if manifest.serious_warnings == 1 else "warnings no longer apply"
    aims = [f"the serious {warnings}"] if manifest.serious_warnings else []
    if manifest.risk.get("exceeded"):
        aims.append("no threshold under [risk] is exceeded (`shoal risk` shows the figures)")
    if aims:
        return f"change the plan so that {' and '.join(aims)}, then run it again.{_of_exact_rows(manifest)}"
    if manifest.search.recoding_of is not None:  # the recoding is fixed: no setting of a column would change it
        return ""
    losses = _losses(manifest)
    worst = next(iter(losses), None)
    if worst is None or (manifest.measures["ncp"] < HIGH_LOSS and losses[worst] < HIGH_COLUMN_LOSS):
        return ""
    *some, last = _changes(plan, worst, manifest.published_as.get(worst, ANY))
    options = f"{', '.join(some)}, or {last}" if some else last
    return f"column '{worst}' loses most ({percent(losses[worst])}). You could {options}."


def _of_exact_rows(manifest: Manifest) -> str:
    """Why an anatomy exceeds a threshold of re-identification, as a further sentence; empty if it does not."""
    if manifest.form != Anatomy.kind or not manifest.risk.get("exceeded", {}).keys() - Disclosure.limits.keys():
        return ""
    return (
        " An anatomy publishes exact quasi-identifiers, so its rows are as easily found as those of the input: form = "
        '"generalized" lowers this risk.'
    )


def _changes(plan: Plan, column: str, published: str) -> list[str]:
    """What could lower the loss of a column, of what the plan allows."""
    changes = []
    if plan.columns[column].hierarchy is None and ANY in published:
        changes.append(f"give it a hierarchy with levels below {ANY}")
    if plan.algorithm.weighs and len(plan.quasi_identifiers) > 1:
        changes.append("raise its weight, at the expense of other columns")
    if _may_suppress(plan):
        changes.append("allow suppression = 0.02 under [release]")
    return [*changes, 'remove it with role = "drop", so that others keep more']


def _may_suppress(plan: Plan) -> bool:
    """Whether the plan suppresses nothing, but could."""
    if plan.release.suppression or not plan.algorithm.suppresses:
        return False
    try:
        plan.changed(release=plan.release.model_copy(update={"suppression": 0.02}))
    except PlanError:
        return False
    return True
