"""Values: what a sample of the distinct values of a column says about its content, in any of many languages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from shoal.profiling import signs
from shoal.profiling.signs import IDENTIFIER, SENSITIVE, Sign
from shoal.profiling.vocabulary import vocabulary
from shoal.profiling.words import folded, words
from shoal.table.patterns import IDENTIFIERS, is_numbered, mostly

_SURE: tuple[tuple[Sign, re.Pattern[str]], ...] = tuple(
    (Sign(kind.what, IDENTIFIER, kind.hipaa, numbers="patients" if kind.person else None), kind.pattern)
    for kind in IDENTIFIERS
)

_TIME = r"(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?"
_MONTH = r"[A-Za-zÀ-ÿ]{3,10}\.?"
_DAY = (
    r"\d{4}[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])"
    r"|(?:0?[1-9]|[12]\d|3[01])[-/. ](?:0?[1-9]|[12]\d|3[01])[-/. ](?:\d{4}|\d{2})"
    rf"|(?:0?[1-9]|[12]\d|3[01])\.?[- ]?(?:de )?{_MONTH}[- ,]*(?:de )?(?:\d{{4}}|\d{{2}})"
    rf"|{_MONTH} (?:0?[1-9]|[12]\d|3[01]),? \d{{4}}"
)
_COMPACT = (
    r"(?:1[89]|2[01])\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[0-2]\d[0-5]\d(?:[0-5]\d)?)?"
    r"|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])(?:19|20)\d{2}|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:19|20)\d{2}"
)
_MONTH_ONLY = r"(?:19|20)\d{2}[-/.](?:0[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])[-/.](?:19|20)\d{2}"
_ZONE = r"(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?"
_DATE = re.compile(rf"(?:{_DAY})(?:[ T,]+{_TIME}{_ZONE})?|{_TIME}|{_MONTH_ONLY}|{_COMPACT}")
_COMPACT_DATE = re.compile(_COMPACT)
_COMPACT_TIME = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d(?:\.\d+)?)?")
_PART_OF_YEAR = re.compile(r"(?:1[89]|20)\d{2}(?:[-/ ]?[QqWwTt]\.?\d{1,2}|s)?|[QqWwTt]\d{1,2}|0?\d|[1-5]\d")

_ICD_10 = re.compile(r"[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4}|[0-9A-Z]{0,4}|\.-)[-+*!#†]?", re.IGNORECASE)
_AGE = re.compile(r"(?:[^\W\d_]+[. ]+|[<>≤≥=~[(+-]+ ?)?\d{1,3}(?!\d).*")
_YEAR_WITHIN = re.compile(r"(?:.*[^\w.])?(?:1[89]|20)\d{2}(?:s|er)?(?:[^\w.].*)?")
_ICD_9 = re.compile(r"(?:\d{3}|V\d{2}|E\d{3})(?:\.?\d{1,2})?", re.IGNORECASE)
_EITHER_ICD = re.compile(f"{_ICD_9.pattern}|{_ICD_10.pattern}", re.IGNORECASE)
_DRUG_CODES = (
    re.compile(r"[A-DGHJLMNPRSV]\d{2}[A-Z]{2}(?:\d{2})?"),  # ATC
    re.compile(r"\d{4,5}-\d{3,4}-\d{1,2}"),  # NDC
)
_PROCEDURE_CODES = (
    re.compile(r"[A-V]\d{4}|\d{4}[FTU]"),  # HCPCS, CPT categories II and III
    re.compile(r"\d-\d{2}[0-9a-z](?:\.[0-9a-z]{1,2})?"),  # OPS
    re.compile(r"[A-Z]{4}\d{3}"),  # CCAM
)
_LABORATORY_CODES = re.compile(r"\d{1,5}-\d")  # LOINC
_SNOMED = re.compile(r"[1-9]\d{5,17}")

_NAME = re.compile(r"[^\W\d_][^\W\d_'’.\- ]*(?:[-'’ ^,.]+[^\W\d_]+\.?){0,4}")
_LAST_FIRST = re.compile(r"[A-ZÀ-Þ][^\W\d_'’ -]*(?:[-'’ ][^\W\d_]+){0,2}, ?[A-ZÀ-Þ][^\W\d_]*(?:[ .-][^\W\d_]*\.?){0,3}")
_STREET_WORDS = (
    r"street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|way|place|pl|terrace|circle|highway"
)
_STREET = re.compile(
    rf"\d+[A-Za-z]? [^\d,]+ (?:{_STREET_WORDS})\b.*"
    r"|[^\d,]+(?:str(?:\.|asse|aße)|weg|platz|allee|gasse|straat|laan|plein|gracht|kade|dijk) ?\d+.*"
    r"|(?:\d+[ ,]+(?:bis |ter )?)?(?:rue|avenue|place|boulevard|impasse|chemin|allée|calle|avenida|paseo|plaza|via"
    r"|viale|piazza|corso|rua|travessa|praça|largo|av\.?|c/) .*",
    re.IGNORECASE,
)
_ZIP_PLUS_FOUR = re.compile(r"\d{5}-\d{4}")
_ZIP = re.compile(r"\d{5}(?:-\d{4})?")
_POSTAL = re.compile(r"(?=.*\d)[\w*#][\w*# -]+(?:\.0)?")
_POSTCODE = re.compile(
    r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"  # United Kingdom
    r"|[1-9]\d{3} ?[A-Z]{2}"  # Netherlands
    r"|[A-Z]\d[A-Z] ?\d[A-Z]\d"  # Canada
)
_PRESSURE = re.compile(r"(?:[6-9]\d|1\d{2}|2[0-5]\d) ?/ ?(?:[3-9]\d|1[0-4]\d)(?: ?mm ?Hg)?", re.IGNORECASE)
_BLOOD_GROUP = re.compile(r"(?:A|B|AB|O|0) ?(?:RhD?)? ?(?:\+|-|\(?pos(?:itive)?\)?|\(?neg(?:ative)?\)?)", re.IGNORECASE)
_GROUPS_ALONE = frozenset(("A", "B", "AB", "O", "0"))
_COORDINATES = re.compile(r"\(?-?\d{1,2}\.\d{4,}[,; ] ?-?\d{1,3}\.\d{4,}\)?")
_AMERICAN_DATE = re.compile(r"(?:0?[1-9]|[12]\d|3[01])(?:0[1-9]|[12]\d|3[01])(?:19|20)\d{2}")
_NUMBER = re.compile(r"[<>≤≥]? ?[+-]?\d+(?:[.,]\d+)* ?%?")
_LONG_CODE = re.compile(r"(?=.*\d)(?:(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9_./^-]{5,}|\d{7,})")

_ENOUGH_NAMES = 0.3
_ENOUGH_CLINICAL = 0.2


class _Listed(NamedTuple):
    """The words of `values.toml`."""

    flags: tuple[frozenset[str], ...]
    sexes: tuple[frozenset[str], ...]
    unsaid: frozenset[str]
    besides_sexes: frozenset[str]
    given_names: frozenset[str]
    calendar: frozenset[str]
    ages: frozenset[str]


@cache
def _listed() -> _Listed:
    lists = tomllib.loads(files("shoal.profiling").joinpath("values.toml").read_text(encoding="utf-8"))
    split = {key: [" ".join(part.split()) for part in text.split(",")] for key, text in lists.items()}
    pairs = {key: tuple(frozenset(pair.split(" / ")) for pair in split[key]) for key in ("flags", "sexes")}
    unsaid = frozenset(split["unsaid"])
    besides_sexes = unsaid.union(split["other_sexes"])
    given_names, calendar, ages = (frozenset(split[key]) for key in ("given_names", "calendar", "ages"))
    short = {name[:length] for name in calendar for length in (3, 4)} - {"hiv"}  # not the winter, in a hospital
    return _Listed(pairs["flags"], pairs["sexes"], unsaid, besides_sexes, given_names, calendar | short, ages)


def sure(sample: Sequence[str]) -> Sign | None:
    """The sign of values with an unmistakable form, regardless of the column's name."""
    found = next((sign for sign, pattern in _SURE if _are(pattern, sample)), None)
    return None if found is not None and are_dates(sample) else found


