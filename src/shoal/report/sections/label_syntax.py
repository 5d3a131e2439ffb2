"""How to read the labels of the release."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.labels import ANY
from shoal.report.document import Block, Terms, Text
from shoal.report.sections.base import Facts, ReportSection

_MEANINGS = (
    ("range", "[low, high]", "Any value from low to high, both included. Dates are written as YYYY-MM-DD."),
    ("set", "{a, b}", "One of the listed values."),
    (
        "hierarchy node",
        "Node of a hierarchy",
        "Any value below the node, such as 12* for all codes that begin with 12, or 2025-W05 for the fifth week of "
        "2025. The codebook lists the nodes that were released with their levels.",
    ),
    (ANY, ANY, "Any value, or none: the value was generalized completely."),
)
"""What stands in `published_as`, how such a label is written, and what it means."""
_ALWAYS = (
    ("Empty", "The value was missing in the input. This is not the same as *."),
    (
        "Backslash at the beginning",
        "The value itself would read as one of these labels; it begins after the backslash.",
    ),
)
_MORE = (
    "`codebook.json` lists the labels of every column. In Python, `shoal.read_release(DIR)` reads them as columns with "
    "the lowest and the highest value, the members of sets, and the level."
)


class LabelSyntax(ReportSection):
    """The kinds of labels that the release has, and what each of them stands for."""

    key = "labels"
    title = "How to read the labels"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        published_as = facts.manifest.published_as.values()
        terms = [
            (written, meaning) for kind, written, meaning in _MEANINGS if any(kind in each for each in published_as)
        ]
        return (Terms((*terms, *_ALWAYS)), Text((_MORE,))) if terms else ()
