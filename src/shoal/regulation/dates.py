"""Parts of a year: dates, months, quarters and weeks, by the form of a value whatever its column is called."""

from __future__ import annotations

import re

from shoal.labels import Meaning, Range
from shoal.regulation.contents import texts_of

_YEAR = r"(?:1[89]|20)[0-9]{2}"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_NAMED_DAY = rf"{_DAY}(?:st|nd|rd|th)?\.?(?: of)?"
_NAME = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_TIME = r"(?:[t ,]+[0-9]{1,2}(?::[0-9]{2}|h).*)?"
_FORMS = (
    rf"{_YEAR}[-/](?:0[1-9]|1[0-2])",
    rf"{_YEAR}[-/.]{_MONTH}[-/.]{_DAY}{_TIME}",
    rf"{_MONTH}[-/.]{_YEAR}",
    rf"{_DAY}[-/.]{_DAY}[-/.]{_YEAR}{_TIME}",
    r"[0-3][0-9]/[0-3][0-9]/[0-9]{2}",
    rf"{_NAME}[ ,/-]*{_YEAR}",
    rf"{_NAME}[-/' ]+[0-9]{{2}}",
    rf"{_NAME}[ -]+{_NAMED_DAY}(?:[ ,-]+{_YEAR})?{_TIME}",
    rf"{_NAMED_DAY}[ -]+{_NAME}(?:[ ,-]+(?:{_YEAR}|[0-9]{{2}}))?{_TIME}",
    rf"{_DAY}{_NAME}{_YEAR}{_TIME}",
    rf"{_YEAR}[ -]+{_NAME}(?:[ -]+{_DAY})?",
    rf"{_YEAR}[-/ ]?(?:q[1-4]|h[12]|w[0-5]?[0-9](?:-?[1-7])?)",
    rf"(?:q[1-4]|h[12]|w(?:eek)? ?[0-5]?[0-9])[-/, ]*{_YEAR}",
)
_DATE = f"(?:{'|'.join(_FORMS)})"
HAS_DATE = (
    rf"^\\?(?i:{_DATE}(?:(?: - | ?– ?| to | until |/){_DATE})?|\[{_DATE}, {_DATE}\]|\{{{_DATE}(?:, {_DATE})*\}})$"
)
"""A label that names nothing but dates finer than a year. It has no lookaround, so that polars can read it.

Month names are English. A month name and a number need a separator, because genes are called MARCH1 and SEPT2.
"""
IS_YEAR = r"^[0-9]{4}$"
IS_SINGLE_DATE, IS_NO_SINGLE_DATE = r"^[^\[{\\]", r"^[\[{\\]"
"""Labels of one value, and of ranges, sets and escaped values, which have to be read."""
_ONLY_YEAR = re.compile(IS_YEAR)
_FIRST, _LAST = ("-01", "-01-01", "-Q1"), ("-12", "-12-31", "-Q4")


def is_within_a_year(meaning: Meaning) -> bool:
    """Whether a label of dates shows a part of a date that is shorter than a year, unless it spans whole years."""
    if isinstance(meaning, Range) and _begins_a_year(meaning.low) and _ends_a_year(meaning.high):
        return False
    return any(_ONLY_YEAR.fullmatch(text) is None for text in texts_of(meaning))


def _begins_a_year(text: str) -> bool:
    return text[4:] in _FIRST


def _ends_a_year(text: str) -> bool:
    return text[4:] in _LAST
