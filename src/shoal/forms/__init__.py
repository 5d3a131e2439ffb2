"""Release forms. A new one is one file and one line in ALL."""

from shoal.forms.anatomy import Anatomy
from shoal.forms.base import Form
from shoal.forms.generalized import Generalized

ALL: tuple[type[Form], ...] = (Generalized, Anatomy)


def by_kind(kind: str) -> Form:
    """The form of that kind, as the plan names it."""
    return next(cls for cls in ALL if cls.kind == kind)()


__all__ = [
    "ALL",
    "Anatomy",
    "ByClass",
    "ByValue",
    "Form",
    "Generalized",
    "Layout",
    "Publishable",
    "Unchanged",
    "by_kind",
]
