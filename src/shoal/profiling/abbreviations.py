"""Abbreviations: the known word or phrase of which a name has only the first letters, as in `estado_civ`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache

from shoal.profiling.vocabulary import Sense, vocabulary

_SHORTEST = 5
_SHORTEST_DIRECT = 4
"""A wrong guess that a column identifies costs a column, not somebody's privacy."""
_LEAST_SHARE = 0.6
"""The share of the letters of the shortest word that is meant which must be there."""
_SHORTEST_PART = 3
_MOST_PARTS = 3
_LONGEST_JOINED = 14
_KINDS = frozenset(("direct", "care", "demographic", "place", "clinical"))


@lru_cache(maxsize=4096)
def completed(word: str) -> tuple[Sense, ...]:
    """The meaning of the known words that begin with this one; empty if they suggest different roles.

    >>> completed("ocupac")[0].idea.what, completed("inter")
    ('education or work', ())
    """
    if len(word) < _SHORTEST_DIRECT or not word.isalpha() or vocabulary().is_ordinary(word):
        return ()
    longer = [known for known in _words().get(word[:_SHORTEST_DIRECT], ()) if known.startswith(word)]
    if not longer or len(word) < _LEAST_SHARE * len(min(longer, key=len)):
        return ()
    senses = _agreeing(longer)
    is_long = len(word) >= _SHORTEST or any(sense.idea.kind == "direct" for sense in senses)
    return senses if is_long else ()


def abbreviated(parts: Sequence[str]) -> tuple[Sense, ...]:
    """The meaning of the phrases whose words begin with these parts; empty if they suggest different roles.

    >>> abbreviated(("sit", "fam"))[0].idea.what, abbreviated(("blorp", "civ"))
    ('family', ())
    """
    return _agreeing(_meant(parts))


def taken_apart(word: str) -> str | None:
    """The phrase, written together, whose words' beginnings make up a word; None if there is none or if roles differ.

    >>> taken_apart("tipvis"), taken_apart("blorps")
    ('tipovisita', None)
    """
    if not word.isalpha() or len(word) > _LONGEST_JOINED:
        return None
    places = range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1)
    meant = [phrase for place in places for phrase in _meant((word[:place], word[place:]))]
    return min(meant, key=len) if _agreeing(meant) else None


def _meant(parts: Sequence[str]) -> Iterator[str]:
    """The phrases, written together, whose words begin with the parts; not those that are written out."""
    if not 2 <= len(parts) <= _MOST_PARTS or not all(len(part) >= _SHORTEST_PART and part.isalpha() for part in parts):
        return
    for phrase in _phrases().get(tuple(part[:_SHORTEST_PART] for part in parts), ()):
        if phrase != tuple(parts) and all(word.startswith(part) for word, part in zip(phrase, parts, strict=True)):
            yield _whole()[phrase]


def _agreeing(known: Iterable[str]) -> tuple[Sense, ...]:
    """The first meaning of the words or phrases, if all of them are of one kind and suggest one role."""
    senses = [sense for word in known for sense in vocabulary().senses[word]]
    meanings = {(sense.idea.kind, sense.idea.role) for sense in senses}
    return tuple(senses[:1]) if len(meanings) == 1 and senses[0].idea.kind in _KINDS else ()


@cache
def _words() -> Mapping[str, tuple[str, ...]]:
    """The single words of the vocabulary by their first letters, in order."""
    found: dict[str, list[str]] = {}
    for word in sorted(vocabulary().single):
        if word.isalpha() and len(word) > _SHORTEST_DIRECT:
            found.setdefault(word[:_SHORTEST_DIRECT], []).append(word)
    return {start: tuple(words) for start, words in found.items()}


@cache
def _whole() -> Mapping[tuple[str, ...], str]:
    """The words of every phrase, without those that connect others → the phrase written together."""
    shortest_last = sorted(vocabulary().phrases, key=lambda phrase: (-len(phrase), phrase))
    phrases = ((tuple(word for word in phrase if not _connects(word)), phrase) for phrase in shortest_last)
    return {words: "".join(phrase) for words, phrase in phrases if 2 <= len(words) <= _MOST_PARTS}


@cache
def _phrases() -> Mapping[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The words of every phrase by the first letters of each of them."""
    found: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for phrase in sorted(_whole()):
        found.setdefault(tuple(word[:_SHORTEST_PART] for word in phrase), []).append(phrase)
    return {start: tuple(phrases) for start, phrases in found.items()}


def _connects(word: str) -> bool:
    return any(sense.idea.kind == "connector" for sense in vocabulary().senses.get(word, ()))
