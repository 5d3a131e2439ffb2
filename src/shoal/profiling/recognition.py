"""Recognition: the content of a column by its name and its values, and the role that it suggests.

What is not recognized is not released. A column that may be harmful never becomes a quasi-identifier, because a
quasi-identifier is published exactly wherever a class agrees in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from shoal.profiling import signs, values
from shoal.profiling.contradictions import contradicted
from shoal.profiling.facts import Facts
from shoal.profiling.naming import readings
from shoal.profiling.numbers import are_national_numbers
from shoal.profiling.signs import DROP, IDENTIFIER, QUASI, SENSITIVE, Need, Sign

K = 5

_ENOUGH_ROWS = 100
_LONGEST_PREFIXED = 12
_FEWEST_NUMBERED = 20
_SHARE_NUMBERED = 0.05
_LARGEST_CATEGORY = 40
_FLAG_VALUES = 4
_CALENDAR_PARTS = 366
_YEARS = (1850, 2200)
_CYCLES = frozenset((4, 7, 12, 23, 31, 52, 53, 366))
_PERSONAL = ("sex", "origin", "family", "education or work", "language or nationality")


def recognized(facts: Facts) -> Sign:
    """The content of a column, from its name where that is clear and its values bear it out, else from its values."""
    sign = _recognized(facts)
    return contradicted(facts, sign) or sign


def _recognized(facts: Facts) -> Sign:
    named = next((sign for sign in readings(facts.name) if sign.needs is None or _fulfils(facts, sign.needs)), None)
    if named is not None and named.role == IDENTIFIER:
        return _identifier(facts, named)
    by_form = values.sure(facts.sample) if facts.type == "text" else None
    if by_form is not None:
        return by_form
    if _holds_dates(facts):
        return replace(signs.DATE, confidence="high" if named is not None else "medium")
    if named is None:
        return _by_values(facts)
    if named.role == SENSITIVE:
        return _sensitive(facts, named)
    if named.role == QUASI:
        return _quasi(facts, named)
    return _unchanging(facts) or named


def _identifier(facts: Facts, sign: Sign) -> Sign:
    """The sign of an identifier; names number no individuals, because several may have the same."""
    if sign.numbers is not None and facts.type == "text" and values.are_names(facts.sample):
        return signs.NAMES
    return sign


def _fulfils(facts: Facts, need: Need) -> bool:
    """Whether the values are what the name of the column promises."""
    if facts.distinct == 0:
        return True
    if need == "record numbers":
        return _numbers_records(facts)
    if need == "texts":
        return not _is_flag(facts)
    if _holds_dates(facts) or (need == "dates" and _may_be_dates(facts)):
        return True
    if need == "parts of dates":
        return facts.is_number or values.are_calendar_parts(facts.sample) or facts.distinct <= _CALENDAR_PARTS
    return facts.type == "integer" and (_are_years(facts) or (need == "cycles" and _is_cycle(facts)))


def _may_be_dates(facts: Facts) -> bool:
    return values.are_compact_times(facts.sample) or values.are_american_dates(facts.sample)


def _are_years(facts: Facts) -> bool:
    low, high = facts.span
    return _YEARS[0] <= low and high <= _YEARS[1]


def _is_cycle(facts: Facts) -> bool:
    """Whether the numbers run from the first to the last month, weekday, hour or the like; counts rarely do."""
    low, high = facts.span
    return low in (0, 1) and high in _CYCLES and facts.distinct >= high


def _holds_dates(facts: Facts) -> bool:
    if facts.type in ("date", "datetime"):
        return True
    if facts.type == "text":
        return values.are_dates(facts.sample)
    return facts.type == "integer" and values.are_compact_dates(facts.sample)


def _numbers_records(facts: Facts) -> bool:
    """Whether the values number many records, rather than code a few categories."""
    if facts.type not in ("integer", "text"):
        return False
    if facts.type == "integer" and facts.span[1] <= _LARGEST_CATEGORY and not facts.nearly_unique:
        return False
    return facts.nearly_unique or facts.distinct >= max(_FEWEST_NUMBERED, _SHARE_NUMBERED * facts.known)


def _sensitive(facts: Facts, sign: Sign) -> Sign:
    """The sign of a sensitive column, or that of free text, which may identify by itself."""
    if facts.is_prose:
        return signs.FREE_TEXT
    if sign.what.startswith("diagnos"):
        if values.diagnosis_codes(facts.sample) is not None:
            return replace(signs.DIAGNOSIS_CODE, confidence=sign.confidence)
        if values.are_icd_9(facts.sample):
            return replace(signs.OLD_DIAGNOSIS_CODE, confidence=sign.confidence)
    return sign


def _quasi(facts: Facts, sign: Sign) -> Sign:
    """The sign of a quasi-identifier, unless the values show that it is something else."""
    if sign.what == signs.ZIP.what and facts.distinct and not values.are_postal(facts.sample):
        return unknown(facts)
    is_date = sign.what == signs.DATE.what
    if facts.type == "text" and not is_date and not _fitting(sign.hierarchy, facts) and _ungroupable(facts):
        return _identifying_text(facts)
    if facts.type == "text" and values.are_streets(facts.sample):
        return signs.ADDRESSES
    if facts.type == "text" and facts.distinct >= _FEWEST_NUMBERED and _is_person_like(sign, facts):
        return signs.NAMES.at_most("medium")
    if _is_flag(facts) and sign.what.startswith("providers"):
        return signs.CARE_USE  # whether somebody was in hospital
    if sign.what == signs.VISIT_KIND.what or sign.confidence != "high":
        clinical = values.clinical(facts.sample) if facts.type == "text" else None
        if clinical is not None:
            return clinical
        if _is_flag(facts) and sign.what not in _PERSONAL:
            return unknown(facts)
    return sign


def _is_person_like(sign: Sign, facts: Facts) -> bool:
    """Whether a column about individuals holds names; places and carers may be called like individuals."""
    return sign.what in _PERSONAL and values.are_names(facts.sample)


def _ungroupable(facts: Facts) -> bool:
    """Whether text cannot form classes, whatever the column's name; a small table is no evidence."""
    if facts.is_prose:
        return True
    return facts.nearly_unique and facts.rows >= _ENOUGH_ROWS and not values.are_numbers(facts.sample)


