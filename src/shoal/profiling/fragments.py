"""Fragments: the known part of a name, where surveys add letters before and after words, and compounds join them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from shoal.profiling import signs
from shoal.profiling.abbreviations import taken_apart
from shoal.profiling.facts import Facts
from shoal.profiling.recognition import recognized
from shoal.profiling.signs import QUASI, SENSITIVE, Sign
from shoal.profiling.terms import is_known
from shoal.profiling.vocabulary import vocabulary
from shoal.profiling.words import words

_SHORTEST = 4
"""Words as short as this must be English, because most names of surveys are."""
_SHORTEST_LAST = 5
"""A shorter word at the end of a compound may be the end of another word."""
_MOST_ADDED = 3
_LONGEST_NAME = 60
_TIMES = frozenset(("date", "calendar", "age"))
_TRUSTED = (signs.SEX.what, signs.AGE.what, signs.DATE.what, "origin", "family", "education or work")
"""Quasi-identifiers that a part of a name may suggest; places and kinds of care could be findings."""


def guessed(facts: Facts) -> Sign | None:
    """The sign of a column by the known part of its name, with low confidence; None if there is no such part."""
    part = known_part(facts.name)
    sign = None if part is None else recognized(replace(facts, name=part))
    if sign is None or not (sign.role == SENSITIVE or (sign.role == QUASI and sign.what in _TRUSTED)):
        return None
    return sign.at_most("low")


def known_part(name: str) -> str | None:
    """The words of a name, unknown ones replaced by their known part or by the phrase that they shorten.

    None if no word has one.

    >>> known_part("RACEQX"), known_part("Entsorgungskosten"), known_part("tipvis"), known_part("stagecoach")
    ('race', 'kosten', 'tipovisita', None)
    """
    parts = words(name[:_LONGEST_NAME])
    found = [word if is_known(word) else next(_within(word), None) or taken_apart(word) or word for word in parts]
    return " ".join(found) if found != list(parts) else None


def _within(word: str) -> Iterator[str]:
    """Known words at the start or the end, the longest first; only at the end may many letters precede one."""
    if not word.isalpha() or vocabulary().is_ordinary(word):
        return
    for length in range(len(word) - 1, _SHORTEST - 1, -1):
        added = len(word) - length
        if added <= _MOST_ADDED or length >= _SHORTEST_LAST:
            yield from (part for part in (word[added:],) if _says_something(part))
        if added <= _MOST_ADDED:
            yield from (part for part in (word[:length],) if _says_something(part))


def _says_something(part: str) -> bool:
    """Whether a word has a meaning of its own; of words that ask something about others, only dates and ages do."""
    senses = vocabulary().senses.get(part, ())
    ideas = [sense.idea for sense in senses if len(part) > _SHORTEST or "en" in sense.languages]
    return bool(ideas) and all(idea.kind not in ("connector", "aspect") or idea.key in _TIMES for idea in ideas)
