"""Values that contradict the name of a column: names, numbers of individuals and codes under a harmless word.

A short or common word, such as `pt`, `lab` or `status`, may stand for a result or for the individual. What would be
released because of its name is not if its values look like those of an identifier.
"""

from __future__ import annotations

import re

from shoal.profiling import carers, signs, values
from shoal.profiling.facts import Facts
from shoal.profiling.signs import DROP, IDENTIFIER, QUASI, SENSITIVE, Sign
from shoal.table.patterns import mostly

_FEWEST = 10
_FEWEST_NAMES = 4
_FEWEST_CODES = 5
_FEWEST_TEXTS = 20
_MANY_VALUES = 20
_ENOUGH_ROWS = 50
_LONG_NUMBER = 10**7
_MEASURED = ("laboratory", "measurement", "height", "vital")
_PLACES = ("places", "states or regions", "origin", "language")
_ORDERED = (signs.DATE.what, signs.AGE.what, signs.AGE_IN_PARTS.what, signs.ZIP.what, "visible features")
"""What forms classes although most values are unique: ranges, and the first digits of postal codes."""
_SEVERAL_WORDS = re.compile(r"[^\W\d_a-z][^\W\d_]*\.?(?:[ ,]+[^\W\d_a-z][^\W\d_'’.-]*){1,3}")
_LONG_DIGITS = re.compile(r"\d{6,}(?:\.0)?", re.ASCII)
_CODED = ("diagnos", "treatments", "tumour", "symptom", "postal")
_CODE = re.compile(r"[A-Za-z]{0,4}[-_ ./]?\d{3,}[A-Za-z]?|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}", re.ASCII)
_LONG_CODE = re.compile(r"(?=.*\d)[A-Za-z0-9]{10,}", re.ASCII)
"""Longer than the codes of diagnoses, procedures and drugs, which repeat."""
_HASH = re.compile(r"(?=[0-9a-f]*\d)(?=(?:[0-9a-f]*[a-f]){2})[0-9a-f]{8,}", re.ASCII | re.IGNORECASE)
"""With two letters: one alone stands before the numbers of areas and records."""


def contradicted(facts: Facts, sign: Sign) -> Sign | None:
    """The sign by the values of a column that would be published by its name; None if they do not contradict it."""
    if sign.role in (IDENTIFIER, DROP):
        return None
    if sign.role == QUASI and facts.nearly_unique and not _is_ordered(facts, sign):
        return _hardly_repeating(facts)
    if facts.type == "text" and carers.are_titled_names(facts.sample):
        return signs.NAMES.at_most("medium")
    if facts.type == "text" and sign.role == SENSITIVE and _are_full_names(facts):
        return signs.NAMES.at_most("medium")
    if facts.distinct < _FEWEST:
        return None
    return _text(facts, sign) if facts.type == "text" else _number(facts, sign)


def _are_full_names(facts: Facts) -> bool:
    """Whether a few values are names with several words, as those of carers are under a clinical word."""
    return facts.distinct >= _FEWEST_NAMES and mostly(_SEVERAL_WORDS, facts.sample) and values.are_names(facts.sample)


def _is_ordered(facts: Facts, sign: Sign) -> bool:
    return sign.what in _ORDERED and (facts.type != "text" or bool(sign.hierarchy) or values.are_numbers(facts.sample))


def _hardly_repeating(facts: Facts) -> Sign | None:
    """The sign of a would-be quasi-identifier with mostly unique values: classes would list them one by one.

    Long numbers and codes identify in any table; a few rows of other values are no evidence.
    """
    if facts.known >= _FEWEST_CODES and (mostly(_LONG_DIGITS, facts.sample) or values.are_record_codes(facts.sample)):
        return signs.RECORD_NUMBER.at_most("medium")
    if facts.known < _FEWEST_TEXTS:
        return None
    return Sign("mostly unique values, which form no classes", DROP, confidence="medium")


def _text(facts: Facts, sign: Sign) -> Sign | None:
    if not sign.what.startswith(_PLACES) and values.are_names(facts.sample):
        return signs.NAMES.at_most("medium")
    if mostly(_HASH, facts.sample):
        return signs.RECORD_NUMBER.at_most("medium")
    if facts.distinct < _MANY_VALUES or values.clinical(facts.sample) is not None:
        return None
    if facts.nearly_unique and mostly(_LONG_CODE, facts.sample):
        return signs.RECORD_NUMBER.at_most("medium")
    if sign.what.startswith(_CODED):
        return None
    if mostly(_CODE, facts.sample) and not values.are_numbers(facts.sample) and not sign.hierarchy:
        return signs.RECORD_NUMBER.at_most("medium")
    if sign.what.startswith(_MEASURED) and facts.nearly_unique and not values.are_numbers(facts.sample):
        return signs.UNIQUE_TEXT
    return None


def _number(facts: Facts, sign: Sign) -> Sign | None:
    """Numbers that count the rows, or that are as long as telephone numbers and hardly repeat."""
    if facts.type != "integer" or facts.known < _ENOUGH_ROWS or sign.what == signs.DATE.what:
        return None
    low, high = facts.span
    counts_rows = facts.once == facts.known and high - low + 1 == facts.distinct
    if counts_rows or (facts.nearly_unique and low >= _LONG_NUMBER):
        return signs.RECORD_NUMBER.at_most("medium")
    return None
