"""Harmful dates: those of an illness, a treatment or a death, and those that many rows lack.

That there is a date of death, or of a first dose, discloses what must not be linkable to an individual. As a
quasi-identifier, the date would stand in every class that has it; as a sensitive column, it would be published exactly
although others may know it. So neither is drafted.
"""

from __future__ import annotations

from shoal.profiling.facts import Facts
from shoal.profiling.naming import ideas, is_about_birth
from shoal.profiling.needs import holds_dates
from shoal.profiling.signs import DATE, DROP, QUASI, Sign

OF_HARM = "dates of an illness, a treatment or a death, which disclose that there was one"
MISSING = "dates that many rows lack, which may disclose who had what they are about"

_MOST_MISSING = 0.2
_LARGEST_YEAR = 9_999
_DISCLOSING = frozenset(("named_disease", "habits", "reproduction", "onset", "death", "death_date"))
_OF_HARM = _DISCLOSING | {"diagnosis", "oncology", "symptom", "treatment", "course", "clinical_date"}


def harmful_date(facts: Facts, sign: Sign) -> Sign | None:
    """The sign of a date that is not released without a decision, or None; the birth of an individual is no secret.

    A year alone is harmful only if its name says of which illness or death it is: the rows of a registry all have a
    year of diagnosis.
    """
    if sign.what != DATE.what or sign.role != QUASI or is_about_birth(facts.name):
        return None
    of_harm = _DISCLOSING if _are_parts(facts) else _OF_HARM
    if not of_harm.isdisjoint(ideas(facts.name)):
        return Sign(OF_HARM, DROP, DATE.hipaa)
    if facts.rows - facts.known > _MOST_MISSING * facts.rows:
        return Sign(MISSING, DROP, DATE.hipaa, confidence="medium")
    return None


def _are_parts(facts: Facts) -> bool:
    """Whether the values are years or other parts of dates; larger numbers count days."""
    return not holds_dates(facts) and facts.span[1] <= _LARGEST_YEAR
