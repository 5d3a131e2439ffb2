"""Release forms. A new one is one file and one line in ALL."""

from shoal.forms.base import Form, Released
from shoal.forms.generalized import Generalized

ALL: tuple[type[Form], ...] = (Generalized,)

__all__ = ["ALL", "Form", "Generalized", "Released"]
