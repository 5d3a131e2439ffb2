"""The vocabulary of column names: words and phrases, and the ideas that they stand for.

`vocabulary.toml` holds the words of seven languages, grouped by idea.
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

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt")
HEAD_FIRST = frozenset(("fr", "es", "it", "pt"))
"""Languages whose main noun comes first: `hopital_diagnostic` is a hospital, `diagnosis_hospital` as well."""

_SHORTEST_ENDED = 6
_LIST_KEYS = (*LANGUAGES, "endings")


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
    `endings`: ending → idea, the longest ending first.
    """

    senses: Mapping[str, tuple[Sense, ...]]
    complete: Mapping[str, Idea]
    endings: tuple[tuple[str, Idea], ...]
    longest: int

    def by_ending(self, word: str) -> Idea | None:
        """The idea of a word that ends like a drug or a disease.

        >>> vocabulary().by_ending("lisinopril").what, vocabulary().by_ending("april")
        ('treatments or drugs', None)
        """
        if len(word) < _SHORTEST_ENDED:
            return None
        return next((idea for ending, idea in self.endings if word.endswith(ending) and len(word) > len(ending)), None)


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary of the package; it is read once."""
    text = files("shoal.profiling").joinpath("vocabulary.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    ideas = {key: _idea(key, table) for key, table in tables.items()}
    complete: dict[str, Idea] = {}
    languages: dict[str, dict[str, set[str]]] = {}
    for key, language, phrase in _phrases(tables):
        word = phrase.removeprefix("=").replace(" ", "")
        if phrase.startswith("="):
            complete.setdefault(word, ideas[key])
        else:
            languages.setdefault(word, {}).setdefault(key, set()).add(language)
    senses = {
        word: tuple(Sense(ideas[key], frozenset(spoken)) for key, spoken in meanings.items())
        for word, meanings in languages.items()
    }
    endings = [(ending, ideas[key]) for key, table in tables.items() for ending in _listed(table, "endings")]
    endings.sort(key=lambda ending: -len(ending[0]))
    return Vocabulary(senses, complete, tuple(endings), max(map(len, senses)))


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
