"""The generalized form: one table in which every row shows the labels of its class as quasi-identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from shoal.forms.base import ByClass, ByValue, Content, Layout, Publishable, Unchanged
from shoal.models.base import ClassModel

RELEASE = "release"


class Generalized:
    """The rows of a class have the same label in every quasi-identifier; all other columns are released unchanged.

    From a set-valued column, items may have been removed before.
    """

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
    texts = given.sensitive.get(name, given.sets.get(name))
    return Unchanged() if texts is None else ByValue(texts)
