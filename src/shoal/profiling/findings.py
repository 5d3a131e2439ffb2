"""Findings: texts that say how something is, such as mild, left or unchanged, in any of many languages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from shoal.profiling.vocabulary import vocabulary
from shoal.profiling.words import folded, words

_LONGEST = 60
_SHORTEST_KNOWN = 4
_LEAST_SHARE = 0.5
_MOST_OTHERS = 0.2
_OTHERS = frozenset(("direct", "person", "relative", "care", "place", "setting", "demographic"))
_LETTERS = re.compile(r"[^\W\d_]+")


def are_findings(sample: Sequence[str]) -> bool:
    """Whether at least half of the values have a word of findings, and hardly any one of individuals, places or care.

    >>> are_findings(["Mild", "Moderate", "Very severe"]), are_findings(["Weber", "Left Bank Clinic"])
    (True, False)
    """
    said = [value[:_LONGEST] for value in sample if folded(value) not in _listed("unsaid")]
    found = sum(map(_is_finding, said))
    others = sum(map(_names_others, said))
    return bool(said) and found >= _LEAST_SHARE * len(said) and others <= _MOST_OTHERS * len(said)


def _is_finding(value: str) -> bool:
    plain = _LETTERS.findall(folded(value))
    return not _listed("findings").isdisjoint(plain) or any(map(_is_clinical, words(value)))


def _is_clinical(word: str) -> bool:
    senses = vocabulary().senses.get(word, ())
    idea = senses[0].idea if senses else vocabulary().by_ending(word)
    return idea is not None and idea.kind == "clinical" and len(word) >= _SHORTEST_KNOWN


def _names_others(value: str) -> bool:
    senses = (vocabulary().senses.get(word, ()) for word in words(value))
    return any(each and each[0].idea.kind in _OTHERS for each in senses)


@cache
def _listed(key: str) -> frozenset[str]:
    lists = tomllib.loads(files("shoal.profiling").joinpath("values.toml").read_text(encoding="utf-8"))
    return frozenset(" ".join(word.split()) for word in lists[key].split(","))
