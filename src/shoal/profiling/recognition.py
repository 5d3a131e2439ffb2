"""Recognition: the content of a column by its name and its values, and the role that it suggests.

What is not recognized is not released. A column that may be harmful never becomes a quasi-identifier, because a
quasi-identifier is published exactly wherever a class agrees in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from shoal.profiling import carers, signs, values
from shoal.profiling.contradictions import contradicted
from shoal.profiling.facts import Facts
from shoal.profiling.harmful_dates import harmful_date
from shoal.profiling.naming import ideas, readings
from shoal.profiling.needs import fulfils, holds_dates, is_flag, numbers_records
from shoal.profiling.numbers import are_national_numbers
from shoal.profiling.signs import DROP, IDENTIFIER, QUASI, SENSITIVE, Sign
from shoal.profiling.vocabulary import vocabulary
from shoal.profiling.words import words
from shoal.table.patterns import mostly

K = 5

_ENOUGH_ROWS = 100
_LONGEST_PREFIXED = 12
_FEWEST_NUMBERED = 20
_CARE = ("providers", "places or providers", "medical specialties", "the kind of a visit")
_CARERS = ("providers", "physicians")
_FACILITY_CODE = re.compile(r"[A-Za-z]{0,4}[-_ ]?\d{2,}[A-Za-z]{0,2}", re.ASCII)
_LARGEST_KIND = 99
"""Larger numbers are those of hospitals; smaller ones may code their kind or size."""
_DISCLOSED = frozenset(("named_disease", "habits"))
_MOST_PLACES = 200
_LONGEST_PLACE = 60
_SHORTEST_ILLNESS = 3
_IN_NAMES = frozenset(("heart", "stroke", "faith", "union", "trust", "travel", "benefits", "religious", "motion"))
"""Words that hospitals, wards and insurers have in their names."""
_PERSONAL = ("sex", "origin", "family", "education or work", "language or nationality")


def recognized(facts: Facts) -> Sign:
    """The content of a column, from its name where that is clear and its values bear it out, else from its values."""
    sign = _recognized(facts)
    found = contradicted(facts, sign) or harmful_date(facts, sign) or sign
    return replace(found, read_as="text") if found.role == SENSITIVE and _are_codes(facts) else found


def _are_codes(facts: Facts) -> bool:
    """Whether whole numbers are codes, by their check digits or by their name: these have no order and no distance."""
    concepts = len(facts.sample) >= K and values.are_clinical_concepts(facts.sample)
    return facts.type == "integer" and (concepts or "code" in ideas(facts.name))


def _recognized(facts: Facts) -> Sign:
    named = next((sign for sign in readings(facts.name) if _bears_out(facts, sign)), None)
    if named is not None and named.role == IDENTIFIER:
        return _identifier(facts, named)
    by_form = values.sure(facts.sample) if facts.type == "text" else None
    if by_form is not None:
        return by_form
    if holds_dates(facts):
        return replace(signs.DATE, confidence="high" if named is not None else "medium")
    if named is None:
        return _by_values(facts)
    if named.role == SENSITIVE:
        return _sensitive(facts, named)
    if named.role == QUASI:
        return _quasi(facts, named)
    return _unchanging(facts) or named


def _bears_out(facts: Facts, sign: Sign) -> bool:
    """Whether the values are what a sign needs; yes and no identify nobody, unless they may be two numbers."""
    if sign.needs is not None and not fulfils(facts, sign.needs):
        return False
    return sign.role != IDENTIFIER or not is_flag(facts) or (sign.numbers is not None and facts.is_number)


def _identifier(facts: Facts, sign: Sign) -> Sign:
    """The sign of an identifier; names number no individuals, because several may have the same."""
    if sign.numbers is not None and facts.type == "text" and values.are_names(facts.sample):
        return signs.NAMES
    return sign


def _sensitive(facts: Facts, sign: Sign) -> Sign:
    """The sign of a sensitive column, or that of free text, which may identify by itself."""
    if facts.is_prose:
        return signs.FREE_TEXT
    if sign.what.startswith("diagnos"):
        if values.diagnosis_codes(facts.sample) is not None:
            return replace(signs.DIAGNOSIS_CODE, confidence=sign.confidence)
        if values.are_icd_9(facts.sample):
            return replace(signs.OLD_DIAGNOSIS_CODE, confidence=sign.confidence)
        if values.are_of_either_icd(facts.sample):  # no tree has all of them, and the draft says so
            return replace(signs.DIAGNOSIS_CODE, confidence=sign.confidence)
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
    if is_flag(facts) and sign.what.startswith(_CARERS):
        return signs.CARE_USE  # whether somebody was in hospital
    if sign.what == carers.WHAT and facts.distinct and not carers.are_kinds_of_carers(facts.sample):
        return carers.NUMBERS
    if sign.what.startswith(_CARERS) and "facility" in ideas(facts.name):
        return _of_facilities(facts) or sign
    if facts.type == "text" and sign.what.startswith(_CARE) and _names_illness(facts):
        return signs.CARE_USE
    if sign.what == signs.VISIT_KIND.what or sign.confidence != "high":
        clinical = values.clinical(facts.sample) if facts.type == "text" else None
        if clinical is not None:
            return clinical
        if is_flag(facts) and sign.what not in _PERSONAL:
            return signs.CARE_USE if sign.what == signs.VISIT_KIND.what else unknown(facts)
    return sign


def _of_facilities(facts: Facts) -> Sign | None:
    """The sign of hospitals by their numbers, or of amounts; None for the names or kinds of hospitals."""
    if facts.type == "real":
        return signs.CARE_USE
    if facts.type == "text" and _names_illness(facts):
        return signs.CARE_USE
    numbered = mostly(_FACILITY_CODE, facts.sample) if facts.type == "text" else facts.span[1] > _LARGEST_KIND
    return replace(signs.RECORD_NUMBER, what="numbers of hospitals or practices", numbers=None) if numbered else None


def _names_illness(facts: Facts) -> bool:
    """Whether a place of care is named by an illness or an addiction, so that it discloses one."""
    few = facts.values.head(_MOST_PLACES).to_list()
    said = {word for value in few for word in words(value[:_LONGEST_PLACE]) if len(word) >= _SHORTEST_ILLNESS}
    known = (said - _IN_NAMES) & vocabulary().senses.keys()
    return any(vocabulary().senses[word][0].idea.key in _DISCLOSED for word in known)


def _is_person_like(sign: Sign, facts: Facts) -> bool:
    """Whether a column about individuals holds names; places and carers may be called like individuals."""
    return sign.what in _PERSONAL and values.are_names(facts.sample)


def _ungroupable(facts: Facts) -> bool:
    """Whether text cannot form classes, whatever the column's name; a small table is no evidence."""
    if facts.is_prose:
        return True
    return facts.nearly_unique and facts.rows >= _ENOUGH_ROWS and not values.are_numbers(facts.sample)


