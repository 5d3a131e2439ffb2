"""Needs: whether the values of a column are what its name promises, such as dates, years, ages or record numbers."""

from __future__ import annotations

from shoal.profiling import values
from shoal.profiling.facts import Facts
from shoal.profiling.naming import is_about_birth
from shoal.profiling.signs import Need

_FEWEST_NUMBERED = 20
_SHARE_NUMBERED = 0.05
_LARGEST_CATEGORY = 40
_FLAG_VALUES = 4
_DAYS = 366
_MOST_DAYS = 3_660
_YEARS = (1850, 2200)
_MONTHS = (185_001, 220_012)
_AGES = (-99, 999)
"""With the numbers that stand for a missing age."""
_SERIAL = (10_000, 60_000)
"""Days since 1900 as spreadsheets count them: from 1927 to 2064."""
_SERIAL_BIRTHS = (-40_000, 60_000)
"""Days of birth as statistics programs count them, from 1960."""
_CLOCK = (0, 2359)
_FEWEST_TIMES = 20
_HOURS_ALONE = 999
_CYCLES = frozenset((4, 7, 12, 23, 31, 52, 53, 366))


def fulfils(facts: Facts, need: Need) -> bool:
    """Whether the values are what the name of the column promises."""
    if facts.distinct == 0:
        return True
    if need == "record numbers":
        return numbers_records(facts)
    if need == "texts":
        return not is_flag(facts)
    if need in ("words", "numbers"):
        return (facts.is_number or values.are_numbers(facts.sample)) is (need == "numbers")
    if need in ("ages", "parts of ages"):
        return _are_ages(facts, in_years=need == "ages")
    if holds_dates(facts) or (need == "dates" and _may_be_dates(facts)):
        return True
    if need == "parts of dates":
        return _are_parts_of_dates(facts)
    return facts.type == "integer" and (_within(facts, _YEARS) or (need == "cycles" and _is_cycle(facts)))


def holds_dates(facts: Facts) -> bool:
    """Whether the values are dates, whatever the name of the column."""
    if facts.type in ("date", "datetime"):
        return True
    if facts.type == "text":
        return values.are_dates(facts.sample)
    return facts.type == "integer" and values.are_compact_dates(facts.sample)


def numbers_records(facts: Facts) -> bool:
    """Whether the values number many records, rather than code a few categories."""
    if facts.type not in ("integer", "text"):
        return False
    if facts.type == "integer" and facts.span[1] <= _LARGEST_CATEGORY and not facts.nearly_unique:
        return False
    return facts.nearly_unique or facts.distinct >= max(_FEWEST_NUMBERED, _SHARE_NUMBERED * facts.known)


def is_flag(facts: Facts) -> bool:
    """Whether the values say yes or no."""
    return facts.distinct <= _FLAG_VALUES and values.are_flags(facts.sample)


def _are_ages(facts: Facts, *, in_years: bool) -> bool:
    if facts.is_number:
        return not in_years or _within(facts, _AGES)
    return _says_no_diagnosis(facts) and (is_flag(facts) or values.are_ages(facts.sample))


def _are_parts_of_dates(facts: Facts) -> bool:
    """Whether the values are years, months, days or hours, in digits or in words; days may count from a first one."""
    if facts.is_number:
        low, high = facts.span
        if low < 0:
            return low >= -_MOST_DAYS and high <= _MOST_DAYS
        return high <= _DAYS or _within(facts, _YEARS) or _within(facts, _MONTHS)
    return _says_no_diagnosis(facts) and (
        is_flag(facts) or values.are_calendar_parts(facts.sample) or values.are_calendar_words(facts.sample)
    )


def _says_no_diagnosis(facts: Facts) -> bool:
    return values.diagnosis_codes(facts.sample) is None and values.old_diagnosis_codes(facts.sample) is None


def _may_be_dates(facts: Facts) -> bool:
    """Whether the values may be dates in a notation that looks like other numbers."""
    if facts.type == "integer" and _within(facts, _SERIAL_BIRTHS if is_about_birth(facts.name) else _SERIAL):
        return facts.span[1] > _YEARS[1]
    return values.are_compact_times(facts.sample) or values.are_american_dates(facts.sample) or _are_times(facts)


def _are_times(facts: Facts) -> bool:
    """Whether the numbers are hours and minutes without a leading zero: 5 is 00:05, and 1730 is 17:30."""
    if facts.type != "integer" or facts.distinct < _FEWEST_TIMES or not _within(facts, _CLOCK):
        return False
    return facts.span[1] > _HOURS_ALONE and bool((facts.values % 100 < 60).all())


def _within(facts: Facts, bounds: tuple[int, int]) -> bool:
    low, high = facts.span
    return bounds[0] <= low and high <= bounds[1]


def _is_cycle(facts: Facts) -> bool:
    """Whether the numbers run from the first to the last month, weekday, hour or the like; counts rarely do."""
    low, high = facts.span
    return low in (0, 1) and high in _CYCLES and facts.distinct >= high
