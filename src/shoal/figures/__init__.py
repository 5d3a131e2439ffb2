"""Figures: what a report shows beyond the manifest, one kind per file, computed once when a release is made.

`public` sees the published tables and the published plan alone. `private` adds what needs the input. A field that a
release does not have is None or empty, and its section is omitted.
"""

from typing import NamedTuple

from shoal.figures.private import PrivateFigures
from shoal.figures.public import PublicFigures, public_figures


class Figures(NamedTuple):
    """The figures of both reports of a release."""

    public: PublicFigures
    private: PrivateFigures


__all__ = ["Figures", "PrivateFigures", "PublicFigures", "public_figures"]
