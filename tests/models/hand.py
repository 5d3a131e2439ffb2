"""Single classes written out by hand, judged in both forms."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.models import ClassModel
from shoal.models.evidence import Finding
from tests.models.tables import ITEMS, Made, evidence, stats

Values = Sequence[str | None]


def table(*classes: Values, suppressed: Values = (), column: str = "disease", missing_counts: bool = False) -> Made:
    """One class per list of values of the column; the other column is always the same."""
    other = {"disease": "flu", "months": "9", "who": "ann", ITEMS: None}
    numbered = [(value, c) for c, values in enumerate(classes) for value in values]
    numbered += [(value, -1) for value in suppressed]
    return Made(
        rows=tuple(other | {column: value} for value, _ in numbered),
        class_of=tuple(c for _, c in numbered),
        missing_counts=frozenset([column] if missing_counts else []),
    )


def verdicts(
    model: ClassModel,
    *classes: Values,
    column: str = "disease",
    missing_counts: bool = False,
    with_trees: bool = True,
) -> list[bool]:
    """Which of the classes pass in a table of just these; the search and verification must agree on them."""
    made = table(*classes, column=column, missing_counts=missing_counts)
    passing: list[bool] = model.passes(stats(made)).tolist()
    assert model.holds(evidence(made, with_trees=with_trees)).failing == passing.count(False)
    return passing


def finding(
    model: ClassModel,
    *classes: Values,
    column: str = "disease",
    suppressed: Values = (),
    with_trees: bool = True,
) -> Finding:
    return model.holds(evidence(table(*classes, suppressed=suppressed, column=column), with_trees=with_trees))
