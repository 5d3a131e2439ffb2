"""The vocabulary of column names: words and phrases, and the ideas that they stand for.

`vocabulary.toml` holds the words of thirteen languages, grouped by idea.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from shoal.profiling.signs import Numbered
from shoal.roles.columns import Role

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "da", "no", "sv", "fi", "pl", "cs")
HEAD_FIRST = frozenset(("fr", "es", "it", "pt", "pl", "cs"))
"""Languages whose main noun comes first: `hopital_diagnostic` is a hospital, `diagnosis_hospital` as well."""

_SHORTEST_ENDED = 6
_LIST_KEYS = (*LANGUAGES, "endings", "stems")
_ORDINARY = "ordinary"


@dataclass(frozen=True)
class Idea:
    """What a word of a column name stands for; `kind` says how it combines with other ideas.

    `hierarchy` and `read_as` suit a column about this idea. `numbers`: what its values number.
    `individual`: it is about a professional, whose name is that of an individual.
    """

    key: str
    kind: str
    what: str = ""
    role: Role | None = None
    hipaa: str = ""
    hierarchy: str | None = None
    read_as: str | None = None
    numbers: Numbered | None = None
    individual: bool = False


class Sense(NamedTuple):
    """One meaning of a word: its idea, and the languages in which the word has it."""

    idea: Idea
    languages: frozenset[str]


@dataclass(frozen=True)
class Vocabulary:
    """All words. A phrase is listed as its words written together, so that it is found in any spelling.

    `senses`: word → its meanings, the most likely first. `complete`: names that mean something only by themselves.
    `in_context`: names that mean something only by themselves and among clinical columns. `endings` and `stems`: how
    medical words end and begin → idea, the longest first. `ordinary`: words that only look like medical ones. `unsure`:
    words that mean something else in tables of other fields. `single`: the words that are no phrases. `phrases`: the
    words of those that are.
    """

    senses: Mapping[str, tuple[Sense, ...]]
    complete: Mapping[str, Idea]
    in_context: Mapping[str, Idea]
    endings: tuple[tuple[str, Idea], ...]
    stems: tuple[tuple[str, Idea], ...]
    ordinary: frozenset[str]
    unsure: frozenset[str]
    single: frozenset[str]
    phrases: frozenset[tuple[str, ...]]
    longest: int

    def by_ending(self, word: str) -> Idea | None:
        """The idea of a word that ends like a drug, a disease or a specialist.

        >>> vocabulary().by_ending("lisinopril").what, vocabulary().by_ending("april")
        ('treatments or drugs', None)
        """
        if len(word) < _SHORTEST_ENDED or self.is_ordinary(word):
            return None
        return next((idea for ending, idea in self.endings if word.endswith(ending) and len(word) > len(ending)), None)

    def by_form(self, word: str) -> Idea | None:
        """The idea of a word that ends or begins like a medical one.

        >>> vocabulary().by_form("hyperkalemic").what, vocabulary().by_form("hypertexts")
        ('diagnoses or findings', None)
        """
        if len(word) < _SHORTEST_ENDED or self.is_ordinary(word):
            return None
        return self.by_ending(word) or next((idea for stem, idea in self.stems if word.startswith(stem)), None)

    def is_ordinary(self, word: str) -> bool:
        """Whether a word, or the word of which it is the plural, is an ordinary one."""
        return word in self.ordinary or word.removesuffix("s") in self.ordinary


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary of the package; it is read once."""
    text = files("shoal.profiling").joinpath("vocabulary.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    ordinary = frozenset(phrase for _, _, phrase in _phrases({_ORDINARY: tables.pop(_ORDINARY)}))
    ideas = {key: _idea(key, table) for key, table in tables.items()}
    complete: dict[str, Idea] = {}
    in_context: dict[str, Idea] = {}
    languages: dict[str, dict[str, set[str]]] = {}
    for key, language, phrase in _phrases(tables):
        word = phrase.lstrip("=~?").replace(" ", "")
        if phrase.startswith("="):
            complete.setdefault(word, ideas[key])
        elif phrase.startswith("~"):
            in_context.setdefault(word, ideas[key])
        else:
            languages.setdefault(word, {}).setdefault(key, set()).add(language)
    senses = {
        word: tuple(Sense(ideas[key], frozenset(spoken)) for key, spoken in meanings.items())
        for word, meanings in languages.items()
    }
    endings, stems = (_by_length(tables, ideas, key) for key in ("endings", "stems"))
    unsure = frozenset(phrase[1:].replace(" ", "") for _, _, phrase in _phrases(tables) if phrase.startswith("?"))
    single = frozenset(phrase for _, _, phrase in _phrases(tables) if phrase in senses)
    phrases = frozenset(
        tuple(phrase.split()) for _, _, phrase in _phrases(tables) if " " in phrase and phrase[0] not in "=~?"
    )
    longest = max(map(len, senses))
    return Vocabulary(senses, complete, in_context, endings, stems, ordinary, unsure, single, phrases, longest)


def _by_length(
    tables: Mapping[str, Mapping[str, Any]], ideas: Mapping[str, Idea], part: str
) -> tuple[tuple[str, Idea], ...]:
    """The endings or stems of all ideas, the longest first."""
    found = [(text, ideas[key]) for key, table in tables.items() for text in _listed(table, part)]
    return tuple(sorted(found, key=lambda pair: -len(pair[0])))


def _idea(key: str, table: Mapping[str, Any]) -> Idea:
    return Idea(key, **{name: value for name, value in table.items() if name not in _LIST_KEYS})


def _phrases(tables: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """Every phrase with its idea and language."""
    for key, table in tables.items():
        for language in LANGUAGES:
            for phrase in _listed(table, language):
                yield key, language, phrase


def _listed(table: Mapping[str, Any], key: str) -> list[str]:
    return [" ".join(phrase.split()) for phrase in table.get(key, "").split(",") if phrase.strip()]
