"""The generalized form: one table in which every row shows its class's labels instead of the quasi-identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from shoal.forms.base import ByClass, ByValue, Content, Layout, Publishable, Unchanged
from shoal.models.base import ClassModel

RELEASE = "release"


class Generalized:
    """Rows of a class carry the same label in every quasi-identifier; everything else is released as it is."""

    kind: ClassVar[str] = "generalized"
    generalizes: ClassVar[bool] = True

    def refuses(self, models: Sequence[ClassModel], columns: Sequence[str]) -> str:
        return ""

    def tables(self, sensitive: Sequence[str]) -> tuple[str, ...]:
        return (RELEASE,)

    def layout(self, given: Publishable) -> Layout:
        return Layout(RELEASE, {name: _content(name, given) for name in given.columns})


def _content(name: str, given: Publishable) -> Content:
    if name in given.shown:
        return ByClass(given.shown[name])
    return ByValue(given.sensitive[name]) if name in given.sensitive else Unchanged()
