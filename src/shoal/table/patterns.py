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
        "network addresses",
        "O",
        re.compile(
            r"\d{1,3}(?:\.\d{1,3}){3}"
            r"|(?:(?:[0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F:]+"
            r"|(?=.*::)(?:[0-9a-fA-F]{0,4}:){2,7}(?:[0-9a-fA-F]{0,4}|\d{1,3}(?:\.\d{1,3}){3}))"  # without zeros
            r"(?:%\w+)?(?:/\d{1,3})?"
        ),
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


_START, _END = r"(?:^|[^\w.+-])", r"(?:$|[^\w-])"
"""What may stand around a telephone number; digits, letters and hyphens would make it part of another number."""
_TELEPHONE_WORD = r"(?i:\b(?:tele(?:phone|fon)|phone|tel|mobile|fax)\b[.:]*(?: ?(?:no|nr|number)\b[.:]*)? ?)"
_TELEPHONES = (
    r"\+\d[\d .-]{7,16}\d",
    r"\(\d{2,5}\) ?\d{3}[ .-]?\d{4}\b",
    rf"{_START}(?:1[ .-])?\d{{3}}[.-]\d{{3}}[.-]\d{{4}}{_END}",
    rf"{_START}(?:1[ .-])?[2-9]\d{{2}}[ .-][2-9]\d{{2}}[ .-]\d{{4}}{_END}",
    rf"{_TELEPHONE_WORD}(?:\d{{7}}|[03-9]\d{{7}}|\d{{9,13}}|\d{{2,5}}[ /.-]\d{{4,8}}|\d{{3}}[ .-]\d{{4}}){_END}",
    rf"(?i:\b(?:call|cell)\b:? ?)1?[2-9]\d{{9}}{_END}",
)
"""With a country code, brackets or the American groups of digits; other digits only after a word for a telephone.

Eight digits after such a word are a date if they begin with 1 or 2.
"""
INSIDE = (
    Identifier("e-mail addresses", "F", re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")),
    Identifier("social security numbers", "G", re.compile(r"\b\d{3}-\d{2}-\d{4}\b"), person=True),
    Identifier("telephone numbers", "D", re.compile("|".join(_TELEPHONES))),
)
"""Surely an identifier wherever it stands in a text. The patterns have no lookaround, so that polars can read them."""
ANY_INSIDE = "|".join(kind.pattern.pattern for kind in INSIDE)


def identifier_inside(sample: Sequence[str]) -> Identifier | None:
    """The kind of identifier that stands inside one of the texts, or None.

    >>> identifier_inside(["write to ann@example.org", "stable"]).what
    'e-mail addresses'
    """
    return next((kind for value in sample for kind in INSIDE if kind.pattern.search(value)), None)


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
