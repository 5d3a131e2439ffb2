"""Column types: text, integer, real, date, datetime; inferred or declared. Missing values become null."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import polars as pl

from shoal.errors import TableError
from shoal.table import moments

TYPES = ("text", "integer", "real", "date", "datetime")

Decimal = Literal[".", ","]

_SAFE_REAL = 2.0**53  # from here on, doubles cannot represent all integers
_SCIENTIFIC = r"e|E\+"  # as programs write large numbers; codes such as 12E45 have a bare capital

_INTEGER = r"^-?(?:0|[1-9][0-9]*)$"
_REAL = r"^-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_DECLARED_INTEGER = r"^[+-]?[0-9]+(?:\.0*)?$"
_THOUSANDS = r"^[+-]?[1-9][0-9]{0,2},[0-9]{3}$"
_DECLARED_REAL = r"^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"


class Notation(NamedTuple):
    """How numbers and dates are written in a table, where the values do not show it.

    `decimal`: the decimal separator; by default a comma only if no value reads as a number with a thousands separator.
    `dates`: whether 01/02/2020 is in January or in February; by default some date of the column must show it.
    """

    decimal: Decimal | None = None
    dates: moments.DayOrder | None = None


AS_SHOWN = Notation()


class Typed(NamedTuple):
    """A column's type and its values as Int64, Float64, Date, Datetime or String; null is missing."""

    type: str
    values: pl.Series


def typed(column: pl.Series, *, type: str | None, missing: Sequence[str], notation: Notation = AS_SHOWN) -> Typed:
    """The column in its declared type, or in the narrowest type that fits every value.

    Missing values are nulls, NaN and every value whose text, without surrounding blanks, is one of `missing`. A text
    column is inferred as `integer` if no value has a leading zero or a plus sign, so codes such as ZIP codes remain
    text, and as `real` if doubles can represent its values, or if large ones are written like 1e+16. All values of a
    column are written alike, in the given notation or in the only one that fits. Typed columns keep their type, with
    exceptions: booleans become text, date-times become dates if all times are midnight and are in UTC if they have a
    time zone, and integers beyond 64 bits and date-times finer than a microsecond become text.

    >>> typed(pl.Series(["39", "?", " 50"]), type=None, missing=["?"]).values.to_list()
    [39, None, 50]
    >>> typed(pl.Series(["02139", "10001"]), type=None, missing=[]).type
    'text'
    """
    if type is not None and type not in TYPES:
        raise TableError(
            f"Column '{column.name}' has the unknown type '{type}'.", allowed=f"Types are {', '.join(TYPES)}."
        )
    plain, distinct = _without_missing(_plain(column), missing)
    natural = "text" if isinstance(column.dtype, pl.Categorical | pl.Enum) else _NATURAL.get(plain.dtype)
    if natural is not None and type in (None, natural):
        return Typed(natural, _finite(plain))
    if type == "text":
        return Typed("text", as_text(plain))
    if type is None:
        return _guessed(plain, distinct, notation)
    if natural is not None and natural != "text":  # its text is canonical, whatever the notation of the table
        notation = AS_SHOWN
    return Typed(type, _declared(as_text(plain), as_text(distinct), type, notation))


def shown_notation(distinct: pl.Series, *, type: str | None, missing: Sequence[str]) -> Notation:
    """The notation that the values of a column show, if they can be read as numbers or dates in one way only.

    >>> shown_notation(pl.Series(["13/02/2020", "01/02/2020"]), type=None, missing=[]).dates
    'day-first'
    >>> shown_notation(pl.Series(["1,5", "1,234"]), type=None, missing=[]).decimal
    ','
    """
    plain = _plain(distinct)
    if plain.dtype != pl.String or type == "text":
        return AS_SHOWN
    texts = _without_missing(plain, missing)[1].str.strip_chars()
    return Notation(
        None if texts.is_empty() or type in _DATED else _shown_decimal(texts),
        None if texts.is_empty() or type in _NUMBERS else moments.shown_order(texts),
    )


