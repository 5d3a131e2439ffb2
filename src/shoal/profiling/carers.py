"""Names of carers: with a title, such as Dr Weber, in any column; with initials in a column about carers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shoal.table.patterns import mostly

WHAT = "physicians or other carers"

_FEWEST = 2
_MANY = 20
_TITLE = (
    r"(?:dr|dra|drs|dott|dottssa|dott\.ssa|prof|univ|priv|doz|pd|med|mudr|mddr|lek|hab|mgr|ing|mr|mrs|ms|mme|mlle|herr"
    r"|frau|hr|fr|sr|sra|sig|sig\.ra|nurse|sister|doctor|docteur|doktor|doctora|dipl)\b\.?[- ,]*"
)
_WORD = r"[^\W\d_]['’]?[^\W\d_]*(?:[-'’][^\W\d_]+)*\.?"
_WORDS = rf"{_WORD}(?:[ ,]+{_WORD}){{0,3}}"
_TITLED = re.compile(rf"(?i:{_TITLE})+{_WORDS}|{_WORDS},? (?:MD|M\.D\.|DO|RN|PhD|DDS|MBBS|FRCS)\.?")
_INITIAL = r"(?:[^\W\d_a-z]\.?[- ]?){1,3}"
_FAMILY = r"(?:(?:van|von|der|den|de|di|da|le|la|ten|zu) )*[^\W\d_a-z][^\W\d_]*(?:[-'’ ][^\W\d_]+){0,2}"
_WITH_INITIALS = re.compile(rf"{_INITIAL} ?{_FAMILY}|{_FAMILY},? {_INITIAL}")
_CAPITALIZED = re.compile(rf"{_FAMILY}")


def are_titled_names(sample: Sequence[str]) -> bool:
    """Whether most values are names with a title before or after them.

    >>> are_titled_names(["Dr Weber", "Prof. Dr. A. Beck", "Olsen, MD"]), are_titled_names(["drug", "fracture"])
    (True, False)
    """
    return len(sample) >= _FEWEST and mostly(_TITLED, sample)


def are_names_of_carers(sample: Sequence[str]) -> bool:
    """Whether the values of a column about carers are names; a few words may be kinds of carers instead.

    >>> are_names_of_carers(["C. Brown", "A. Weber"]), are_names_of_carers(["registrar", "consultant"])
    (True, False)
    """
    if are_titled_names(sample) or (len(sample) >= _FEWEST and mostly(_WITH_INITIALS, sample)):
        return True
    return len(sample) >= _MANY and mostly(_CAPITALIZED, sample)
