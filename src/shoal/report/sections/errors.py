"""How wrong counts and predictions from the release are, for the steward."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.counts import counted
from shoal.estimating.query_error import QUERIES as ALL_QUERIES
from shoal.figures.classified import Classified
from shoal.figures.errors import Errors, Queried
from shoal.report.document import Block, Column, Points, Table, Text
from shoal.report.sections.base import Facts, ReportSection

_ERRORS = ("Mean error", "Standard error of the mean", "Median error")
_COUNTING = "`shoal.query_error(table, tables, plan)` in Python, or `shoal compare DIR DIR2 --raw FILE`, compute it"
_LEARNING = "`shoal.classification_error(table, plan)` in Python, with the extra `learn`, computes it"


class ErrorsOfUse(ReportSection):
    """The query error and the classification error, or why one is not computed, and how to compute it."""

    key = "errors"
    title = "Query error and classification error"
    private = True

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        errors = None if facts.private is None else facts.private.errors
        if errors is None:
            return ()
        query = () if errors.query is None else _queries(errors.query)
        classification = () if errors.classification is None else _predictions(errors.classification)
        absent = tuple(_not_computed(errors))
        return (*query, *classification, *((Points(absent),) if absent else ()))


def _queries(query: Queried) -> tuple[Block, ...]:
    about = [
        f"{counted(query.queries, 'random COUNT query', 'random COUNT queries')} with one condition on a sensitive "
        "column and up to three on quasi-identifiers, answered from the release and from the input. The error of a "
        "query is relative to its true answer. Queries that count few rows have large errors, so the mean depends on "
        "which queries are drawn: its standard error says how much.",
    ]
    if query.rows < query.rows_in:
        about.append(f"Both answers count a fixed random sample of {query.rows:,} of {query.rows_in:,} rows.")
    about.append(
        f"`shoal compare DIR DIR2 --raw FILE` asks {ALL_QUERIES:,} queries about all rows. Its figure is more precise, "
        "and can be smaller or larger."
    )
    columns = (Column("Queries", "count"), *(Column(name, "share") for name in _ERRORS))
    row = (query.queries, query.mean, query.spread, query.median)
    return Table(columns, (row,), "Query error"), Text(tuple(about))


def _predictions(found: Classified) -> tuple[Block, ...]:
    """The rows of the table differ by the cost of privacy, and by the value of releasing the quasi-identifiers."""
    about = [
        "A decision tree predicts the target from all other columns. It is trained on two thirds of the rows and "
        f"tested on the others, in {found.splits} random divisions. Suppressed rows are not used.",
    ]
    if found.rows < found.rows_released:
        about.append(
            f"The rows are a fixed random sample of {found.rows:,} of {found.rows_released:,} released rows. Trained "
            "on all rows, predictions are usually better."
        )
    columns = (Column("Predicted from"), Column("Wrongly predicted", "share"))
    rows = (
        ("the input", found.raw),
        ("the release", found.released),
        ("the input without its quasi-identifiers", found.removed),
    )
    return Table(columns, rows, "Classification error"), Text(tuple(about))


def _not_computed(errors: Errors) -> list[str]:
    reasons = (("Query", errors.no_query, _COUNTING), ("Classification", errors.no_classification, _LEARNING))
    return [
        f"{error} error is not computed: {reason}. Where it applies, {compute}."
        for error, reason, compute in reasons
        if reason
    ]
