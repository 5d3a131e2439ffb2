"""Excel workbooks, read through fastexcel with the types of their cells."""

from __future__ import annotations

import logging
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import MissingExtra, TableError, did_you_mean
from shoal.table.archives import require_bounded
from shoal.table.columns import check_names
from shoal.table.header import FIRST_ROWS, column_names, refuse_absent
from shoal.table.stats import whole_numbers
from shoal.table.used_range import require_used_range

_FIRST_DAYS = [date(1899, 12, 30), date(1899, 12, 31)]
EXTENSIONS = (".xlsx", ".xlsm", ".xls")


def read_excel(path: Path, sheet: str | None, header: bool | None) -> pl.DataFrame:
    """Reads one sheet of a workbook; numbers are integers if all of a column are whole, and mixed columns are text.

    Without `sheet`, only one sheet may have content. `header` is as for text files.
    """
    fastexcel = _fastexcel()
    require_bounded(path)
    try:
        book = fastexcel.read_excel(str(path))
        require_used_range(path, sheet)
        lines = {name: _first_line(book, name) for name in book.sheet_names if sheet in (None, name)}
    except TableError:
        raise
    except Exception:  # its messages may quote cells
        raise _invalid(path) from None
    chosen = _chosen(path, [name for name in book.sheet_names if sheet is not None or lines[name].width], sheet)
    try:
        frame, first = _loaded(book, chosen, lines[chosen], header is not False)
    except Exception:  # as above
        raise _invalid(path) from None
    check_names(first, str(path), in_file=header is None)
    frame.columns = first
    if header is None:
        refuse_absent(frame.head(FIRST_ROWS).with_columns(pl.all().cast(pl.String)), str(path))
    return frame


def _fastexcel() -> Any:
    try:
        fastexcel = import_module("fastexcel")
    except ImportError:
        raise MissingExtra("Excel workbooks need the package fastexcel.", hint="pip install 'shoal[excel]'") from None
    logging.getLogger("fastexcel").setLevel(logging.ERROR)  # it reports every empty column
    return fastexcel


def _first_line(book: Any, sheet: str) -> pl.DataFrame:
    """The first row of a sheet as text; without columns if the sheet is empty."""
    return pl.DataFrame(book.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_polars())


def _loaded(book: Any, sheet: str, line: pl.DataFrame, header: bool) -> tuple[pl.DataFrame, list[str]]:
    """The cells of a sheet whose first row is known, and the names of its columns.

    Types are determined from all rows: from the first ones only, fastexcel would drop cells that do not fit.
    """
    if not line.width:
        return line, []
    cells = book.load_sheet(sheet, header_row=0 if header else None, schema_sample_rows=None).to_polars()
    names = ["" if name is None else str(name) for name in line.row(0)] if header else column_names(cells.width)
    return pl.DataFrame([_times_of_day(whole_numbers(column)) for column in cells]), names


def _times_of_day(column: pl.Series) -> pl.Series:
    """The column as text if it has times without a date, which workbooks store as moments of their first day."""
    if column.dtype == pl.Time:
        return column.dt.to_string("%H:%M:%S")
    if not isinstance(column.dtype, pl.Datetime) or not column.drop_nulls().dt.date().is_in(_FIRST_DAYS).all():
        return column
    return column if column.null_count() == len(column) else column.dt.to_string("%H:%M:%S")


def _chosen(path: Path, names: list[str], sheet: str | None) -> str:
    if sheet is not None and sheet not in names:
        raise TableError(
            f"{path} has no sheet '{sheet}'.",
            allowed=f"Its sheets are {', '.join(names)}.",
            hint=did_you_mean(sheet, names),
        )
    if sheet is None and len(names) > 1:
        raise TableError(
            f"{path} has {len(names)} sheets.",
            allowed=f"Its sheets are {', '.join(names)}.",
            hint='name one with --sheet NAME, in a plan with sheet = "…" under [data].',
        )
    if sheet is None and not names:
        raise TableError(f"{path} has no columns.", allowed="A table needs at least one named column.")
    return names[0] if sheet is None else sheet


def _invalid(path: Path) -> TableError:
    return TableError(f"{path} is not a valid Excel workbook.", hint="save it again, or export it as CSV.")
