"""The Safe Harbor list: which of the eighteen kinds of identifiers a table holds, 45 CFR 164.514(b)(2)(i)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from shoal.counts import counted
from shoal.labels import Meaning, Range
from shoal.profiling import signs
from shoal.profiling.naming import is_about_birth
from shoal.regulation.base import Line
from shoal.regulation.contents import Content, texts_of

KINDS = {
    "A": "names",
    "B": "places smaller than a state, with all but the first three digits of a ZIP code",
    "C": "parts of dates other than the year, and ages over 89",
    "D": "telephone numbers",
    "E": "fax numbers",
    "F": "e-mail addresses",
    "G": "social security numbers",
    "H": "medical record numbers",
    "I": "health plan beneficiary numbers",
    "J": "account numbers",
    "K": "certificate and licence numbers",
    "L": "vehicle identifiers and licence plates",
    "M": "device identifiers and serial numbers",
    "N": "web addresses",
    "O": "network (IP) addresses",
    "P": "biometric identifiers",
    "Q": "full-face photographs and similar pictures",
    "R": "any other unique identifying number, characteristic or code",
}

_CATEGORY = 90
"""Ages from here on may be shown as one category only."""
SMALL_ZIP3 = frozenset(
    {
        *("036", "059", "063", "102", "203", "556", "692", "790", "821"),
        *("823", "830", "831", "878", "879", "884", "890", "893"),
    }
)
"""The 17 three-digit ZIP areas with at most 20,000 inhabitants in the census of 2000, as the guidance of the Department
of Health and Human Services of 26 November 2012 lists them. Current census data takes precedence over this list."""

_YEAR = re.compile(r"\d{4}")
_DIGITS_OF_ZIP = 3
_BAND = re.compile(r"(?P<low>\d+(?:\.\d+)?)(?:\s*(?:-|–|to)\s*(?P<high>\d+(?:\.\d+)?))?(?P<open>\s*\+)?")
"""An age, or a band of ages as tables write it: 40, 40-44, 40 to 44, 90+."""


class Found(NamedTuple):
    """A column in which identifiers of a kind were found: how many rows, and what they show.

    `sure` is false if a person has to look.
    """

    column: str
    rows: int
    what: str
    removed: bool
    sure: bool = True


def checked(contents: Sequence[Content], tops: dict[str, float]) -> tuple[Line, ...]:
    """One line for each of the eighteen kinds. `tops`: column → the number at which the plan top-codes it."""
    by_letter: dict[str, list[Found]] = {letter: [] for letter in KINDS}
    for content in contents:
        for letter, found in _found(content, tops.get(content.name)):
            by_letter[letter].append(found)
    return tuple(_line(letter, found) for letter, found in by_letter.items())


def _line(letter: str, found: Sequence[Found]) -> Line:
    sure, unsure = [each for each in found if each.sure], [each for each in found if not each.sure]
    status = "found" if sure else "check" if unsure else "not found"
    said = "; ".join(_said(each) for each in (*sure, *unsure))
    columns = [each._asdict() for each in found]
    result = f"{status}: {said}." if found else "not found."
    return Line(f"{letter}, {KINDS[letter]}", result, status, {"letter": letter, "columns": columns})


def _said(found: Found) -> str:
    rows = f", {counted(found.rows, 'row', 'rows')}" if found.sure else ""
    removed = " (the plan removes the column)" if found.removed else ""
    return f"'{found.column}' {found.what}{rows}{removed}"


def _found(content: Content, top: float | None) -> Iterator[tuple[str, Found]]:
    """The letter and the finding of everything on the list that a column shows."""
    sign = content.sign
    for kind, rows in content.inside:
        if kind.hipaa != sign.hipaa:
            yield from _counted(kind.hipaa, content, rows, f"has texts that contain {kind.what}")
    if sign.what == signs.AGE.what:
        yield from _ages(content, top)
    elif sign.what == signs.AGE_IN_PARTS.what:
        said = "holds ages in parts of years, which must not show an age over 89 years"
        yield "C", Found(content.name, content.rows, said, content.removed, sure=False)
    elif sign.what == signs.DATE.what:
        yield from _dates(content)
    elif sign.what == signs.ZIP.what:
        yield from _zip_codes(content)
    elif sign.hipaa and content.rows:
        yield sign.hipaa, Found(content.name, content.rows, f"seems to hold {sign.what}", content.removed)


def _counted(letter: str, content: Content, rows: int, what: str) -> Iterator[tuple[str, Found]]:
    if rows:
        yield letter, Found(content.name, rows, what, content.removed)


def _ages(content: Content, top: float | None) -> Iterator[tuple[str, Found]]:
    """Ages over 89, unless the plan top-codes them as one value, 90 or older."""

    def reveals(text: str) -> bool:
        band = _BAND.fullmatch(text)
        if band is None:
            return False
        is_category = band["open"] is not None or (band["high"] is None and float(band["low"]) == top)
        oldest = float(band["high"] or band["low"])
        return oldest > _CATEGORY if is_category else oldest >= _CATEGORY

    yield from _counted("C", content, content.rows_where(reveals), "shows ages over 89")


def _dates(content: Content) -> Iterator[tuple[str, Found]]:
    yield from _counted("C", content, content.rows_of(_is_within_a_year), "shows dates finer than a year")
    if content.rows and is_about_birth(content.name):
        said = "is about birth: a year must not show an age over 89"
        yield "C", Found(content.name, content.rows, said, content.removed, sure=False)


def _is_within_a_year(meaning: Meaning) -> bool:
    """Whether a label shows a part of a date that is shorter than a year, unless it spans whole years."""
    if isinstance(meaning, Range) and meaning.low.endswith("-01-01") and meaning.high.endswith("-12-31"):
        return False
    return any(_YEAR.fullmatch(text) is None for text in texts_of(meaning))


def _zip_codes(content: Content) -> Iterator[tuple[str, Found]]:
    long = content.rows_where(lambda text: len(_prefix(text)) > _DIGITS_OF_ZIP)
    small = content.rows_where(lambda text: _prefix(text) in SMALL_ZIP3)
    yield from _counted("B", content, long, "shows more than three digits of postal codes")
    said = "shows three-digit areas of at most 20,000 inhabitants, which must be 000"
    yield from _counted("B", content, small, said)


def _prefix(text: str) -> str:
    """What a label shows of a postal code. A number of up to three digits may have lost its leading zeros."""
    shown = re.sub(r"[^0-9A-WYZa-wyz]+$", "", text.strip())
    return text.zfill(_DIGITS_OF_ZIP) if text.isdigit() else shown