def notation_hint(values: pl.Series) -> str:
    """How the plan can say what texts are that read as numbers or dates in two ways; empty for other values."""
    distinct = values.drop_nulls().unique()
    if distinct.dtype != pl.String or distinct.is_empty():
        return ""
    if moments.are_ambiguous(distinct):
        return 'days and months could be swapped: set dates = "day-first" or "month-first" under [data].'
    texts = distinct.str.strip_chars()
    if texts.str.contains(",", literal=True).any() and _pointed(texts).str.contains(_DECLARED_REAL).all():
        return 'commas could separate decimals or thousands: set decimal = "," under [data] if they are decimal.'
    return ""


def as_text(column: pl.Series) -> pl.Series:
    """The text of every value, null if missing.

    Text is unchanged, whole numbers have no point, and dates and date-times are in ISO format.

    >>> as_text(pl.Series([1.0, 2.5, None])).to_list()
    ['1', '2.5', None]
    """
    plain = _plain(column)
    if plain.dtype == pl.String:
        return plain
    if plain.dtype == pl.Datetime:
        return moments.written(plain)
    text = plain.cast(pl.String)
    return text.str.replace(r"\.0$", "") if plain.dtype.is_float() else text


def _plain(column: pl.Series) -> pl.Series:
    """The column as Int64, Float64, Date, Datetime or String; raises for types without an exact text form."""
    dtype = column.dtype
    if dtype in (pl.String, pl.Int64):
        return column
    if dtype.is_integer():
        return _whole(column)
    if dtype.is_float():
        return _double(column)
    if dtype == pl.Date:
        return moments.plain_days(column)
    if isinstance(dtype, pl.Datetime):
        return moments.plain_moments(column, dtype)
    if isinstance(dtype, pl.Duration):
        return column.dt.to_string("iso")
    if dtype == pl.Time:  # a cast would drop parts of seconds
        return column.dt.to_string("%H:%M:%S%.f")
    if dtype in (pl.Boolean, pl.Null) or isinstance(dtype, pl.Categorical | pl.Enum | pl.Decimal):
        return column.cast(pl.String)
    raise TableError(
        f"Column '{column.name}' contains {dtype.base_type().__name__} values.",
        allowed="Columns contain text, numbers, booleans, dates or times.",
        hint="convert it to text, for instance by joining lists with a separator, or remove it.",
    )


def _whole(column: pl.Series) -> pl.Series:
    narrow = column.cast(pl.Int64, strict=False)
    return narrow if narrow.null_count() == column.null_count() else column.cast(pl.String)


def _double(column: pl.Series) -> pl.Series:
    """The column as Float64; Float32 is converted through its text, so that 0.1 remains 0.1."""
    double = column if column.dtype == pl.Float64 else column.cast(pl.String).cast(pl.Float64)
    return double.fill_nan(None)


def _without_missing(column: pl.Series, missing: Sequence[str]) -> tuple[pl.Series, pl.Series]:
    """The column with null for every missing value, and its distinct non-missing values."""
    distinct = column.unique().drop_nulls()
    is_missing = as_text(distinct).str.strip_chars().is_in(list(missing))
    if is_missing.any():
        kept = pl.when(~pl.first().is_in(distinct.filter(is_missing).implode())).then(pl.first())
        return column.to_frame().select(kept).to_series(), distinct.filter(~is_missing)
    return column, distinct


def _finite(values: pl.Series) -> pl.Series:
    infinite = values.is_infinite().sum() if values.dtype == pl.Float64 else 0
    if infinite:
        raise TableError(
            f"Column '{values.name}' contains {infinite} infinite values.",
            allowed="Numbers must be finite.",
            hint="replace them, or declare the column as text.",
        )
    return values


