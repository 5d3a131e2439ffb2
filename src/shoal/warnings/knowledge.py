"""Knowledge tables that fit the items of a column badly, so that rows link to other labels than they should."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.coded.domains import ItemDomain
from shoal.counts import counted
from shoal.percent import percent
from shoal.roles.knowledge import Knowledge, KnowledgeCheck, checked
from shoal.warnings.base import Case, Warning


def unfit_knowledge(case: Case) -> Iterator[Warning]:
    """Warns of items that no label has, labels without items, and labels and items that are written in several ways."""
    for name, domain in case.coded.items.items():
        if domain.knowledge is None:
            continue
        found = checked(domain.knowledge, domain.items)
        if found.unknown:
            yield _unknown(case, domain, domain.knowledge, found)
        if found.without_items:
            labels = counted(found.without_items, "label has no item", "labels have no items")
            them = "it" if found.without_items == 1 else "them"
            yield Warning(
                f"In the knowledge table of column '{name}', {labels}: only rows without items link to {them}."
            )
        if found.variants:
            yield Warning(
                f"The knowledge table of column '{name}' has {_differing(found.variants)} from "
                "another only in case, spaces or hyphens. Write them alike: each counts as a label or item of its own."
            )


def _unknown(case: Case, domain: ItemDomain, knowledge: Knowledge, found: KnowledgeCheck) -> Warning:
    known = np.array([item in knowledge.index for item in domain.items], np.bool_)
    lacking = np.bincount(np.repeat(np.arange(domain.size), domain.lengths), ~known[domain.members], domain.size) > 0
    rows = int(case.coded.counted.weight[lacking[case.coded.counted.items[domain.name]]].sum())
    remedy = (
        f" {counted(found.respelled, 'of them differs', 'of them differ')} from an item of the table only in case, "
        "spaces or hyphens: write them alike."
        if found.respelled
        else ""
    )
    return Warning(
        f"The knowledge table of column '{domain.name}' lacks {found.unknown:,} of its items. "
        f"{percent(rows / max(case.coded.counted.rows, 1))} of the rows have such an item, link to no label, and are "
        f"not protected by what the models say about labels.{remedy}",
        serious=bool(found.respelled),
    )


def _differing(variants: int) -> str:
    return counted(variants, "label or item that differs", "labels and items that differ")
