"""Naming: what the name of a column says about its content.

The words of a name are looked up as ideas, and a few rules combine the ideas. What is asked of something decides:
`diagnosis_date` is a date, `hospital_name` a hospital, `condition_concept_id` a condition. Where two subjects meet, the
main noun decides: the last one in English, German and Dutch, the first in Romance languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from shoal.profiling import signs
from shoal.profiling.signs import DROP, IDENTIFIER, SENSITIVE, Sign
from shoal.profiling.terms import Name, read
from shoal.profiling.vocabulary import Idea, vocabulary
from shoal.profiling.words import words

_YEARS = frozenset(
    (
        "year",
        "years",
        "yr",
        "yrs",
        "jahr",
        "jahre",
        "annee",
        "annees",
        "ans",
        "ano",
        "anos",
        "anno",
        "anni",
        "jaar",
        "jaren",
    )
)
_HIERARCHIES: Mapping[str, Mapping[str, object]] = {"date": signs.DATE_LEVELS, "prefix": signs.PREFIX}
_HL7 = re.compile(
    r"(?:msh|evn|pid|pv[12]|nk1|dg1|al1|ob[rx]|orc|in[123]|gt1|pr1|rx[aeo])[-_. ]?\d+(?:[.]\d+)?[-_. ]+", re.I
)
"""The place of a field in an HL7 version 2 message, which precedes its name."""
_RATE = re.compile(
    r"/ ?(?:second|minute|min|hour|hr?|day|d|week|wk|month|mo|year|yr|night|tag|woche|jour|dia|dag)\b", re.I
)
"""What a rate is per, as in cups/day: it says nothing about dates."""
_BIRTH = re.compile(r"birth|born|^[dy]ob$|brth|geburt|^geb|naiss|^ddn$|nacim|^fnac$|nascit|geboort|nascim|nasc$")
_MOMENTS = frozenset(("dx", "diagnosis", "diag", "enrollment", "baseline", "entry", "inclusion"))
"""When something was so, as in marital status at diagnosis: it says nothing about what it was."""
_DATES = ("date", "death_date", "clinical_date")
_PERIOD = re.compile(r"[^\W\d_]{2}[_ ]?\d{1,3}[_ ]?(?:d|w|wk|m|mo|mth|y|yr|h|hr)s?$", re.I)
"""The period of a count, as in `visits12m`."""
AT_ILLNESS = Sign("the age at an illness or event", DROP, confidence="medium")
_MEASURING = frozenset(("quantity", "concentration", "duration", "count", "code"))
_SUBJECTS = ("clinical", "technical", "care", "place", "setting", "demographic")


@lru_cache(maxsize=4096)
def readings(name: str) -> tuple[Sign, ...]:
    """The possible meanings of a column's name, the best first; a meaning may need values that bear it out.

    >>> [sign.what for sign in readings("diagnosis_date")], readings("x17")
    (['dates', 'dates', 'diagnoses or findings'], ())
    >>> [sign.role for sign in readings("drug_name")], [sign.role for sign in readings("Nom du patient")]
    (['sensitive'], ['identifier'])
    """
    parts = _parts(name)
    whole = vocabulary().complete.get(_joined(parts))
    if whole is not None:
        return (_sign(whole),)
    terms = read(parts)
    found = tuple(_readings(terms))
    return tuple(sign.at_most("medium") for sign in found) if terms.is_guessed else found


def in_clinical_table(name: str, *, is_number: bool) -> Sign | None:
    """The meaning that a name has only in a table with clinical columns, such as `sg` for specific gravity.

    There, a number with a unit, a duration or a period in its name was measured or counted.

    >>> in_clinical_table("sg", is_number=True).what, in_clinical_table("blorp_mg", is_number=True).what
    ('laboratory results', 'measurements')
    """
    parts = _parts(name)
    idea = vocabulary().in_context.get(_joined(parts)) or _alone_in_context(parts)
    if idea is not None:
        return replace(_sign(idea), confidence="low")
    terms = read(parts)
    counted = terms.has("quantity", "duration", "count") or (_PERIOD.search(name) is not None and terms.unknown > 0)
    is_measured = is_number and counted and {term.key for term in terms.terms} <= _MEASURING
    return replace(signs.MEASURED, confidence="low") if is_measured and len(parts) > 1 else None


def _alone_in_context(parts: Sequence[str]) -> Idea | None:
    """The idea of the only word that is known in clinical tables alone, if the others just ask something about it."""
    others = [part for part in parts if part in vocabulary().senses or part.isdigit()]
    words_in_context = [part for part in parts if part not in others]
    if len(words_in_context) != 1 or not {term.key for term in read(others).terms} <= _MEASURING:
        return None
    return vocabulary().in_context.get(words_in_context[0])


def ideas(name: str) -> frozenset[str]:
    """The keys of the ideas that the words of a name stand for.

    >>> sorted(ideas("date of relapse"))
    ['course', 'date']
    """
    return frozenset(term.key for term in read(_parts(name)).terms)


def _parts(name: str) -> tuple[str, ...]:
    """The words of a name without its place in a message, without rates and moments; `#` stands for number."""
    plain = _RATE.sub("", _HL7.sub("", name, count=1) if _HL7.match(name) else name)
    parts = words(plain.replace("#", " number "))
    return parts[:-2] if len(parts) > 2 and parts[-2] == "at" and parts[-1] in _MOMENTS else parts


def _joined(parts: Sequence[str]) -> str:
    return "".join(part for part in parts if not part.isdigit())


def is_about_diagnosis(name: str) -> bool:
    """Whether a name is about a diagnosis, as the age at one is.

    >>> is_about_diagnosis("age_at_dx"), is_about_diagnosis("DIAGAGE"), is_about_diagnosis("age")
    (True, True, False)
    """
    return any(term.key == "diagnosis" for term in read(words(name)).terms)


def is_about_birth(name: str) -> bool:
    """Whether a name is about the birth of an individual, which is the same in all rows of the individual."""
    return any(_BIRTH.search(part) for part in words(name))


def _readings(name: Name) -> Iterator[Sign]:
    if name.has("bookkeeping"):
        yield Sign("how the record was kept", DROP, confidence="medium")
        return
    if name.terms and name.terms[-1].key == "unit" and not name.of_kind("care", "event"):
        yield Sign("units of measurement", DROP, confidence="medium", needs="words")
    if name.has("age"):
        yield _age(name)
        return
    yield from _dates(name)
    yield from _direct(name)
    yield from _record_numbers(name)
    yield from _names(name)
    yield from _subjects(name)


def _age(name: Name) -> Sign:
    """An age; the age at an illness also says that somebody had it, unless it is that of a diagnosis of all rows."""
    if name.has("named_disease", "habits", "reproduction", "onset", "symptom"):
        return AT_ILLNESS
    if name.has("duration", "calendar") and not _in_years(name):
        return replace(signs.AGE_IN_PARTS, needs="parts of ages")
    return replace(signs.AGE, needs="ages")


def _dates(name: Name) -> Iterator[Sign]:
    """Dates and parts of dates, unless the name asks how long something took."""
    if name.has("duration"):
        return
    if name.has(*_DATES):
        yield replace(signs.DATE, needs="dates")
    if name.has("calendar"):
        yield replace(signs.DATE, needs="cycles" if name.of_kind("clinical") else "parts of dates")
    elif name.has(*_DATES):
        yield replace(signs.DATE, needs="years")


def _in_years(name: Name) -> bool:
    return any(term.text in _YEARS for term in name.terms)


def _direct(name: Name) -> Iterator[Sign]:
    """What identifies by itself; the city or the state of an address does not."""
    direct = name.of_kind("direct")
    if not direct or (direct[0].key == "address" and name.of_kind("place", "setting")):
        return
    if direct[0].key == "licence" and name.of_kind("care"):
        yield replace(_sign(direct[0].idea), numbers=None)
    else:
        yield from _identifying(direct[0].idea)


def _identifying(idea: Idea) -> Iterator[Sign]:
    sign = _sign(idea)
    if idea.numbers == "visits":
        yield from _numbering(sign)
    else:
        yield replace(sign, needs="texts") if idea.key in ("free_text", "marks") else sign


def _numbering(sign: Sign) -> Iterator[Sign]:
    """Numbers of records; a few, such as the first, second and third visit, identify, but number no records."""
    yield replace(sign, needs="record numbers")
    yield replace(sign, numbers=None)


def _record_numbers(name: Name) -> Iterator[Sign]:
    """Numbers of patients, visits and other records; what is numbered decides."""
    persons, relatives, events = (name.of_kind(kind) for kind in ("person", "relative", "event"))
    others = name.of_kind(*_SUBJECTS)
    if persons and not others and (name.has("code") or len(persons) == len(name.terms)):
        yield replace(_sign(persons[0].idea), needs="record numbers")
    if not (name.has("id") or _is_numbered(name)):
        return
    owner = _owner_of_id(name)
    if owner is not None:
        yield from _numbering(_sign(owner))
    elif name.has("clinical_record") and not name.has("code"):
        yield from _numbering(signs.RECORD_NUMBER)
    elif others and (name.of_kind("care") or name.has("site")) and not name.has("code"):
        yield from _numbers_of_carers(name)
    elif others:
        if name.of_kind("clinical") and not name.has("code") and not name.of_kind("place"):
            yield replace(signs.RECORD_NUMBER, needs="record numbers")
    elif (persons or relatives) and not name.has("code"):
        yield _sign((persons or relatives)[0].idea)
    elif events and not name.has("code"):
        yield from _numbering(_sign(events[0].idea))
    else:
        yield replace(signs.RECORD_NUMBER, needs="record numbers")


def _numbers_of_carers(name: Name) -> Iterator[Sign]:
    """Numbers of professionals, which identify them; those of hospitals and payers, unless there are only a few."""
    sign = Sign("numbers of providers or payers", IDENTIFIER, "R")
    is_certain = name.has("facility", "site") or any(term.idea.individual for term in name.of_kind("care"))
    yield sign if is_certain else replace(sign, needs="record numbers")


def _owner_of_id(name: Name) -> Idea | None:
    """The visit whose number it is, if the name ends so: `patient health system stay id` is about no health."""
    if len(name.terms) < 2 or name.terms[-1].key != "id" or name.head_first:
        return None
    return name.terms[-2].idea if name.terms[-2].key == "event" else None


def _is_numbered(name: Name) -> bool:
    """Whether a word such as `number` makes it the number of something; in first place it counts something."""
    places = [place for place, term in enumerate(name.terms) if term.key == "number"]
    if not places:
        return False
    return places[-1] > 0 or name.head_first or name.terms[-1].kind == "person"


def _names(name: Name) -> Iterator[Sign]:
    """Names of individuals; the name of a drug, a hospital or a place is what it names."""
    if name.has("name"):
        others = name.of_kind(*_SUBJECTS)
        if not others or (others[-1].idea.individual and not name.of_kind("clinical")):
            yield signs.NAMES


def _subjects(name: Name) -> Iterator[Sign]:
    subject = _subject(name)
    if subject is not None and _is_doubtful(name, subject):
        yield signs.DOUBTFUL
    elif subject is not None and subject.key == "care_kind" and name.unknown:
        yield signs.CARE_USE  # as a quasi-identifier, the kind of care would be published with what is unknown
    elif name.has("duration") and (subject is None or subject.kind == "care") and not name.unknown:
        yield Sign("durations", SENSITIVE, confidence="medium")
    elif subject is not None:
        yield _sign(subject)
    elif name.of_kind("event"):
        yield from _about_events(name)
    elif name.has("concentration") and len(name.terms) + name.unknown > 1:
        yield replace(signs.MEASURED, needs="numbers")


def _is_doubtful(name: Name, subject: Idea) -> bool:
    """Whether an unknown word may turn a place into a finding, or a weight into that of a parcel."""
    return subject.key in ("visible", "body_size", "setting", "site") and name.unknown > 0


def _subject(name: Name) -> Idea | None:
    """The main noun: the last subject, or the first in Romance languages; a clinical one prevails over weak others."""
    subjects = name.of_kind(*_SUBJECTS)
    if not subjects:
        return None
    before = [term for term in name.terms[: name.heads] if term in subjects] or subjects
    head = before[0] if name.head_first else before[-1]
    clinical = name.of_kind("clinical", "technical")
    is_place = head.kind in ("care", "place") or (head.kind == "setting" and name.has("address"))
    if not clinical or is_place:
        return head.idea
    return (clinical[0] if name.head_first else clinical[-1]).idea


def _about_events(name: Name) -> Iterator[Sign]:
    """The kind, the number or the length of visits, or that there was one."""
    if name.has("code") and name.has("event") and not name.has("count", "duration", "number"):
        yield signs.VISIT_KIND
    else:
        yield replace(signs.DATE, needs="dates")
        yield replace(_sign(name.of_kind("event")[0].idea), needs="record numbers")
        yield signs.CARE_USE


def _sign(idea: Idea) -> Sign:
    """The sign of an idea by itself."""
    if idea.role is None:
        return Sign(idea.what, IDENTIFIER, idea.hipaa, numbers=idea.numbers)
    hierarchy = _HIERARCHIES.get(idea.hierarchy, {}) if idea.hierarchy else {}
    return Sign(idea.what, idea.role, idea.hipaa, hierarchy, idea.read_as)
