"""What no model of the plan protects in a table: rows that link to no label, and unrestricted quasi-identifiers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.percent import percent
from shoal.plan import Plan
from shoal.risks.classes import Classes
from shoal.roles.knowledge import load_knowledge
from shoal.table import Runs, read_sets

_TOLERATED = 0.05
"""The share of rows with unknown items that rare items may explain."""
_NOTEWORTHY = 0.01
"""The smallest share of unique rows that is warned of."""


def unrestricted(classes: Classes, plan: Plan) -> Iterator[str]:
    """Warns of unique rows if no model of the plan is about classes."""
    share = int((classes.sizes == 1).sum()) / max(int(classes.sizes.sum()), 1)
    if not plan.searched and classes.columns and share >= _NOTEWORTHY:
        yield (
            f"No model of the plan restricts the quasi-identifiers, and {percent(share)} of the rows are unique in "
            "them. Anyone who knows them finds the row. Hint: add a model of classes, such as k-anonymity."
        )


def unlinked(main: Runs, plan: Plan) -> Iterator[str]:
    """Warns of rows with items that no label has: promises about labels and the attack 'indirect' do not cover them."""
    for name in plan.looked_up:
        share = _unlinked(main, plan, name) if name in main.columns else 0.0
        if share > _TOLERATED:
            yield (
                f"{percent(share)} of the rows have an item in column '{name}' that no label of the knowledge table "
                "has. They link to no label, no model protects what their items reveal, and the attack 'indirect' "
                "learns nothing from them. Hint: check the separator of the items and the spelling of the table."
            )


def _unlinked(main: Runs, plan: Plan, name: str) -> float:
    """The share of rows with an item that no label has; 0 if the knowledge table is not at hand."""
    column = plan.columns[name]
    knowledge = load_knowledge(name, column, plan.data.absent)
    if knowledge is None:
        return 0.0
    sets = read_sets(main[name], column.separator, plan.data.absent)
    unknown = np.array([item not in knowledge.index for item in sets.items], np.bool_)
    run = np.repeat(np.arange(len(main.times)), np.diff(sets.offsets))
    return int(main.times[np.unique(run[unknown[sets.members]])].sum()) / max(main.height, 1)