def are_dates(sample: Sequence[str]) -> bool:
    """Whether most values are dates, date-times or times of day in one of many conventions.

    >>> are_dates(["31.12.1999", "1.2.2003"]), are_dates(["2020-01-31T12:30:00Z"]), are_dates(["4 mars 2019"])
    (True, True, True)
    """
    return _are(_DATE, sample)


def are_compact_dates(sample: Sequence[str]) -> bool:
    """Whether most values are dates without separators, such as 19991231."""
    return _are(_COMPACT_DATE, sample)


def are_compact_times(sample: Sequence[str]) -> bool:
    """Whether most values may be times of day without separators, such as 093015."""
    return _are(_COMPACT_TIME, sample)


def are_american_dates(sample: Sequence[str]) -> bool:
    """Whether most values may be dates without separators whose year stands last, such as 12311999."""
    return _are(_AMERICAN_DATE, sample)


def are_calendar_parts(sample: Sequence[str]) -> bool:
    """Whether most values are years, quarters, weeks, months, days or hours."""
    return _are(_PART_OF_YEAR, sample)


def are_calendar_words(sample: Sequence[str]) -> bool:
    """Whether most values have a year, or name months, weekdays, seasons or times of day.

    >>> are_calendar_words(["Montag", "Di"]), are_calendar_words(["2010-2014"]), are_calendar_words(["HIV", "none"])
    (True, True, False)
    """
    return _mostly_with(_YEAR_WITHIN, _listed().calendar, sample)


