"""Header lines: tables that seem to have none, so that their first row was read as the names of the columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import polars as pl

from shoal.errors import TableError
from shoal.table.patterns import IDENTIFIERS, mostly

HINT = "if the file has no header line, set header = false under [data], or --no-header on the command line"

_ENOUGH = 2
FIRST_ROWS = 1_000
_COMPARED = 50
_LONG_NUMBER = re.compile(r"\d{6,}")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_DATE = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}")


def seems_absent(names: Sequence[str], contains_name: Callable[[str], bool]) -> bool:
    """Whether the names of the columns seem to be a row of data.

    At least half of the names look like values: a number, a date or an identifier, or a value of the column itself,
    which `contains_name` reports. Numbers alone do not suffice, because columns may be named by years.

    >>> seems_absent(["34", "F", "flu"], lambda name: name in ("F", "flu"))
    True
    >>> seems_absent(["country", "2019", "2020", "2021"], lambda name: False)
    False
    """
    certain = {name for name in names if _is_surely_a_value(name) or contains_name(name)}
    likely = certain | {name for name in names if _NUMBER.fullmatch(name.strip())}
    return len(certain) >= min(_ENOUGH, len(names)) and 2 * len(likely) >= len(names)


def column_names(width: int) -> list[str]:
    """The names of the columns of a table without a header line.

    >>> column_names(2)
    ['column_1', 'column_2']
    """
    return [f"column_{number}" for number in range(1, width + 1)]


def refuse_absent(frame: pl.DataFrame, where: str) -> None:
    """Raises if the names of a table's columns look like a row of data, compared with its first rows.

    Names that are only doubtful are left to a warning, which sees the whole table.
    """
    first = frame.head(FIRST_ROWS)

    def contains_name(name: str) -> bool:
        return first[name].dtype == pl.String and bool((first[name] == name).any())

    names = frame.columns
    if _are_values_of_their_columns(first) or (
        len(names) >= _ENOUGH and (seems_absent(names, contains_name) or _are_unordered_numbers(names))
    ):
        raise TableError(
            f"{where} seems to have no header line: the names of its columns look like a row of data.",
            allowed="A file needs a line with the names of its columns, or a plan that says that there is none.",
            hint=f"{HINT}; if it has one, set header = true.",
        )


def _are_values_of_their_columns(first: pl.DataFrame) -> bool:
    """Whether a name is a date, an identifier or a long number, above a column of the same."""
    return any(_is_value_among_values(name, first[name]) for name in first.columns)


def _is_value_among_values(name: str, column: pl.Series) -> bool:
    text = name.strip()
    shapes = [_DATE, _LONG_NUMBER, *(kind.pattern for kind in IDENTIFIERS)]
    shape = next((shape for shape in shapes if shape.fullmatch(text)), None)
    if shape is None or column.dtype != pl.String:
        return False
    cells = [cell.strip() for cell in column.drop_nulls().head(_COMPARED).to_list()]
    return bool(cells) and mostly(shape, cells)


def _are_unordered_numbers(names: Sequence[str]) -> bool:
    """Whether all names are numbers that do not ascend, as years, visits or wavelengths would."""
    if not all(_NUMBER.fullmatch(name.strip()) for name in names):
        return False
    numbers = [float(name.strip().replace(",", ".")) for name in names]
    return not all(low < high for low, high in pairwise(numbers))


def may_be_absent(names: Sequence[str]) -> bool:
    """Whether the names alone allow that they are a row of data; errors then give positions instead of names.

    >>> may_be_absent(["1970-01-31", "flu", "Ann"]), may_be_absent(["age", "sex", "2020"])
    (True, False)
    """
    surely = any(_is_surely_a_value(name) for name in names)
    return surely or 2 * sum(bool(_NUMBER.fullmatch(name.strip())) for name in names) >= len(names)


def _is_surely_a_value(name: str) -> bool:
    text = name.strip()
    return bool(_DATE.fullmatch(text)) or any(kind.pattern.fullmatch(text) for kind in IDENTIFIERS)
