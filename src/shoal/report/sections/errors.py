"""How wrong counts and predictions from the release are, for the steward."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.counts import counted
from shoal.figures.errors import Errors, Queried
from shoal.report.document import Block, Column, Points, Table, Text
from shoal.report.sections.base import Facts, ReportSection

_COUNTING = "`shoal.query_error(table, tables, plan)` in Python, or `shoal compare DIR DIR2 --raw FILE`, computes it"
_LEARNING = "`shoal.classification_error(table, plan)` in Python, with the extra `learn`"


class ErrorsOfUse(ReportSection):
    """The query error, and how to compute what the report does not."""

    key = "errors"
    title = "Query error and classification error"
    private = True

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        errors = None if facts.private is None else facts.private.errors
        if errors is None:
            return ()
        queried = _table(errors.query) if errors.query is not None else ()
        return (*queried, Points(tuple(_not_computed(errors))))


def _table(query: Queried) -> tuple[Block, ...]:
    about = [
        f"{counted(query.queries, 'random COUNT query', 'random COUNT queries')} with one condition on a sensitive "
        "column and up to three on quasi-identifiers, answered from the release and from the input. The error of a "
        "query is relative to its true answer. Queries that count few rows have large errors.",
    ]
    if query.rows < query.rows_in:
        about.append(
            f"Both answers count a fixed random sample of {query.rows:,} of {query.rows_in:,} rows. Fewer rows have "
            "smaller answers, so the error on all rows is usually smaller."
        )
    columns = (Column("Queries", "count"), Column("Mean error", "share"), Column("Median error", "share"))
    return Text(tuple(about)), Table(columns, ((query.queries, query.mean, query.median),))


def _not_computed(errors: Errors) -> list[str]:
    said = []
    if errors.no_query:
        compute = (
            "`shoal.query_error(table, tables, plan)` in Python, or `shoal compare DIR DIR2 --raw FILE`, compute it"
        )
        said.append(f"Query error is not computed: {errors.no_query}. Where it applies, {compute}.")
    if errors.no_classification:
        said.append(f"Classification error does not apply: {errors.no_classification}.")
    else:
        said.append(f"Classification error is not computed here, as it takes longer than a release: use {_LEARNING}.")
    return said
