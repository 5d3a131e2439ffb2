"""Faithfulness: every released row shows its own input row truly. It is checked when a release is made.

It shares no code with the search and the forms: it compares raw and released cells, row by row, by the private witness
that names the input row of every released row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from shoal import forms, table
from shoal.arrays import Int32, Int64
from shoal.counts import counted
from shoal.errors import PromiseBroken
from shoal.exact import fraction
from shoal.hierarchies.base import text_of
from shoal.labels import MISSING
from shoal.models.evidence import COUNT
from shoal.plan import Plan
from shoal.verification.covering import Values
from shoal.verification.labelled import coded_cells, hierarchy, is_coded
from shoal.verification.ordering import Each, compared
from shoal.verification.regrouping import canonical
from shoal.verification.sets import added_items

_WORTH_THREADS = 50_000
"""With fewer rows, starting threads takes longer than they save."""


Trace = Any
"""What an engine knows of which run of the main table shows each of its rows. Only that engine reads it."""


class Pairs(NamedTuple):
    """The distinct pairs of a raw and a released cell of one column.

    `released`: the distinct released cells. `value` and `cell` int64: for each pair, the position of its raw value in
    the distinct ones of the column, and that of its released cell. `rows` int64: the number of rows with this pair.
    """

    released: pl.Series
    value: Int64
    cell: Int64
    rows: Int64


class Origin(Protocol):
    """The input rows that were not left out for missing values, as an engine holds them.

    Released rows are compared by runs of equal rows: `run` is the trace of the rows of the origin, and `cells` are the
    cells of a column, one for each run.
    """

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def rows(self) -> int: ...

    def distinct(self, column: str) -> tuple[pl.Series, Int64]:
        """The distinct raw values of a column, with their counts."""
        ...

    def behind(self, run: Trace, runs: int) -> Int64:
        """int64 [runs + 1]: the number of rows that each run shows; the first are those that none shows."""
        ...

    def pairs(self, column: str, cells: pl.Series, run: Trace) -> Pairs:
        """The pairs of a column."""
        ...

    def differing(self, column: str, cells: pl.Series, run: Trace) -> int:
        """The number of rows whose raw cell is not the released one, character for character."""
        ...

    def other_persons(self, person: str, persons: pl.Series, times: Int64, run: Trace) -> int:
        """The number of released rows whose person is not that of their row; `times` are the lengths of the runs."""
        ...

    def lacking(self, columns: Sequence[str], missing: Sequence[str]) -> int:
        """The number of rows in which one of the columns is empty or one of the `missing` texts."""
        ...

    def raw_rows(self, columns: Sequence[str]) -> pl.DataFrame:
        """The distinct raw rows of some columns, with COUNT, the number of input rows of each."""
        ...


def faithful_problems(
    given: Origin,
    origin: Origin,
    tables: Mapping[str, table.Runs],
    plan: Plan,
    run: Trace,
    linked: table.Runs | None = None,
    persons: pl.Series | None = None,
    input_counts: Mapping[str, pl.DataFrame] | None = None,
) -> list[str]:
    """What the released tables, or the private facts by which they are verified, say that is not true of the input.

    `given`: the whole input; `origin`: the input without the rows that were dropped for missing values. `run`: which
    run of the main table shows each row of the origin. `linked`: the sensitive values of every run, if the main table
    does not have them. `persons`: the person of every released row, if the plan counts persons. `input_counts`:
    sensitive column → `value`, `count` in the input.
    """
    main = next(iter(tables.values()))
    problems = _dropped_problems(given, origin, plan) + _row_problems(origin, plan, main, run)
    shown = main.rows if linked is None else main.rows.with_columns(linked.rows.select(plan.sensitive))
    problems += _missing_columns(origin, shown.columns, main.columns, plan)
    if problems:
        return problems
    known = set(origin.columns)
    with _mapping(origin.rows) as each:
        in_order, _ = compared([main[name] for name in main.columns if name in known], each)
        problems += [] if in_order else ["The released rows are not sorted by their content."]
        problems += _count_problems(origin, plan, input_counts or {})
        problems += _person_problems(origin, plan, persons, main.times, run)
        cells = [shown[name] for name in shown.columns if name in known]
        found = each(lambda each_cells: _column_problems(origin, each_cells, plan, run), cells)
        return problems + [problem for of_column in found for problem in of_column]


@contextmanager
def _mapping(rows: int) -> Iterator[Each]:
    """A function like `map`, with threads if the rows are many."""
    if rows < _WORTH_THREADS:
        yield map
    else:
        with ThreadPoolExecutor(pl.thread_pool_size()) as pool:
            yield pool.map


def _missing_columns(origin: Origin, shown: Sequence[str], main: Sequence[str], plan: Plan) -> list[str]:
    """Every column is released unless it identifies someone or the plan drops it, in the order of the input."""
    expected = {name: None for name in origin.columns if _is_released(name, plan)}
    present, in_main = set(shown), set(main)
    if lost := [name for name in expected if name not in present]:
        return [f"Column '{name}' is not in the released tables." for name in lost]
    in_order = [name for name in expected if name in in_main]
    return [] if [name for name in main if name in expected] == in_order else ["The columns are in another order."]


def _is_released(name: str, plan: Plan) -> bool:
    if name == plan.data.person:
        return False
    column = plan.columns.get(name)
    return plan.data.unlisted == "insensitive" if column is None else not column.removed


def _person_problems(origin: Origin, plan: Plan, persons: pl.Series | None, times: Int64, run: Trace) -> list[str]:
    """The persons that verification counts are those of the input rows."""
    if (person := plan.data.person) is None:
        return []
    if persons is not None and len(persons) == times.sum() and not origin.other_persons(person, persons, times, run):
        return []
    return ["The persons of the released rows are not those of their input rows."]


def _count_problems(origin: Origin, plan: Plan, input_counts: Mapping[str, pl.DataFrame]) -> list[str]:
    """The distribution with which verification compares a sensitive column is that of the input."""
    person = [] if plan.data.person is None else [plan.data.person]
    problems = []
    for name, counts in input_counts.items():
        raw = _raw_counts(origin, name, person)
        value = _canonical(raw[name], plan).alias("value")
        size = pl.col(person[0]).n_unique() if person else pl.col(COUNT).sum()
        expected = raw.with_columns(value).group_by("value").agg(count=size.cast(pl.Int64)).sort("value")
        if not expected.equals(
            counts.select(pl.col("value").cast(pl.String), pl.col("count").cast(pl.Int64)).sort("value")
        ):
            problems.append(f"The distribution of column '{name}' in the input is not the one that was counted.")
    return problems


def _canonical(raw: pl.Series, plan: Plan) -> pl.Series:
    """The canonical text of raw values of a sensitive or set-valued column, null if missing or empty."""
    column = plan.columns[raw.name]
    if column.role == "quasi-sensitive":
        return table.canonical_sets(raw, column.separator, plan.data.absent)
    return canonical(raw, column, plan.data.absent, plan.data.notation)


def _raw_counts(origin: Origin, name: str, person: Sequence[str]) -> pl.DataFrame:
    """The distinct raw values of a column, or pairs of value and person, with COUNT."""
    if person:
        return origin.raw_rows([name, *person])
    values, counts = origin.distinct(name)
    return pl.DataFrame([values.alias(name), pl.Series(COUNT, counts)])


def same_runs(released: table.Runs, written: table.Runs) -> bool:
    """Whether a table was written as it was released, however its rows are divided into runs."""
    if released.height != written.height:
        return False
    here, there = np.cumsum(released.times), np.cumsum(written.times)
    if np.array_equal(here, there):
        return same_content(released.rows, written.rows)
    bounds = np.unique(np.concatenate([here, there]))
    return same_content(released.rows[np.searchsorted(here, bounds)], written.rows[np.searchsorted(there, bounds)])


def same_content(released: pl.DataFrame, written: pl.DataFrame) -> bool:
    """Whether a table was written as it was released; a missing value may be written as empty text."""
    if released.columns != written.columns or released.height != written.height:
        return False
    pairs = [(released[name], written[name]) for name in released.columns]
    if released.height < _WORTH_THREADS:
        return all(_same_cells(*pair) for pair in pairs)
    with ThreadPoolExecutor(pl.thread_pool_size()) as pool:
        return all(pool.map(lambda pair: _same_cells(*pair), pairs))


def _same_cells(released: pl.Series, written: pl.Series) -> bool:
    """Whether two columns have the same texts, compared by their dictionaries if both have one."""
    if is_coded(released) and is_coded(written):
        if released.dtype == written.dtype and released.to_physical().eq_missing(written.to_physical()).all():
            return True  # the codes of one dictionary
        place: dict[str, int] = {}
        one, other = (_numbered(column, place) for column in (released, written))
        return bool((one == other).all())
    if released.dtype == written.dtype and not is_coded(released):
        return bool(released.eq_missing(written).all()) or _as_text(released).equals(_as_text(written))
    return bool((_as_text(released) == _as_text(written)).all())


def _numbered(column: pl.Series, place: dict[str, int]) -> Int32:
    """int32 [n]: a number for the text of every cell, the same for equal texts of all columns that share `place`."""
    codes, texts = coded_cells(column)
    numbers = [place.setdefault(text, len(place)) for text in texts.cast(pl.String).fill_null(MISSING).to_list()]
    return np.array(numbers, np.int32)[codes]


def _as_text(column: pl.Series) -> pl.Series:
    """The texts of a column as a file has them, empty if missing."""
    return table.as_text(column).cast(pl.String).fill_null(MISSING)


def _dropped_problems(given: Origin, origin: Origin, plan: Plan) -> list[str]:
    """Exactly the rows with a missing value are dropped, if the plan drops any."""
    person = [] if plan.data.person is None else [plan.data.person]
    dropped = given.rows - origin.rows
    if plan.data.missing_rows != "drop":
        return [f"{_rows_were(dropped)} left out for missing values instead of 0."] if dropped else []
    columns = [*plan.quasi_identifiers, *plan.sensitive, *person]
    expected, left = (table.lacking(columns, plan.data.absent) for table in (given, origin))
    if dropped != expected or left:
        return [f"{_rows_were(dropped)} left out for missing values instead of {expected:,}; {left:,} remain."]
    return []


def _rows_were(rows: int) -> str:
    return counted(rows, "row was", "rows were")


def _row_problems(origin: Origin, plan: Plan, main: table.Runs, run: Trace) -> list[str]:
    """Every remaining input row is released once, or suppressed within the limit."""
    behind = origin.behind(run, len(main.times))
    if len(behind) != len(main.times) + 1 or behind.sum() != origin.rows:
        return [f"{_rows_were(main.height)} released, of {origin.rows:,} rows that were not left out."]
    more = main.times - behind[1:]
    if more.any():
        return [
            f"{_rows_were(int(more[more > 0].sum()))} released without an input row of their own, "
            f"and {_rows_were(int(-more[more < 0].sum()))} lost."
        ]
    left_out = origin.rows - main.height
    limit = math.floor(fraction(plan.release.suppression) * origin.rows)
    if not 0 <= left_out <= limit:
        return [f"{_rows_were(left_out)} suppressed; the plan allows {limit:,}."]
    return []


def _column_problems(origin: Origin, cells: pl.Series, plan: Plan, run: Trace) -> list[str]:
    name, column = cells.name, plan.columns.get(cells.name)
    if column is None or column.role not in ("quasi-identifier", "sensitive", "quasi-sensitive"):
        return _changed(name, origin.differing(name, cells, run))
    raw, counts = origin.distinct(name)
    pairs, written = origin.pairs(name, cells, run), (plan.data.absent, plan.data.notation)
    if column.role == "quasi-sensitive":
        added = added_items(raw, pairs.released, pairs.value, pairs.cell, column, plan.data.absent)
        return _with_other_items(name, int(pairs.rows[added].sum()))
    if column.role == "sensitive":
        return _changed(name, _rows_with_other_texts(pairs, canonical(raw, column, *written)))
    values = Values(raw, counts, column, *written)
    if not forms.by_kind(plan.release.form).generalizes:
        return _changed(name, _rows_with_other_texts(pairs, text_of(values.typed)))
    labels = pairs.released.cast(pl.String).fill_null(MISSING).to_list()
    wrong = values.false_labels(labels, pairs.value, pairs.cell, hierarchy(plan, name))
    return [f"Column '{name}' has {wrong} labels that are not true of the values in their rows."] if wrong else []


def _rows_with_other_texts(pairs: Pairs, texts: pl.Series) -> int:
    """The rows whose released cell is not the text of their raw value; a missing one may be written as empty text."""
    expected, released = (_as_text(column) for column in (texts, pairs.released))
    differ = (expected.gather(pairs.value) != released.gather(pairs.cell)).to_numpy()
    return int(pairs.rows[differ].sum())


def _changed(name: str, wrong: int) -> list[str]:
    return [f"Column '{name}' has {wrong} cells that differ from those of their input rows."] if wrong else []


def _with_other_items(name: str, wrong: int) -> list[str]:
    cells = counted(wrong, "cell with an item that its input row does", "cells with items that their input rows do")
    return [f"Column '{name}' has {cells} not have."] if wrong else []


def require_faithful(problems: Sequence[str]) -> None:
    """Raises if the released tables say something that is not true of the input."""
    if problems:
        raise PromiseBroken(f"The release is not true to its input: {' '.join(problems)} It was not published.")
