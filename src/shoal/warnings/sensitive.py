"""Sensitive columns that no model protects, or that a model protects only in appearance."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from shoal.arrays import Int64
from shoal.counts import counted
from shoal.plan import Plan
from shoal.table import typed
from shoal.warnings.base import NOTEWORTHY, Case, Warning

_LABELS_SAMPLED = 1_000
_SHOWN = 5
_COVER = "Add a model that covers it, such as l-diversity, or remove the column."
_CHECK_KNOWN = "Check that others know no released column."


def unguarded_sensitive(case: Case) -> Iterator[Warning]:
    """Warns of sensitive columns that no model covers, and of a plan without any."""
    yield from of_plan(case.plan)


def of_plan(plan: Plan) -> Iterator[Warning]:
    """The warnings that follow from the plan alone, so that they may be published."""
    unguarded = [name for name in plan.sensitive if name not in plan.guarded]
    texts = [f"No model covers sensitive column '{name}': it is released without protection." for name in unguarded]
    if len(texts) > _SHOWN + 1:
        texts[_SHOWN:] = [f"No model covers {len(texts) - _SHOWN} more sensitive columns."]
    yield from (Warning(text, serious=True, public=True, remedy=_COVER) for text in texts)
    yield from _of_protected_nodes(plan)
    if plan.scope is not None:
        yield Warning(
            f"The promises cover {plan.scope.words}. All other rows may be published exactly, so that whoever is "
            "unique in them can be found, and whoever is not among them is likely to have a high value.",
            serious=True,
            public=True,
            remedy="Use an algorithm that generalizes all rows, unless rows with low values need no protection.",
        )
    if not plan.quasi_identifiers:
        yield Warning(
            f"The plan has no quasi-identifier: all rows form one class, and nothing is generalized. {_CHECK_KNOWN}",
            serious=True,
            public=True,
            remedy=_CHECK_KNOWN,
        )
    if not plan.sensitive and (plan.having("insensitive", "target") or plan.data.unlisted == "insensitive"):
        yield Warning(
            "The plan has no sensitive column, but releases columns unchanged: no model limits what they reveal about "
            "an individual.",
            public=True,
            remedy="Make columns that must not be linkable to an individual sensitive, and add a model for them.",
        )


def _of_protected_nodes(plan: Plan) -> Iterator[Warning]:
    """Warns of protected nodes that no model keeps from being disclosed, and of a model without any to keep."""
    for name in plan.guarded:
        keeping = [each.kind for each in plan.enforced if name in each.reads and each.fewest_groups(name) > 1]
        if keeping and not plan.columns[name].protected:
            yield Warning(
                f"Sensitive column '{name}' has no protected nodes, so '{keeping[0]}' counts each of its values as "
                "different, however similar.",
                public=True,
                remedy="List the nodes whose values belong together under `protected`.",
            )
        if plan.columns[name].protected and not keeping:
            yield Warning(
                f"Sensitive column '{name}' has protected nodes, but no model prevents that a class discloses one of "
                "them. 'extended-p-sensitive' does.",
                serious=True,
                public=True,
                remedy="Add the model 'extended-p-sensitive', or remove the protected nodes from the plan.",
            )


def absent_values(case: Case) -> Iterator[Warning]:
    """Warns of a model that names values which no row has; differently written values are not protected."""
    named = [(f"Model '{m.kind}'", name, m.names_values) for m in case.plan.enforced for name in m.reads]
    if (scope := case.plan.scope) is not None:
        named.append((f"Algorithm '{case.plan.algorithm.kind}'", scope.column, scope.values))
    for who, name, values in named:
        absent = set(values) - set(case.coded.sensitive[name].labels)
        if absent:
            yield Warning(
                f"{who} names {counted(len(values), 'value', 'values')} of '{name}', of which "
                f"{counted(len(absent), 'occurs', 'occur')} in no row. Check their spelling: other values are not "
                "protected.",
                serious=len(absent) == len(values),
                remedy="Check their spelling: other values are not protected.",
            )


def near_continuous_sensitive(case: Case) -> Iterator[Warning]:
    """Warns of sensitive numbers so fine that a class with similar values satisfies models that count values."""
    for name in case.plan.reads:
        kinds = [model.kind for model in case.plan.enforced if name in model.reads and model.counts_values]
        counts = case.coded.counted.reference[name]
        if kinds and _hardly_repeats(counts) and _is_number(case, name):
            yield Warning(
                f"Sensitive column '{name}' contains nearly continuous numbers: {len(counts)} distinct values. "
                f"{' and '.join(sorted(set(kinds)))} counts them as distinct even if they are close, and so hardly "
                f'protects them. t-closeness with distance = "ordered" suits such a column.',
                remedy='Add t-closeness with distance = "ordered" for this column.',
            )


def _hardly_repeats(counts: Int64) -> bool:
    """Whether values number more than half of the rows, or two random rows hardly ever agree."""
    rows = int(counts.sum())
    return 2 * len(counts) > rows or float((counts / rows) @ (counts / rows)) < NOTEWORTHY


def _is_number(case: Case, name: str) -> bool:
    settings = case.plan.columns[name]
    if settings.type is not None or settings.hierarchy is not None:  # codes of a hierarchy are not numbers
        return settings.type in ("integer", "real", "date", "datetime") and settings.hierarchy is None
    labels = case.coded.sensitive[name].labels
    sample = pl.Series(labels[:: len(labels) // _LABELS_SAMPLED + 1], dtype=pl.String)
    return typed(sample, type=None, missing=("",)).type != "text"