def _identifying_text(facts: Facts) -> Sign:
    if facts.is_prose:
        return signs.FREE_TEXT
    return Sign("text with mostly unique values", IDENTIFIER, "R", numbers="records", confidence="medium")


def _by_values(facts: Facts) -> Sign:
    """The sign of a column whose name means nothing."""
    unchanging = _unchanging(facts)
    if unchanging is not None:
        return unchanging
    sign = _text(facts) if facts.type == "text" else _integers(facts) if facts.type == "integer" else None
    return unknown(facts) if sign is None else sign


def _integers(facts: Facts) -> Sign | None:
    if are_national_numbers(facts.sample):
        return signs.NATIONAL_NUMBER
    if values.are_clinical_concepts(facts.sample) and len(facts.sample) >= K:
        return Sign("clinical codes", SENSITIVE, confidence="medium")
    return signs.RECORD_NUMBER.at_most("medium") if facts.once == facts.known else None


def _text(facts: Facts) -> Sign | None:
    if facts.is_prose:
        return signs.FREE_TEXT
    if values.are_sexes(facts.sample):
        return signs.SEX.at_most("medium")
    if are_national_numbers(facts.sample):
        return signs.NATIONAL_NUMBER
    if values.are_streets(facts.sample) or values.are_coordinates(facts.sample):
        return signs.ADDRESSES
    if values.are_names(facts.sample) and facts.distinct >= K:
        return signs.NAMES.at_most("medium")
    if values.are_zips(facts.sample) or values.are_postcodes(facts.sample):
        return signs.ZIP.at_most("medium")
    if values.are_record_codes(facts.sample) and _numbers_records(facts):
        return signs.RECORD_NUMBER.at_most("medium")
    clinical = values.clinical(facts.sample)
    if clinical is not None:
        return clinical
    return _identifying_text(facts) if facts.nearly_unique else None


def _unchanging(facts: Facts) -> Sign | None:
    if facts.distinct == 0:
        return Sign("empty", DROP)
    if facts.distinct == 1 and facts.known == facts.rows and facts.rows >= K:
        return Sign("the same in every row", DROP)
    return None


def _is_flag(facts: Facts) -> bool:
    return facts.distinct <= _FLAG_VALUES and values.are_flags(facts.sample)


def unknown(facts: Facts) -> Sign:
    """The sign of a column that is not recognized, with its number of distinct values."""
    return replace(signs.UNKNOWN, what=f"not recognized, {facts.distinct:,} distinct values")


def fitting(sign: Sign, facts: Facts) -> Mapping[str, object]:
    """The hierarchy of a sign, or none if it does not fit the values of the column."""
    return _fitting(sign.hierarchy, facts)


def _fitting(hierarchy: Mapping[str, object], facts: Facts) -> Mapping[str, object]:
    if hierarchy == signs.DATE_LEVELS:
        return {"date": signs.DATE_LEVELS, "datetime": signs.DATETIME_LEVELS}.get(facts.type, {})
    if hierarchy == signs.AGE_INTERVALS and not facts.is_number:
        return {}
    if hierarchy == signs.PREFIX and facts.type == "text":
        return {} if facts.values.str.len_chars().gt(_LONGEST_PREFIXED).any() else hierarchy
    return hierarchy