def _guessed(text: pl.Series, distinct: pl.Series, notation: Notation) -> Typed:
    """The column in the narrowest type that fits every distinct value; a column without values is text."""
    stripped = distinct.str.strip_chars()
    clean = text.str.strip_chars() if (stripped != distinct).any() else text
    if stripped.is_empty():
        return Typed("text", text)
    if stripped.str.contains(_INTEGER).all() and not stripped.cast(pl.Int64, strict=False).has_nulls():
        return Typed("integer", clean.cast(pl.Int64))
    comma = _has_decimal_commas(stripped, notation)
    numbers = _pointed(stripped) if comma else stripped
    if numbers.str.contains(_REAL).all() and _are_doubles(numbers):
        return Typed("real", (_pointed(clean) if comma else clean).cast(pl.Float64))
    dated = moments.guessed(clean, stripped, notation.dates)
    return Typed("text", text) if dated is None else Typed(*dated)


def _are_doubles(numbers: pl.Series) -> bool:
    """Whether doubles represent the numbers: large ones have an exponent, or come back as they were written."""
    values = numbers.cast(pl.Float64)
    large = values.abs() >= _SAFE_REAL
    written = numbers.filter(large)
    rounded = written.str.contains(_SCIENTIFIC) | (as_text(values.filter(large)) == written)
    return bool(values.is_finite().all() and rounded.all())


def _has_decimal_commas(distinct: pl.Series, notation: Notation) -> bool:
    """Whether numbers have decimal commas: the plan says so, or some value cannot be read in another way."""
    if notation.decimal is not None:
        return notation.decimal == ","
    with_comma = distinct.filter(distinct.str.contains(",", literal=True))
    if with_comma.is_empty() or distinct.str.contains(".", literal=True).any():
        return False
    return not with_comma.str.contains(_THOUSANDS).all()


def _shown_decimal(texts: pl.Series) -> Decimal | None:
    """The decimal separator of numbers; None if none has a fraction, or for other texts."""
    comma = _has_decimal_commas(texts, AS_SHOWN)
    if not (_pointed(texts) if comma else texts).str.contains(_DECLARED_REAL).all():
        return None
    return "," if comma else "." if texts.str.contains(".", literal=True).any() else None


def _pointed(text: pl.Series) -> pl.Series:
    """Numbers with a decimal point in place of a decimal comma; a text with a point becomes no number."""
    return text.str.replace_all(".", "x", literal=True).str.replace(",", ".", literal=True)


def _declared(text: pl.Series, distinct: pl.Series, type: str, notation: Notation) -> pl.Series:
    clean, stripped = text.str.strip_chars(), distinct.str.strip_chars()
    if type in _DATED:
        values = _DATED[type](clean, stripped, notation.dates)
    else:
        values = _NUMBERS[type](_pointed(clean) if _has_decimal_commas(stripped, notation) else clean)
    unfit = values.null_count() - text.null_count()
    if unfit:
        raise TableError(
            f"Column '{text.name}' is declared {type}, but {unfit} of its {len(text)} values are not.",
            allowed=_FITS[type],
            hint="declare another type, or list the missing values of the table in the plan.",
        )
    return values


def _integers(clean: pl.Series) -> pl.Series:
    fits = clean.str.contains(_DECLARED_INTEGER)
    return clean.set(~fits, None).str.replace(r"\.0*$", "").cast(pl.Int64, strict=False)


def _reals(clean: pl.Series) -> pl.Series:
    values = clean.set(~clean.str.contains(_DECLARED_REAL), None).cast(pl.Float64, strict=False)
    return values.set(values.is_infinite(), None)


_NATURAL: dict[pl.DataType, str] = {
    pl.Int64(): "integer",
    pl.Float64(): "real",
    pl.Date(): "date",
    moments.MOMENT: "datetime",
}
_NUMBERS = {"integer": _integers, "real": _reals}
_DATED = {"date": moments.declared_days, "datetime": moments.declared_moments}
_FITS = {
    "integer": "Integers are whole numbers within 64 bits.",
    "real": "Reals are finite numbers, all with a decimal point or all with a decimal comma. Where 1,234 could mean "
    '1234, decimal = "," under [data] decides.',
    **moments.FITS,
}
