"""Spelling: the known word that a long unknown one most likely means, if one slip of the pen lies between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

from shoal.profiling.vocabulary import Sense, vocabulary

_SHORTEST = 7
_SHORTEST_KNOWN = 8
_SHORTEST_REPLACED = 9
"""Shorter words have too many neighbours, most of all those of the same length."""
_KINDS = frozenset(("direct", "care", "demographic", "place", "clinical"))


@lru_cache(maxsize=4096)
def corrected(word: str) -> tuple[Sense, ...]:
    """The meanings of the known words one slip away; empty if there are none, or if they suggest different roles.

    >>> corrected("hypertensoin")[0].idea.what, corrected("phase"), corrected("contents")
    ('diagnoses or findings', (), ())
    """
    if len(word) < _SHORTEST or not word.isalpha() or vocabulary().is_ordinary(word):
        return ()
    near = {known for key in _keys(word) for known in _index().get(key, ()) if _is_misspelled(word, known)}
    senses = tuple(sense for known in sorted(near) for sense in vocabulary().senses[known])
    meanings = {(sense.idea.kind, sense.idea.role) for sense in senses}
    return senses[:1] if len(meanings) == 1 else ()


def _is_misspelled(word: str, known: str) -> bool:
    if word[-1] != known[-1] or not is_one_slip(word, known):
        return False
    return len(word) != len(known) or len(word) >= _SHORTEST_REPLACED or sorted(word) == sorted(known)


def is_one_slip(a: str, b: str) -> bool:
    """Whether one letter is missing, added or wrong, or two neighbours changed places.

    >>> is_one_slip("protiens", "proteins"), is_one_slip("proteins", "proteins")
    (True, False)
    """
    short, long = sorted((a, b), key=len)
    start = next((place for place, letter in enumerate(short) if letter != long[place]), len(short))
    rest, other = short[start:], long[start:]
    if len(short) != len(long):
        return rest == other[1:]
    swapped = rest[:2] == other[:2][::-1] and rest[2:] == other[2:]
    return bool(rest) and (rest[1:] == other[1:] or swapped)


@cache
def _index() -> Mapping[str, tuple[str, ...]]:
    """The long words of the vocabulary by what remains of them without one letter."""
    found: dict[str, tuple[str, ...]] = {}
    for word in vocabulary().single:
        kinds = {sense.idea.kind for sense in vocabulary().senses[word]}
        if len(word) >= _SHORTEST_KNOWN and word.isalpha() and kinds <= _KINDS:
            for key in _keys(word):
                found[key] = (*found.get(key, ()), word)
    return found


def _keys(word: str) -> Iterator[str]:
    """The word, and the word without each of its letters but the first and the last.

    The first is rarely wrong, and another last letter makes another form of the word or another word.
    """
    yield word
    yield from {word[:place] + word[place + 1 :] for place in range(1, len(word) - 1)}
