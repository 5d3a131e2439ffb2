"""Terms: the words and phrases of a column's name, each in the sense that fits the other words' language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from shoal.profiling.abbreviations import abbreviated, completed
from shoal.profiling.spelling import corrected
from shoal.profiling.vocabulary import HEAD_FIRST, Idea, Sense, vocabulary

_LONGEST_PHRASE = 6
_MANY_LANGUAGES = 4
_NEEDS_COMPANY = frozenset(("data", "das", "fin", "fine", "para"))
"""Words that mean something only beside another word of the same language: `data_nascita` has a date, `data` none."""
_PER = frozenset(("per", "pro", "par", "por"))


@dataclass(frozen=True)
class Term:
    """A word or phrase of a name with its idea."""

    text: str
    idea: Idea
    languages: frozenset[str]

    @property
    def key(self) -> str:
        return self.idea.key

    @property
    def kind(self) -> str:
        return self.idea.kind


@dataclass(frozen=True)
class Name:
    """The terms of a name in order, without connecting words. `heads`: the terms before the first connecting word.

    `is_guessed`: a word is unknown, has other meanings, or is known only by its form or a similar spelling.
    """

    terms: tuple[Term, ...]
    unknown: int
    heads: int
    is_guessed: bool

    def of_kind(self, *kinds: str) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.kind in kinds)

    def has(self, *keys: str) -> bool:
        return any(term.key in keys for term in self.terms)

    @property
    def head_first(self) -> bool:
        """Whether the words are of a language whose main noun comes first, and not of another one."""
        return bool(self.terms) and all(not term.languages.isdisjoint(HEAD_FIRST) for term in self.terms)


def read(parts: Sequence[str]) -> Name:
    """The terms of the words: at each place the longest phrase, in the sense that fits the other words' language."""
    matched = list(_matched(parts))
    known = [each for each in matched if each[1]]
    votes = Counter(language for text, senses in known if len(senses) == 1 for language in _telling(text, senses[0]))
    terms: list[Term] = []
    heads = 0
    before = ""
    for text, senses in known:
        sense = max(senses, key=lambda sense: max((votes[language] for language in sense.languages), default=0))
        if sense.idea.kind == "connector":
            heads = heads or len(terms)
        elif _counts(text, sense, before, votes):
            terms.append(Term(text, sense.idea, sense.languages))
        before = text
    unknown = len(matched) - len(known)
    is_guessed = unknown > 0 or any(map(_is_unsure, (text for text, _ in known)))
    return Name(tuple(terms), unknown, heads or len(terms), is_guessed)


def _is_unsure(text: str) -> bool:
    return text not in vocabulary().senses or text in vocabulary().unsure


def _counts(text: str, sense: Sense, before: str, votes: Mapping[str, int]) -> bool:
    """Whether a word counts here: it has the company that it needs, and is not the day in cigarettes per day."""
    in_company = text not in _NEEDS_COMPANY or any(votes[language] for language in sense.languages)
    return in_company and not (sense.idea.key == "calendar" and before in _PER)


def _telling(text: str, sense: Sense) -> frozenset[str]:
    """The languages of a word, if it is a word of few languages and stands for itself."""
    few = len(sense.languages) < _MANY_LANGUAGES and text not in _NEEDS_COMPANY
    return sense.languages if few else frozenset()


def _matched(parts: Sequence[str]) -> Iterator[tuple[str, tuple[Sense, ...]]]:
    """Phrases from left to right with their senses; a word that means nothing has none. Bare digits are left out."""
    start = 0
    while start < len(parts):
        for end in range(min(start + _LONGEST_PHRASE, len(parts)), start, -1):
            phrase = "".join(parts[start:end])
            senses = _senses(phrase, is_word=end == start + 1) or _abbreviated(parts[start:end])
            if end > start + 1 and phrase in vocabulary().single and not _joins(parts[start:end], senses):
                continue
            if senses or (end == start + 1 and not phrase.isdigit()):
                yield phrase, senses
            if senses:
                start = end - 1
                break
        start += 1


def _joins(parts: Sequence[str], senses: Sequence[Sense]) -> bool:
    """Whether words may be one word written apart: not if all are words of other languages, as `mes to` is no town."""
    spoken = frozenset().union(*(sense.languages for sense in senses))
    known = [vocabulary().senses.get(part, ()) for part in parts]
    return not all(known) or any(not spoken.isdisjoint(sense.languages) for each in known for sense in each)


def _senses(phrase: str, *, is_word: bool) -> tuple[Sense, ...]:
    known = vocabulary().senses.get(phrase)
    if known is not None or not is_word:
        return known or ()
    formed = vocabulary().by_form(phrase)
    return corrected(phrase) or completed(phrase) if formed is None else (Sense(formed, frozenset()),)


def _abbreviated(parts: Sequence[str]) -> tuple[Sense, ...]:
    """The meaning of a phrase of which only the first letters are written; words that are all known mean themselves."""
    return () if all(part in vocabulary().senses for part in parts) else abbreviated(parts)


def is_known(word: str) -> bool:
    """Whether a single word of a name means something, or is a number."""
    return word.isdigit() or word in vocabulary().complete or bool(_senses(word, is_word=True))
