"""Set-valued columns from which all items were removed."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.counts import counted
from shoal.warnings.base import Case, Warning


def emptied_columns(case: Case) -> Iterator[Warning]:
    """Warns of a set-valued column that is released without any item, although released rows had some."""
    if case.partition is None:
        return
    for model in case.plan.removing:
        name = model.column
        edit = case.partition.edits.get(name)
        if edit is None or edit.domain.lengths[edit.codes].any():
            continue
        before = case.coded.items[name].lengths[case.coded.counted.items[name][case.partition.row]]
        if had := int(before @ case.partition.weight):
            remedy = "Weaken the model, or drop the column."
            yield Warning(
                f"Column '{name}' is released without any item: all {counted(had, 'item', 'items')} of its released "
                f"rows were removed to keep the promise of '{model.kind}'. {remedy}",
                remedy=remedy,
            )