def are_ages(sample: Sequence[str]) -> bool:
    """Whether most values are ages or groups of ages, in digits or in words.

    >>> are_ages(["<1", "18-24", "90+"]), are_ages(["child", "adult"]), are_ages(["E11", "I10"])
    (True, True, False)
    """
    return _mostly_with(_AGE, _listed().ages, sample)


def _mostly_with(pattern: re.Pattern[str], listed: frozenset[str], sample: Sequence[str]) -> bool:
    """Whether most values match a pattern or have one of the words; what stands for no answer does not count."""
    said = [value for value in sample if folded(value) not in _listed().unsaid]
    fitting = [value for value in said if pattern.fullmatch(value) or not listed.isdisjoint(_plain_words(value))]
    return len(said) > 0 and 5 * len(fitting) >= 4 * len(said)


def _plain_words(value: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", folded(value))


def clinical(sample: Sequence[str]) -> Sign | None:
    """The sign of clinical codes, or of texts in which drugs and diseases are named.

    >>> clinical(["C50.911", "I25.10", "E11.9"]).what, clinical(["metformin", "lisinopril", "none"]).what
    ('diagnosis codes', 'treatments or drugs')
    """
    coded = _drug_codes(sample) or diagnosis_codes(sample) or old_diagnosis_codes(sample) or _other_codes(sample)
    return coded or _findings(sample) or _clinical_words(sample)


def diagnosis_codes(sample: Sequence[str]) -> Sign | None:
    """ICD-10 codes, with or without a point; those without begin with various letters, unlike numbered records."""
    if not _are(_ICD_10, sample) or is_numbered(sample):
        return None
    dotted = sum("." in value for value in sample)
    letters = len({value[:1].upper() for value in sample})
    return signs.DIAGNOSIS_CODE.at_most("medium") if dotted or letters > 1 else None


def old_diagnosis_codes(sample: Sequence[str]) -> Sign | None:
    """ICD-9 codes, if some are supplementary ones, which begin with V or E, and others are not."""
    supplementary = sum(value[:1].upper() in ("V", "E") for value in sample)
    if not 0 < supplementary < len(sample) or not are_icd_9(sample):
        return None
    return signs.OLD_DIAGNOSIS_CODE.at_most("medium")


def are_icd_9(sample: Sequence[str]) -> bool:
    """Whether the values may be ICD-9 codes; only the name of the column can make this likely."""
    return _are(_ICD_9, sample)


def are_of_either_icd(sample: Sequence[str]) -> bool:
    """Whether the values may be codes of both ICD-9 and ICD-10, as where a hospital changed from one to the other."""
    return _are(_EITHER_ICD, sample)


def _drug_codes(sample: Sequence[str]) -> Sign | None:
    coded = any(_are(pattern, sample) for pattern in _DRUG_CODES)
    return Sign("drug codes", SENSITIVE, confidence="medium") if coded else None


def _other_codes(sample: Sequence[str]) -> Sign | None:
    if any(_are(pattern, sample) for pattern in _PROCEDURE_CODES) and not is_numbered(sample):
        return Sign("procedure codes", SENSITIVE, confidence="medium")
    if _are(_LABORATORY_CODES, sample):
        return Sign("laboratory codes", SENSITIVE, confidence="medium")
    if are_clinical_concepts(sample):
        return Sign("clinical codes", SENSITIVE, confidence="medium")
    return None


def _findings(sample: Sequence[str]) -> Sign | None:
    if are_pressures(sample):
        return Sign("measurements of the body", SENSITIVE, confidence="medium")
    return Sign("laboratory results", SENSITIVE, confidence="medium") if are_blood_groups(sample) else None


def are_pressures(sample: Sequence[str]) -> bool:
    """Whether the values are systolic and diastolic blood pressure, such as 120/80."""
    return _are(_PRESSURE, sample)


def are_blood_groups(sample: Sequence[str]) -> bool:
    """Whether the values are blood groups with the rhesus factor, or all groups without."""
    return _are(_BLOOD_GROUP, sample) or ("AB" in sample and _GROUPS_ALONE.issuperset(sample) and len(sample) > 2)


def are_clinical_concepts(sample: Sequence[str]) -> bool:
    """Whether the values are numbers of SNOMED CT concepts."""
    return _are(_SNOMED, sample) and all(is_snomed(value) for value in sample)


def _clinical_words(sample: Sequence[str]) -> Sign | None:
    """The sign of texts in which words name drugs, diseases or procedures."""
    hits = [sign for value in sample if (sign := _clinical_word(value)) is not None]
    if len(hits) < max(1, _ENOUGH_CLINICAL * len(sample)):
        return None
    return max(hits, key=hits.count).at_most("medium")


def _clinical_word(value: str) -> Sign | None:
    for word in words(value[:80]):
        ended = vocabulary().by_ending(word)
        idea = ended if ended is not None and ended.role == SENSITIVE else None
        senses = vocabulary().senses.get(word, ())
        if idea is None and senses and senses[0].idea.key in ("named_disease", "treatment") and len(word) > 3:
            idea = senses[0].idea
        if idea is not None:
            return Sign(idea.what, SENSITIVE)
    return None


def is_snomed(text: str) -> bool:
    """Whether a number may be a SNOMED CT concept: its last digit is a check digit by Verhoeff's scheme.

    >>> is_snomed("22298006"), is_snomed("22298007")
    (True, False)
    """
    check = 0
    for place, digit in enumerate(reversed(text)):
        permuted = int(digit)
        for _ in range(place % 8):
            permuted = _PERMUTED[permuted]
        check = _times(check, permuted)
    return check == 0 and text[-3:-1] in ("00", "10")


_PERMUTED = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def _times(a: int, b: int) -> int:
    """The product in the dihedral group of order ten."""
    if a < 5:
        return (a + b) % 5 if b < 5 else 5 + (a + b - 5) % 5
    return 5 + (a - 5 - b) % 5 if b < 5 else (a - b) % 5


def are_flags(values: Iterable[str]) -> bool:
    """Whether the values say yes or no, possibly with unknown.

    >>> are_flags(["Ja", "Nein"]), are_flags(["Y", "N", "UNK"]), are_flags(["red", "blue"])
    (True, True, False)
    """
    return _one_of(values, _listed().flags, _listed().unsaid)


def are_sexes(values: Iterable[str]) -> bool:
    """Whether the values are the two sexes, possibly with others.

    >>> are_sexes(["männlich", "weiblich", "divers"]), are_sexes(["M", "F"]), are_sexes(["M", "S"])
    (True, True, False)
    """
    return _one_of(values, _listed().sexes, _listed().besides_sexes)


def _one_of(values: Iterable[str], groups: Sequence[frozenset[str]], besides: frozenset[str]) -> bool:
    plain = {folded(value) for value in values}
    return any(group <= plain and plain - group <= besides for group in groups)


def are_names(sample: Sequence[str]) -> bool:
    """Whether the values are names of individuals: last, first; or with common given names.

    >>> are_names(["Doe, Jane", "Roe, Richard"]), are_names(["Anna Schmidt", "Peter Weber"])
    (True, True)
    """
    if _are(_LAST_FIRST, sample) and len(sample) > 1:
        return True
    if not _are(_NAME, sample):
        return False
    given = sum(not _listed().given_names.isdisjoint(re.split(r"[\s^,.-]+", folded(value))) for value in sample)
    return given >= _ENOUGH_NAMES * len(sample) and given > 1


def are_streets(sample: Sequence[str]) -> bool:
    """Whether the values are street addresses.

    >>> are_streets(["12 Main Street", "7 Elm Ave"]), are_streets(["Hauptstraße 5"]), are_streets(["12 rue de la Paix"])
    (True, True, True)
    """
    return _are(_STREET, sample)


def are_zips(sample: Sequence[str]) -> bool:
    """Whether the values are US postal codes, one of them with the four additional digits.

    Five digits alone may as well be procedure codes.
    """
    return _are(_ZIP, sample) and any(_ZIP_PLUS_FOUR.fullmatch(value) for value in sample)


def are_postal(sample: Sequence[str]) -> bool:
    """Whether the values may be postal codes of any country, also in part; a single digit is none."""
    return _are(_POSTAL, sample)


def are_postcodes(sample: Sequence[str]) -> bool:
    """Whether the values are British, Dutch or Canadian postal codes. Others look like numbers of records."""
    return _are(_POSTCODE, sample)


def are_coordinates(sample: Sequence[str]) -> bool:
    """Whether the values are pairs of latitude and longitude, to some ten metres."""
    return _are(_COORDINATES, sample)


def are_numbers(sample: Sequence[str]) -> bool:
    """Whether most values are numbers that are not read as such, with a decimal comma or a sign before them."""
    return _are(_NUMBER, sample)


def are_record_codes(sample: Sequence[str]) -> bool:
    """Whether the values are numbers with a common prefix, or long codes of letters and digits."""
    return is_numbered(sample) or _are(_LONG_CODE, sample)


def _are(pattern: re.Pattern[str], sample: Sequence[str]) -> bool:
    return bool(sample) and mostly(pattern, sample)
