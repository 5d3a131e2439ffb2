"""The Safe Harbor list: which of the eighteen kinds of identifiers a table holds, 45 CFR 164.514(b)(2)(i)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from shoal.counts import counted
from shoal.labels import Meaning, Range
from shoal.profiling import signs
from shoal.profiling.naming import is_about_birth
from shoal.regulation.ages import shows_over_89
from shoal.regulation.base import Line
from shoal.regulation.contents import Content, texts_of
from shoal.regulation.dates import HAS_DATE, IS_NO_SINGLE_DATE, IS_SINGLE_DATE, IS_YEAR, is_within_a_year

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

SMALL_ZIP3 = frozenset(
    {
        *("036", "059", "063", "102", "203", "556", "692", "790", "821"),
        *("823", "830", "831", "878", "879", "884", "890", "893"),
    }
)
"""The 17 three-digit ZIP areas with at most 20,000 inhabitants in the census of 2000, as the guidance of the Department
of Health and Human Services of 26 November 2012 lists them. Current census data takes precedence over this list."""

_DIGITS_OF_ZIP = 3
_AREA = re.compile(r"(\d{3})00"), re.compile(r"(\d{3})99")
"""The first and the last code of a three-digit area."""
_HAS_ZIP = r"^[\[{\\]?[0-9]{3}"
"""A label of postal codes; any other text in a column of such a name, like `unknown`, shows none."""


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
    yield from _parts_of_dates_and_places(content, top)
    own = (signs.DATE.what, signs.ZIP.what)
    if sign.hipaa and content.rows and sign.what not in own:
        yield sign.hipaa, Found(content.name, content.rows, f"seems to hold {sign.what}", content.removed)


def _parts_of_dates_and_places(content: Content, top: float | None) -> Iterator[tuple[str, Found]]:
    """Ages, dates and postal codes, of which a part may be shown."""
    sign, shown = content.sign, {content.sign.what, content.named.what if content.named is not None else ""}
    if sign.what == signs.AGE_IN_PARTS.what:
        said = "holds ages in parts of years, which must not show an age over 89 years"
        yield "C", Found(content.name, content.rows, said, content.removed, sure=False)
    elif signs.AGE.what in shown:
        yield from _ages(content, top)
    if sign.hipaa != "C" or sign.what == signs.DATE.what:
        yield from _dates(content)
    if signs.ZIP.what in shown:
        yield from _zip_codes(content)


def _counted(letter: str, content: Content, rows: int, what: str) -> Iterator[tuple[str, Found]]:
    if rows:
        yield letter, Found(content.name, rows, what, content.removed)


def _ages(content: Content, top: float | None) -> Iterator[tuple[str, Found]]:
    """Ages over 89, unless the plan top-codes them as one value, 90 or older."""
    rows = content.rows_where(lambda text: shows_over_89(text, top))
    yield from _counted("C", content, rows, "shows ages over 89")


def _dates(content: Content) -> Iterator[tuple[str, Found]]:
    """Dates finer than a year: in a column of dates all but years, in any other column what has the form of one."""
    is_of_dates = content.sign.what == signs.DATE.what
    rows = content.rows_of(is_within_a_year, form=IS_NO_SINGLE_DATE if is_of_dates else HAS_DATE)
    if is_of_dates:
        rows += content.rows_like(IS_SINGLE_DATE) - content.rows_like(IS_YEAR)
    yield from _counted("C", content, rows, "shows dates finer than a year")
    if is_of_dates and content.rows and is_about_birth(content.name):
        said = "is about birth: a year must not show an age over 89"
        yield "C", Found(content.name, content.rows, said, content.removed, sure=False)


def _zip_codes(content: Content) -> Iterator[tuple[str, Found]]:
    form = "" if content.sign.what == signs.ZIP.what else _HAS_ZIP
    long = content.rows_of(lambda meaning: any(len(text) > _DIGITS_OF_ZIP for text in _prefixes(meaning)), form)
    small = content.rows_of(_shows_small_area, form)
    yield from _counted("B", content, long, "shows more than three digits of postal codes")
    said = "shows three-digit areas of at most 20,000 inhabitants, which must be 000"
    yield from _counted("B", content, small, said)


def _shows_small_area(meaning: Meaning) -> bool:
    """Whether a label shows a small area; a range of areas shows one only if all of its areas are small."""
    prefixes = _prefixes(meaning)
    if isinstance(meaning, Range) and all(text.isdigit() and len(text) == _DIGITS_OF_ZIP for text in prefixes):
        low, high = map(int, prefixes)
        return low <= high and all(f"{area:03}" in SMALL_ZIP3 for area in range(low, high + 1))
    return any(text in SMALL_ZIP3 for text in prefixes)


def _prefixes(meaning: Meaning) -> tuple[str, ...]:
    """What a label shows of postal codes: a range of whole areas shows three digits."""
    if isinstance(meaning, Range):
        first, last = _AREA[0].fullmatch(meaning.low), _AREA[1].fullmatch(meaning.high)
        if first is not None and last is not None:
            return first[1], last[1]
    return tuple(_prefix(text) for text in texts_of(meaning))


def _prefix(text: str) -> str:
    """What a label shows of a postal code. A number of up to three digits may have lost its leading zeros."""
    shown = re.sub(r"[^0-9A-WYZa-wyz]+$", "", text.strip())
    return text.zfill(_DIGITS_OF_ZIP) if text.isdigit() else shown
