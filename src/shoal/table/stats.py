"""Files of statistics programs: reads Stata, SPSS and SAS, and writes Stata and SPSS, through pyreadstat.

Value labels are read in place of codes, and rebuilt from released values when a table is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from shoal.errors import MissingExtra, OutputError, TableError
from shoal.table import stata
from shoal.table.columns import check_names
from shoal.table.moments import plain_moments
from shoal.table.types import as_text

EXTENSIONS = {
    ".dta": ("Stata", "read_dta"),
    ".sav": ("SPSS", "read_sav"),
    ".zsav": ("SPSS", "read_sav"),
    ".sas7bdat": ("SAS", "read_sas7bdat"),
    ".xpt": ("SAS", "read_xport"),
}
"""Extension → the program, and the function of pyreadstat that reads its files."""

_EXACT = 2**53
_LARGEST = 8.9e307
"""Beyond this, Stata takes numbers for missing values, and SPSS its most negative number."""
_LARGEST_INTEGER = 2_147_483_620
"""Beyond this, Stata takes integers of 32 bits for missing values."""
_SPSS_TIME = 92
"""Where the date and the time of writing are in the header of a file."""
_NOT_IN_LABELS = r" \z|\x00"


class _Format(NamedTuple):
    """What a format can hold: lengths in bytes, and how many values of a column may have labels."""

    program: str
    name: re.Pattern[str]
    reserved: frozenset[str]
    longest_text: int
    longest_label: int
    most_labels: int
    keeps_blanks: bool


_STATA_WORDS = "_all _b _coef _cons _n _N _pi _pred _rc _skip _weight byte double float if in int long strL using with"
FORMATS = {
    "dta": _Format(
        "Stata", re.compile(r"(?!str\d)[^\W\d]\w{0,31}"), frozenset(_STATA_WORDS.split()), 1 << 20, 32_000, 65_536, True
    ),
    "sav": _Format(
        "SPSS",
        re.compile(r"(?=[\s\S]*[^.]\Z)[^\W\d_][\w.$#@]*"),
        frozenset(["ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH"]),
        32_767,
        120,
        1 << 20,
        False,
    ),
}
"""The formats that are written."""

_RULES = {
    "dta": "Stata allows names of up to 32 letters, digits and _ that do not begin with a digit; no reserved words.",
    "sav": "SPSS allows names of up to 64 bytes of letters, digits and _ . $ # @ that begin with a letter and do not "
    "end in a point; no reserved words.",
}
_ALLOWED_BESIDES_WORDS = {"dta": "", "sav": ".$#@"}
_LONGEST_NAME = {"dta": 32, "sav": 64}
_MOST_NAMED = 5


# -- reading --------------------------------------------------------------------------------------------------------


def read_stats(path: Path) -> pl.DataFrame:
    """Reads a file of Stata, SPSS or SAS.

    A column whose values all have labels becomes its labels, user-missing values and empty texts are missing, and
    numbers are integers if all of them are whole.
    """
    frame, facts = _stored(path)
    check_names(frame.columns, str(path))
    labels: Mapping[str, Mapping[Any, str]] = facts.variable_value_labels
    return pl.DataFrame([_labelled(column, labels.get(column.name, {})) for column in frame])


def extra_entries(path: Path) -> int:
    """The number of entries of a file that its cells do not show.

    These are labels of values that do not occur, labels of columns and of the file, notes, and user-missing values.
    """
    frame, facts = _stored(path, user_missing=True)
    unused: dict[str, set[Any]] = {name: set(labels) for name, labels in facts.value_labels.items()}
    for column, name in facts.variable_to_label.items():
        unused[name] -= set(frame[column].unique().to_list())
    texts = sum(text not in (None, "") for text in (facts.file_label, *facts.column_labels, *facts.notes))
    groups = (facts.missing_ranges, facts.missing_user_values, facts.mr_sets, *unused.values())
    return texts + sum(map(len, groups))


def _stored(path: Path, **options: bool) -> tuple[pl.DataFrame, Any]:
    """The stored values of a file, and what else pyreadstat finds in it."""
    program, name = EXTENSIONS[path.suffix.lower()]
    reader = getattr(_pyreadstat(), name)
    try:
        frame, facts = reader(str(path), output_format="polars", **options)
    except Exception:  # its messages may quote cells, and its errors have no common class
        raise TableError(f"{path} is not a valid {program} file.", hint="write or copy it again.") from None
    return frame, facts


def _pyreadstat() -> Any:
    try:
        return import_module("pyreadstat")
    except ImportError:
        raise MissingExtra(
            "Files of Stata, SPSS and SAS need the package pyreadstat.", hint="pip install 'shoal[stats]'"
        ) from None


def _labelled(column: pl.Series, labels: Mapping[Any, str]) -> pl.Series:
    """The labels of the values, if each value that occurs has one of its own; else the values."""
    plain = column.replace("", None) if column.dtype == pl.String else whole_numbers(column)
    used = set(column.drop_nulls().unique().to_list()) if labels else set()
    named = {value: label for value, label in sorted(labels.items(), key=lambda item: item[0]) if value in used}
    if not used or used != named.keys() or len(set(named.values())) < len(named) or "" in named.values():
        return plain
    return column.replace_strict(named, return_dtype=pl.Enum(list(named.values())))


def whole_numbers(column: pl.Series) -> pl.Series:
    """The column as integers if all its numbers are whole: some programs store every number as a double."""
    if column.dtype.is_float():
        present = column.drop_nulls().drop_nans()
        if ((present == present.floor()) & (present.abs() <= _EXACT)).all():
            return column.fill_nan(None).cast(pl.Int64)
    return column


# -- writing --------------------------------------------------------------------------------------------------------


def check_columns(names: Sequence[str], format: str) -> None:
    """Raises if the format does not allow the names of the columns."""
    rules = FORMATS.get(format)
    if rules is None:
        return
    broken = [f"'{name}' ({breach})" for name in names if (breach := _breach(name, format)) is not None]
    if broken:
        more = f" and {len(broken) - _MOST_NAMED} more" if len(broken) > _MOST_NAMED else ""
        raise OutputError(
            f"{rules.program} does not allow these names of columns: {', '.join(broken[:_MOST_NAMED])}{more}.",
            allowed=_RULES[format],
            hint='rename the columns, or set format = "csv" or "parquet" under [release].',
        )
    folded = [name.lower() for name in names]
    if format == "sav" and len(set(folded)) < len(folded):
        raise OutputError(
            "Names of columns differ in upper and lower case only, which SPSS does not distinguish.",
            hint='rename the columns, or set format = "csv" or "parquet" under [release].',
        )


def _breach(name: str, format: str) -> str | None:
    """The rule for names that a name breaks, or None."""
    rules, longest = FORMATS[format], _LONGEST_NAME[format]
    reserved = name.lower() in map(str.lower, rules.reserved) if format == "sav" else name in rules.reserved
    if reserved or (format == "dta" and re.match(r"str\d", name)):
        return "a reserved word"
    if format == "sav" and len(name.encode()) > longest:
        return f"longer than {longest} bytes"
    if rules.name.fullmatch(name):
        return None
    return _form_breach(name, format)


def _form_breach(name: str, format: str) -> str:
    other = next(
        (char for char in name if not re.match(r"\w", char) and char not in _ALLOWED_BESIDES_WORDS[format]), ""
    )
    if other:
        return "a blank" if other.isspace() else f"the character '{other}'"
    if len(name) > _LONGEST_NAME[format]:
        return f"longer than {_LONGEST_NAME[format]} characters"
    if format == "sav" and name.endswith("."):
        return "ends in a point"
    return "does not begin with a letter"


def write_stats(frame: pl.DataFrame, format: str) -> Callable[[Path], None]:
    """A function that writes a table to a file; raises before it is written if the format cannot hold the table.

    Columns of numbers in canonical notation become numbers. Texts that repeat become codes with value labels, both
    rebuilt from the values that occur. All of this follows from the texts of the cells, not from their type in memory.
    """
    check_columns(frame.columns, format)
    writer = getattr(_pyreadstat(), f"write_{format}")
    ready, labels = list[pl.Series](), list[dict[int, str]]()
    for column in frame:
        cells, texts = _ready(column, format)
        ready.append(cells)
        labels.append(texts)
    names = stata.short_names(frame.width) if format == "dta" else frame.columns
    table = pl.DataFrame(ready, schema=names)
    named = {name: texts for name, texts in zip(names, labels, strict=True) if texts}
    options = {"version": stata.version(frame.width)} if format == "dta" else {}

    def write(path: Path) -> None:
        try:
            writer(table, str(path), variable_value_labels=named, **options)
        except Exception:  # its messages may quote cells, and its errors have no common class
            raise OutputError(f"{path} could not be written for {FORMATS[format].program}.") from None
        if format == "dta":
            stata.finish(path, frame.columns)
        else:
            _remove_time(path)

    return write


def _ready(column: pl.Series, format: str) -> tuple[pl.Series, dict[int, str]]:
    """The column in a type of the format, and the labels of its codes."""
    if isinstance(column.dtype, pl.Datetime):
        column = plain_moments(column, column.dtype)
        if column.dtype == pl.Datetime and (column.dt.microsecond() == 0).all():
            return column, {}
    if column.dtype == pl.Date:
        return column, {}
    texts = as_text(column).replace("", None)
    distinct = texts.unique().drop_nulls().sort()
    if _are_numbers(distinct):
        return _narrow(texts.cast(pl.Float64)), {}
    if _repeat(texts, distinct) and _fit_labels(distinct, FORMATS[format]):
        codes = texts.cast(pl.Enum(distinct)).to_physical().cast(pl.Int32) + 1
        return codes, dict(enumerate(distinct.to_list(), start=1))
    return _texts(texts, format), {}


def _are_numbers(distinct: pl.Series) -> bool:
    """Whether all texts are those of the numbers that a reader would find; also if there are none."""
    numbers = distinct.cast(pl.Float64, strict=False)
    within = bool((numbers.abs() <= _LARGEST).all())
    return within and as_text(whole_numbers(numbers)).equals(distinct)


def stored_type(column: pl.Series) -> str:
    """How a column of texts is stored: as "integer", "number" or "string"; the texts are those that a reader finds.

    >>> stored_type(pl.Series(["1", "2.5"])), stored_type(pl.Series(["05"]))
    ('number', 'string')
    """
    distinct = column.unique().cast(pl.String).drop_nulls()
    distinct = distinct.filter(distinct != "")
    if not _are_numbers(distinct):
        return "string"
    return "integer" if whole_numbers(distinct.cast(pl.Float64)).dtype == pl.Int64 else "number"


def _narrow(numbers: pl.Series) -> pl.Series:
    """Numbers as integers of 32 bits if they are, which both programs then show without decimals."""
    whole = whole_numbers(numbers)
    fit = whole.dtype == pl.Int64 and bool((whole.abs() <= _LARGEST_INTEGER).all())
    return whole.cast(pl.Int32) if fit else numbers


def _repeat(texts: pl.Series, distinct: pl.Series) -> bool:
    """Whether texts occur twice on average: then they are categories rather than remarks or identifiers."""
    return 2 * len(distinct) <= len(texts) - texts.null_count()


def _fit_labels(distinct: pl.Series, rules: _Format) -> bool:
    """Whether value labels can hold the texts: they end before their last blanks, and at a null character."""
    too_long = (distinct.str.len_bytes() > rules.longest_label).any()
    return len(distinct) <= rules.most_labels and not too_long and not distinct.str.contains(_NOT_IN_LABELS).any()


def _texts(texts: pl.Series, format: str) -> pl.Series:
    rules = FORMATS[format]
    long = int((texts.str.len_bytes() > rules.longest_text).sum())
    _refuse(texts.name, long, f"are longer than {rules.longest_text:,} bytes", format)
    ended = int(texts.str.contains("\x00", literal=True).sum())
    _refuse(texts.name, ended, "contain a null character, which ends a text", format)
    if not rules.keeps_blanks:
        _refuse(texts.name, int(texts.str.ends_with(" ").sum()), "end in a blank, which is not kept", format)
    return texts.fill_null("")


def _refuse(name: str, count: int, what: str, format: str) -> None:
    if count:
        values = "1 value" if count == 1 else f"{count:,} values"
        raise OutputError(
            f"Column '{name}' has {values} that {what} in a file of {FORMATS[format].program}.",
            hint='set format = "csv" or "parquet" under [release].',
        )


def _remove_time(path: Path) -> None:
    """Overwrites the time at which an SPSS file was written, so that its bytes depend on its content alone."""
    with path.open("r+b") as file:
        file.seek(_SPSS_TIME)
        file.write(b"01 Jan 70" + b"00:00:00")
