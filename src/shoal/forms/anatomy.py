"""The anatomy form: exact quasi-identifiers in one table, counts of every sensitive column by class in another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from shoal.errors import PlanError
from shoal.forms.base import ByValue, Content, Layout, Publishable, Unchanged
from shoal.models.base import ClassModel
from shoal.table import file_name

CLASS_ID, VALUE, COUNT = "class_id", "value", "count"
QUASI_IDENTIFIERS = "quasi_identifiers"


def sensitive_table(column: str) -> str:
    """The name of the table that counts a sensitive column.

    >>> sensitive_table("diagnosis")
    'sensitive_diagnosis'
    """
    return f"sensitive_{file_name(column)}"


class Anatomy:
    """Publishes the class of every row and the counts of sensitive values per class, but not which row has which value.

    It bounds what can be learned about an individual's sensitive values. It hides neither who is in the table nor which
    row belongs to whom, because quasi-identifiers are released unchanged. Classes are numbered by the first of their
    rows in sorted order.
    Paper: Xiao, Tao, Anatomy: simple and effective privacy preservation, VLDB 2006.
    """

    kind: ClassVar[str] = "anatomy"
    generalizes: ClassVar[bool] = False

    def refuses(self, models: Sequence[ClassModel], columns: Sequence[str]) -> str:
        for model in models:
            if not model.reads:  # it protects identity only
                return (
                    f"Model '{model.kind}' cannot be released as 'anatomy': it protects identity, but an anatomy "
                    'publishes exact quasi-identifiers. Hint: set form = "generalized", or require the class size '
                    "with the k of a diversity model, such as 'multi-sensitive'."
                )
        if CLASS_ID in columns:
            return f"An anatomy adds a column '{CLASS_ID}', but the table has one already. Hint: rename it."
        return ""

    def tables(self, sensitive: Sequence[str]) -> tuple[str, ...]:
        return (QUASI_IDENTIFIERS, *(sensitive_table(column) for column in sensitive))

    def layout(self, given: Publishable) -> Layout:
        if CLASS_ID in given.columns:
            raise PlanError(self.refuses((), given.columns))
        apart = [name for name in given.columns if name in given.sensitive]
        columns = {name: _content(name, given) for name in given.columns if name not in apart}
        counted = {name: sensitive_table(name) for name in apart}
        return Layout(QUASI_IDENTIFIERS, columns, CLASS_ID, counted, {name: given.sensitive[name] for name in apart})


def _content(name: str, given: Publishable) -> Content:
    """Quasi-identifiers are exact, apart from top- and bottom-coding, which comes before all other steps."""
    return ByValue(given.exact(name)) if name in given.shown else Unchanged()
