"""Groups of columns of one kind, as wide tables have them."""

from __future__ import annotations

from collections.abc import Callable

from tests.profiling.corpus.base import Field, Values, sensitive
from tests.profiling.corpus.values import missing, real


def many(make: Callable[[str, Values], Field], listed: str, values: Values) -> tuple[Field, ...]:
    """A column for each of the names, which blanks separate."""
    return tuple(make(name, values) for name in listed.split())


def measured(listed: str, share: float = 0.12, mark: str = "", decimal: str = ".") -> tuple[Field, ...]:
    """A sensitive column for each `name:mean`; a share of the values is missing."""
    pairs = (pair.rsplit(":", 1) for pair in listed.split())
    return tuple(sensitive(name, missing(_around(float(mean), decimal), share, mark)) for name, mean in pairs)


def _around(mean: float, decimal: str) -> Values:
    """Numbers with about three significant digits, as laboratories report them."""
    digits = 0 if mean >= 60 else 1 if mean >= 3 else 2
    return real(mean, mean / 5, digits, decimal)
