"""Carers: their names with a title, such as Dr Weber, in any column; their kinds in a column about carers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shoal.profiling.signs import IDENTIFIER, Sign
from shoal.profiling.vocabulary import vocabulary
from shoal.profiling.words import words
from shoal.table.patterns import mostly

WHAT = "physicians or other carers"
NUMBERS = Sign("names or numbers of carers", IDENTIFIER, "R", confidence="medium")

_FEWEST = 2
_LONGEST = 60
_KINDS = frozenset(("care", "clinical"))
_TITLE = (
    r"(?:dr|dra|drs|dott|dottssa|dott\.ssa|prof|univ|priv|doz|pd|med|mudr|mddr|lek|hab|mgr|ing|mr|mrs|ms|mme|mlle|herr"
    r"|frau|hr|fr|sr|sra|sig|sig\.ra|nurse|sister|doctor|docteur|doktor|doctora|dipl)\b\.?[- ,]*"
)
_WORD = r"[^\W\d_]['’]?[^\W\d_]*(?:[-'’][^\W\d_]+)*\.?"
_WORDS = rf"{_WORD}(?:[ ,]+{_WORD}){{0,3}}"
_TITLED = re.compile(rf"(?i:{_TITLE})+{_WORDS}|{_WORDS},? (?:MD|M\.D\.|DO|RN|PhD|DDS|MBBS|FRCS)\.?")


def are_titled_names(sample: Sequence[str]) -> bool:
    """Whether most values are names with a title before or after them.

    >>> are_titled_names(["Dr Weber", "Prof. Dr. A. Beck", "Olsen, MD"]), are_titled_names(["drug", "fracture"])
    (True, False)
    """
    return len(sample) >= _FEWEST and mostly(_TITLED, sample)


def are_kinds_of_carers(sample: Sequence[str]) -> bool:
    """Whether most values of a column about carers say what they are, as nurse or cardiologist does; others identify.

    >>> are_kinds_of_carers(["nurse", "senior consultant"]), are_kinds_of_carers(["RK", "Weber", "HYG2"])
    (True, False)
    """
    kinds = sum(any(map(_is_kind, words(value[:_LONGEST]))) for value in sample)
    return 2 * kinds > len(sample)


def _is_kind(word: str) -> bool:
    senses = vocabulary().senses.get(word, ())
    known = senses[0].idea if senses else vocabulary().by_form(word)
    return known is not None and known.kind in _KINDS and len(word) > 2