def _identifying_text(facts: Facts) -> Sign:
    return signs.FREE_TEXT if facts.is_prose else signs.UNIQUE_TEXT


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
    if carers.are_titled_names(facts.sample) or (values.are_names(facts.sample) and facts.distinct >= K):
        return signs.NAMES.at_most("medium")
    if values.are_zips(facts.sample) or values.are_postcodes(facts.sample):
        return signs.ZIP.at_most("medium")
    if values.are_record_codes(facts.sample) and numbers_records(facts):
        return signs.RECORD_NUMBER.at_most("medium")
    clinical = values.clinical(facts.sample)
    if clinical is not None and clinical.what == signs.DIAGNOSIS_CODE.what and _are_pseudonyms(facts):
        return signs.RECORD_NUMBER.at_most("medium")
    if clinical is not None:
        return clinical
    return _identifying_text(facts) if facts.nearly_unique else None


def _are_pseudonyms(facts: Facts) -> bool:
    """Whether codes that look like diagnoses hardly repeat and have no point, as those of diagnoses would."""
    return facts.nearly_unique and facts.rows >= _FEWEST_NUMBERED and not any("." in value for value in facts.sample)


def _unchanging(facts: Facts) -> Sign | None:
    if facts.distinct == 0:
        return Sign("empty", DROP)
    if facts.distinct == 1 and facts.known == facts.rows and facts.rows >= K:
        return Sign("the same in every row", DROP)
    return None


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
