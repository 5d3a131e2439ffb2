"""Hierarchies: the labels to which a value may be generalized. A new kind is one file and one entry in `ALL`."""

from __future__ import annotations

from shoal.hierarchies.base import Hierarchy, HierarchySpec, Level, text_of
from shoal.hierarchies.checking import Coverage, check, write
from shoal.hierarchies.codes import Icd9, Icd10, Icd10Cm
from shoal.hierarchies.dates import Dates
from shoal.hierarchies.file import File
from shoal.hierarchies.flat import Flat
from shoal.hierarchies.intervals import Intervals
from shoal.hierarchies.learned import Learned
from shoal.hierarchies.prefix import Prefix

ALL = (Intervals, Prefix, Dates, File, Flat, Icd9, Icd10, Icd10Cm, Learned)


def default_for(type: str) -> HierarchySpec | None:
    """The default hierarchy of a column: value → `*` for text; none for numbers and dates, which are cut as needed."""
    return Flat() if type == "text" else None


__all__ = [
    "ALL",
    "Coverage",
    "Dates",
    "File",
    "Flat",
    "Hierarchy",
    "HierarchySpec",
    "Icd9",
    "Icd10",
    "Icd10Cm",
    "Intervals",
    "Learned",
    "Level",
    "Prefix",
    "check",
    "default_for",
    "text_of",
    "write",
]
