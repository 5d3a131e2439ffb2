"""Words of a column name: split at separators, case and digits, and words written together taken apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from shoal.profiling.vocabulary import vocabulary

_SHORT = frozenset(
    (
        "dx",
        "px",
        "hx",
        "tx",
        "rx",
        "id",
        "nr",
        "dt",
        "cd",
        "yr",
        "bp",
        "hr",
        "ef",
        "hb",
        "cr",
        "of",
        "at",
        "de",
        "du",
        "di",
        "da",
        "do",
        "no",
        "tb",
        "op",
        "ed",
        "er",
        "pt",
        "gp",
        "pr",
        "wt",
        "ht",
        "hh",
    )
)
"""Words of two letters that may be part of words written together."""
_ONLY_FIRST = frozenset(("er", "ed"))
"""Words that may only begin such a word: at the end they are the end of a verb, as in differ."""
_NO_SHORT_PARTS = frozenset(("da", "no", "sv", "fi", "pl", "cs"))
"""Languages whose short words are no parts of words: too many other words contain their letters."""
_LINKS = ("s", "n", "es", "en")
"""Letters that German puts between the parts of a compound, as in Entlassungsdiagnose."""
_SHORTEST_LINKED = 4
_LONGEST_TAKEN_APART = 60

_SMALL = {"ß": "ss", "æ": "ae", "ø": "o", "œ": "oe", "ı": "i", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "µ": "u"}
_LARGE = {"Æ": "Ae", "Ø": "O", "Œ": "Oe", "Ł": "L", "Đ": "D", "Ð": "D", "Þ": "Th"}
_LETTERS = str.maketrans(_SMALL | _LARGE)
_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_DIGITS = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """The words of a name in lower case without accents; words written together are taken apart if all are known.

    >>> words("PatientFirstName"), words("diag2"), words("Laborbefundsdatum")
    (('patient', 'first', 'name'), ('diag', '2'), ('laborbefund', 'datum'))
    >>> words("wardadmissiondx"), words("stagecoach")
    (('ward', 'admission', 'dx'), ('stagecoach',))
    """
    return tuple(word for piece in _pieces(name) for word in _known_parts(piece))


def folded(value: str) -> str:
    """A short text in lower case, without accents.

    >>> folded(" Søren"), folded("Łódź")
    ('soren', 'lodz')
    """
    return _unaccented(value.strip()).lower()


def _unaccented(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(char for char in plain if not unicodedata.combining(char))


def _pieces(name: str) -> list[str]:
    return _WORD.findall(_CASE.sub(" ", _unaccented(name)).lower())


def _known_parts(piece: str) -> Sequence[str]:
    """The piece itself if it is known, else its known parts, else its letters and digits apart."""
    known = vocabulary().senses
    if piece in known or piece in vocabulary().complete or vocabulary().is_ordinary(piece):
        return (piece,)
    for spelled in (_without_umlauts(piece), piece.replace("aa", "a")):
        if spelled in known:
            return (spelled,)
    if piece.endswith("s") and piece[:-1] in known and len(piece) > _SHORTEST_LINKED:
        return (piece[:-1],)
    parts = _taken_apart(piece) or _taken_apart(_without_umlauts(piece))
    if parts:
        return parts
    pieces = _DIGITS.sub(" ", piece).split()
    if len(pieces) == 1:
        return (piece,)
    return tuple(part for each in pieces for part in _known_parts(each))


def _without_umlauts(piece: str) -> str:
    """The piece with ae, oe and ue as a, o and u, which is how the vocabulary spells umlauts."""
    return re.sub(r"([aou])e", r"\1", piece)


def _taken_apart(piece: str) -> tuple[str, ...]:
    """The known words that cover all letters, preferring long ones; empty if there are none.

    The preference is the sum of squared lengths, so one long word outweighs several short ones.
    """
    if len(piece) > _LONGEST_TAKEN_APART or not piece.isascii():
        return ()
    best: list[tuple[int, tuple[str, ...]] | None] = [None] * (len(piece) + 1)
    best[0] = (0, ())
    for end in range(1, len(piece) + 1):
        for start in range(max(0, end - vocabulary().longest), end):
            before = best[start]
            part = piece[start:end]
            is_word = _is_part(part) and not (part in _ONLY_FIRST if start else _connects(part))
            if before is None or not (is_word or _is_link(part, piece[:start], piece[end:])):
                continue
            score = before[0] + (len(part) ** 2 if is_word else 0)
            found = best[end]
            if found is None or score > found[0]:
                best[end] = (score, (*before[1], part) if is_word else before[1])
    whole = best[-1]
    return whole[1] if whole is not None and len(whole[1]) > 1 else ()


def _is_part(part: str) -> bool:
    if len(part) < _SHORTEST_LINKED and part in vocabulary().senses:
        return part in _SHORT or (len(part) > 2 and not _is_only_of(part, _NO_SHORT_PARTS))
    return part in vocabulary().senses


def _connects(part: str) -> bool:
    """Whether a part only connects words, so that it begins none: a donation is no nation."""
    return all(sense.idea.kind == "connector" for sense in vocabulary().senses[part])


def _is_only_of(part: str, languages: frozenset[str]) -> bool:
    return all(sense.languages <= languages for sense in vocabulary().senses[part])


def _is_link(part: str, before: str, after: str) -> bool:
    return part in _LINKS and len(before) >= _SHORTEST_LINKED and len(after) >= _SHORTEST_LINKED
