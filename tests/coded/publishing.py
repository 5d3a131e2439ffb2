"""Publishing a partition that a test made, as the pipeline publishes those of algorithms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal import forms
from shoal.arrays import Int64
from shoal.coded import Partition
from shoal.coded.recoding import Exact, Shown, shown_columns
from shoal.engines.base import Published
from shoal.engines.fitting import Fitted, published_columns, sensitive_text
from shoal.forms.base import Publishable
from shoal.plan import Plan


def published(fitted: Fitted, partition: Partition, plan: Plan) -> Published:
    """The tables of a partition in the plan's form."""
    engine, form = fitted.engine, forms.by_kind(plan.release.form)
    columns = published_columns(engine.columns, plan)
    sensitive = {name: sensitive_text(engine, name, plan) for name in columns if name in plan.sensitive}
    given = Publishable(columns, shown_of(fitted, partition, plan), fitted.exact_text, sensitive)
    return engine.publish(partition, form.layout(given), plan.data.person)


def shown_of(fitted: Fitted, partition: Partition, plan: Plan) -> dict[str, Shown]:
    """What every class of a partition shows in the plan's form."""
    recoding = partition.recoding if forms.by_kind(plan.release.form).generalizes else Exact()
    return shown_columns(recoding, fitted.coded, partition.members)


def distinct_row_of(fitted: Fitted, frame: pl.DataFrame, plan: Plan) -> list[int]:
    """The distinct row behind every row of a fitted table, looked up by what its cells are coded as."""
    engine, counted = fitted.engine, fitted.coded.counted
    coded = {name: codes.tolist() for name, codes in fitted.quasi_codes.items()}
    for name, domain in fitted.coded.sensitive.items():
        coded[name] = [domain.labels.index(text or "") for text in sensitive_text(engine, name, plan)]
    found = [*counted.quasi, *counted.sensitive.values()]
    if plan.data.person is not None and counted.person is not None:
        coded[plan.data.person] = list(range(len(engine.distinct(plan.data.person).values)))
        found.append(counted.person)
    place = {codes: row for row, codes in enumerate(zip(*(column.tolist() for column in found), strict=True))}
    assert len(place) == len(counted)
    cells = []
    for name, codes in coded.items():
        code_of = dict(zip(engine.distinct(name).values.to_list(), codes, strict=True))
        cells.append([code_of[value] for value in frame[name].to_list()])
    return [place[codes] for codes in zip(*cells, strict=True)]


def class_of_distinct(class_of: Sequence[int], row_of: Sequence[int]) -> Int64:
    """int64 [d]: the class of every distinct row, given that of every row; rows that are alike are in one class."""
    found = np.full(max(row_of) + 1, -2, np.int64)
    for c, row in zip(class_of, row_of, strict=True):
        assert found[row] in (-2, c)
        found[row] = c
    return found
