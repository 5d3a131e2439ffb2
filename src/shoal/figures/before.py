"""The input as the steward compares it with the release: the rows of each value, and the risk of the exact rows.

Nothing here is published. Rows that the plan drops for missing values are not counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.coded.counted import Coded
from shoal.coded.keys import distinct_rows
from shoal.engines.fitting import Fitted, published_columns, sensitive_text
from shoal.figures.columns import MOST_COLUMNS, by_item, cell_texts
from shoal.figures.histograms import ordered, values_of
from shoal.labels import MISSING, exact
from shoal.plan import Plan, RiskSettings
from shoal.risks.measuring import risk_of_sizes


@dataclass(frozen=True)
class ClassRisk:
    """The risk that follows from the sizes of classes, which count rows, or persons if `persons`.

    `highest` and `average`: the prosecutor risk. `uniques`: the classes of one row or person.
    """

    total: int
    classes: int
    uniques: int
    smallest: int
    highest: float
    average: float
    persons: bool = False


def class_risk(sizes: Int64, persons: bool = False) -> ClassRisk | None:
    """The risk of classes of these sizes, int64 [classes]; None if there is none.

    >>> class_risk(np.array([1, 3])).average
    0.5
    """
    if not len(sizes):
        return None
    found = risk_of_sizes(sizes, RiskSettings())
    figures = found.figures["prosecutor"]
    smallest = int(figures["smallest_class"])
    return ClassRisk(
        found.rows, found.classes, found.uniques, smallest, figures["highest"], figures["average"], persons
    )


@dataclass(frozen=True, eq=False)
class InputColumn:
    """The distinct values of a column in the input, or the items of its sets, and the rows of each.

    `labels`: each value as a release that does not change it writes it, empty if missing. `values`: the numbers or
    dates, null if missing; None for text.
    """

    labels: tuple[str, ...]
    rows: Int64
    values: pl.Series | None = None


@dataclass(frozen=True, eq=False)
class Before:
    """What the steward compares the release with: the columns of the input, and the risk of its exact rows."""

    columns: Mapping[str, InputColumn] = field(default_factory=dict)
    risk: ClassRisk | None = None


def before_of(fitted: Fitted, plan: Plan) -> Before:
    """The input of a release, from the engine's counts of distinct values and the counted rows."""
    coded, names = fitted.coded, published_columns(fitted.engine.columns, plan)
    places = {name: place for place, name in enumerate(coded.names)}
    columns = {
        name: _quasi(coded, places[name]) if name in places else _unchanged(fitted, name, plan)
        for name in names[:MOST_COLUMNS]
    }
    return Before(columns, class_risk(exact_sizes(coded), coded.counts_persons))


def _quasi(coded: Coded, place: int) -> InputColumn:
    domain, codes = coded.quasi[place], coded.counted.quasi[place]
    rows = np.zeros(domain.size, np.int64)
    np.add.at(rows, codes, coded.counted.weight)
    labels = tuple(exact(text) if text != MISSING else text for text in domain.texts)
    values = domain.values if domain.values.dtype.is_numeric() or domain.values.dtype.is_temporal() else None
    return InputColumn(labels, rows, values)


def _unchanged(fitted: Fitted, name: str, plan: Plan) -> InputColumn:
    """A column that is not generalized, with the texts that the release writes."""
    values, rows = fitted.engine.distinct(name)
    if name in plan.sensitive:
        values = sensitive_text(fitted.engine, name, plan)
    elif name in plan.quasi_sensitive:
        values = fitted.set_text(name)
    texts = cell_texts(values)
    if name in plan.separators:
        texts, rows = by_item(texts, rows, plan.separators[name])
    counts = pl.DataFrame({"text": texts, "rows": rows})
    counts = ordered(counts.group_by("text").agg(pl.col("rows").sum()))
    known = values_of(counts["text"].alias(name), plan.columns.get(name), plan.data)
    return InputColumn(
        tuple(counts["text"].to_list()), counts["rows"].to_numpy(), None if known is None else known.values
    )


def exact_sizes(coded: Coded) -> Int64:
    """int64 [classes]: the rows, or persons, of every combination of exact quasi-identifiers."""
    counted = coded.counted
    if not coded.quasi:
        ids = np.zeros(len(counted), np.int64)
    else:
        ids = distinct_rows(list(counted.quasi)).ids.astype(np.int64)
    classes = int(ids.max(initial=-1)) + 1
    if counted.person is None:
        sizes = np.zeros(classes, np.int64)
        np.add.at(sizes, ids, counted.weight)
        return sizes
    pairs = np.unique(np.stack([ids, counted.person.astype(np.int64)]), axis=1)
    return np.bincount(pairs[0], minlength=classes).astype(np.int64)
