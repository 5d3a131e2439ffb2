"""Released labels and how to parse them: `[lo, hi]` ranges, `{a, b}` sets, `*` for anything.

A data value that looks like one of these is escaped with a backslash, so every label has exactly one meaning. The label
of a missing value is empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

ANY = "*"
MISSING = ""
_ESCAPED = str.maketrans({char: f"\\{char}" for char in ("\\", ",", "{", "}")})


@dataclass(frozen=True)
class Exactly:
    """One value, released unchanged."""

    value: str


@dataclass(frozen=True)
class Range:
    """Every value from `low` to `high`, both included."""

    low: str
    high: str


@dataclass(frozen=True)
class OneOf:
    """One of the listed values."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class Anything:
    """Any value of the domain."""


Meaning = Exactly | Range | OneOf | Anything


def exact(value: str) -> str:
    r"""The label of a single value, escaped if it would read as something else.

    >>> exact("flu"), exact("*"), exact("[1, 2]")
    ('flu', '\\*', '\\[1, 2]')
    """
    return f"\\{value}" if value.startswith("\\") or not isinstance(_read_plain(value), Exactly) else value


def span(low: str, high: str) -> str:
    """The label of a range; a range of one value is that value itself.

    >>> span("20", "29"), span("7", "7")
    ('[20, 29]', '7')
    """
    return low if low == high else f"[{low}, {high}]"


def one_of(values: Iterable[str]) -> str:
    r"""The label of a set, sorted; a set of one value is that value itself.

    >>> one_of(["b", "a"]), one_of(["a"]), one_of(["a, b", "c"])
    ('{a, b}', 'a', '{a\\, b, c}')
    """
    members = sorted(set(values))
    if len(members) == 1:
        return exact(members[0])
    return "{" + ", ".join(_escape_member(member) for member in members) + "}"


@lru_cache(maxsize=1 << 14)
def read(label: str) -> Meaning:
    """The meaning of a label; the inverse of `exact`, `span` and `one_of`.

    >>> read("{a, b}")
    OneOf(values=('a', 'b'))
    """
    return Exactly(label[1:]) if label.startswith("\\") else _read_plain(label)


def _read_plain(label: str) -> Meaning:
    """The meaning of a label that is not escaped."""
    if label == ANY:
        return Anything()
    if label.startswith("[") and label.endswith("]") and ", " in label:
        low, _, high = label[1:-1].partition(", ")
        return Range(low, high)
    if label.startswith("{") and label.endswith("}"):
        return OneOf(tuple(_members(label[1:-1])))
    return Exactly(label)


def _escape_member(value: str) -> str:
    return value.translate(_ESCAPED)


def _members(inside: str) -> Iterable[str]:
    """The members of a set, without their escapes."""
    member, chars = "", iter(inside)
    for char in chars:
        if char == "\\":
            member += next(chars, "")
        elif char == ",":
            yield member
            member = ""
            next(chars, None)  # the space after the comma
        else:
            member += char
    yield member
