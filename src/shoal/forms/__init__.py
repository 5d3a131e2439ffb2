"""Release forms. To add one, write one file here and list its class in `ALL`."""

from shoal.forms.anatomy import Anatomy
from shoal.forms.base import Form
from shoal.forms.generalized import Generalized

ALL: tuple[type[Form], ...] = (Generalized, Anatomy)


def by_kind(kind: str) -> Form:
    """The form of this kind, as a plan names it."""
    return next(cls for cls in ALL if cls.kind == kind)()


__all__ = ["ALL", "Anatomy", "Form", "Generalized", "by_kind"]
