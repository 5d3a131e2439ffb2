"""Forms of values: identifiers with an unmistakable form, numbers with a prefix, free text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_ONE_IN_MAY_DIFFER = 5
_PROSE_LENGTH = 40
_PROSE_WORDS = 6


class Identifier(NamedTuple):
    """A kind of identifier by the form of its values.

    `hipaa`: its letter in the Safe Harbor list of identifiers. `person`: a value identifies one person.
    """

    what: str
    hipaa: str
    pattern: re.Pattern[str]
    person: bool = False


_DAY_FIRST = r"(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2}"
IDENTIFIERS = (
    Identifier("e-mail addresses", "F", re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")),
    Identifier("web addresses", "N", re.compile(r"(?:https?|ftp)://\S+|www\.\S+")),
    Identifier("device numbers", "M", re.compile(r"[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}")),
    Identifier("social security numbers", "G", re.compile(r"\d{3}[- ]\d{2}[- ]\d{4}"), person=True),
    Identifier(
        "national identity or insurance numbers",
        "G",
        re.compile(
            rf"{_DAY_FIRST}-\d{{4}}"  # Denmark
            rf"|{_DAY_FIRST}[-+A-FU-Y]\d{{3}}[0-9A-Y]"  # Finland
            rf"|(?:19|20)?\d{{2}}(?:0[1-9]|1[0-2])(?:[06][1-9]|[1278]\d|[39][01])[-+]\d{{4}}"  # Sweden
            r"|[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}"  # France
            r"|[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]"  # Italy
            r"|\d{8}[A-HJ-NP-TV-Z]|[XYZ]\d{7}[A-HJ-NP-TV-Z]"  # Spain
            r"|[A-Z]\d{9}"  # Germany, health insurance
            r"|[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]"  # United Kingdom
        ),
        person=True,
    ),
    Identifier(
        "network addresses", "O", re.compile(r"\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F:]+")
    ),
    Identifier("unique codes", "R", re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")),
    Identifier("hashes", "R", re.compile(r"(?=.*\d)(?=.*[A-Fa-f])(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{40}|[0-9a-fA-F]{64})")),
    Identifier("vehicle numbers", "L", re.compile(r"(?=.*\d)(?=.*[A-Z])[A-HJ-NPR-Z0-9]{17}")),
    Identifier("account numbers", "J", re.compile(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?")),
    Identifier(
        "telephone numbers",
        "D",
        re.compile(r"(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,5}\) ?|\d{3}[ .-])\d{3}[ .-]?\d{4}|\+\d[\d .-]{7,16}\d"),
    ),
)
_NUMBERED = re.compile(r"([A-Za-z]{1,8}[-_ /.#]?)\d{4,}")


def identifier_in(sample: Sequence[str]) -> Identifier | None:
    """The kind of identifier that most of the values are, or None.

    >>> identifier_in(["078-05-1120", "219-09-9999"]).what
    'social security numbers'
    """
    return next((kind for kind in IDENTIFIERS if sample and mostly(kind.pattern, sample)), None)


INSIDE = r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}|\b\d{3}-\d{2}-\d{4}\b|\+\d[\d .-]{7,16}\d"
"""Surely an identifier wherever it stands in a text: e-mail addresses, social security and telephone numbers."""
_INSIDE = re.compile(INSIDE)


def identifier_inside(sample: Sequence[str]) -> Identifier | None:
    """The kind of identifier that stands inside one of the texts, or None.

    >>> identifier_inside(["write to ann@example.org", "stable"]).what
    'e-mail addresses'
    """
    found = next((match[0] for value in sample if (match := _INSIDE.search(value))), None)
    return None if found is None else next((kind for kind in IDENTIFIERS if kind.pattern.fullmatch(found)), None)


def is_numbered(sample: Sequence[str]) -> bool:
    """Whether the values are numbers with a common prefix, such as P000123.

    >>> is_numbered(["P-00012", "P-00437"]), is_numbered(["E1165", "C3412"])
    (True, False)
    """
    prefixes = {match[1] if (match := _NUMBERED.fullmatch(value)) else "" for value in sample}
    return len(prefixes) == 1 and prefixes != {""}


def is_prose(sample: Sequence[str]) -> bool:
    """Whether the values are long texts of several words. Sets of items, separated by bars, are not.

    >>> is_prose(["Seen after a fall at home, with her daughter."]), is_prose(["a long list|of items|with bars in it"])
    (True, False)
    """
    if not sample or any("|" in value for value in sample):
        return False
    letters = sum(len(value) for value in sample) / len(sample)
    words = sum(value.count(" ") + 1 for value in sample) / len(sample)
    return letters > _PROSE_LENGTH or words > _PROSE_WORDS


def mostly(pattern: re.Pattern[str], sample: Sequence[str]) -> bool:
    """Whether most values match; stops early, because most patterns fail on most columns."""
    may_fail = len(sample) // _ONE_IN_MAY_DIFFER
    for value in sample:
        if pattern.fullmatch(value) is None:
            if may_fail == 0:
                return False
            may_fail -= 1
    return True
