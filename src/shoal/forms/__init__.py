"""Release forms. A new one is one file and one line in ALL."""

from shoal.forms.anatomy import Anatomy
from shoal.forms.base import Form, Released
from shoal.forms.generalized import Generalized

ALL: tuple[type[Form], ...] = (Generalized, Anatomy)

__all__ = ["ALL", "Anatomy", "Form", "Generalized", "Released"]
