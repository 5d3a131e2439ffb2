"""Tables that seem to have no header line, so that their first row was read as the names of the columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from shoal.table.patterns import IDENTIFIERS

_ENOUGH = 2
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
