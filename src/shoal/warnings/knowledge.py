"""Knowledge tables that fit the items of a column badly, so that rows link to other labels than they should."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.coded.domains import ItemDomain
from shoal.counts import counted
from shoal.percent import percent
from shoal.roles.knowledge import Knowledge
from shoal.roles.knowledge_check import KnowledgeCheck, checked
from shoal.warnings.base import Case, Warning

_MOST = 0.5
"""The share of rows that link to no label from which a promise about labels hardly protects anyone."""
_NAMED = 5


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
                f"In the knowledge table of column '{name}', {labels}{_shown(found.lines.without_items)}: only rows "
                f"without items link to {them}.",
                remedy="Add the items of these labels to the knowledge table, or delete the labels.",
            )
        if found.variants:
            yield Warning(
                f"The knowledge table of column '{name}' has {_differing(found.variants)} from another only in case, "
                f"spaces or hyphens{_shown(found.lines.variants)}. Write them alike: each counts as a label or item of "
                "its own.",
                remedy="Write labels and items that mean the same alike.",
            )


def _unknown(case: Case, domain: ItemDomain, knowledge: Knowledge, found: KnowledgeCheck) -> Warning:
    known = np.array([item in knowledge.index for item in domain.items], np.bool_)
    lacking = np.bincount(np.repeat(np.arange(domain.size), domain.lengths), ~known[domain.members], domain.size) > 0
    rows = int(case.coded.counted.weight[lacking[case.coded.counted.items[domain.name]]].sum())
    share = rows / max(case.coded.counted.rows, 1)
    return Warning(
        f"The knowledge table of column '{domain.name}' lacks {found.unknown:,} of its items. {percent(share)} of the "
        "rows have such an item, link to no label, and are not protected by what the models say about labels."
        f"{_remedy(found, share)}",
        serious=bool(found.respelled) or share > _MOST,
        remedy=_remedy(found, share).strip() or "Add the items to the knowledge table if they may reveal a label.",
    )


def _remedy(found: KnowledgeCheck, share: float) -> str:
    """What to do about unknown items, beginning with a space; empty if nothing is known to be wrong."""
    if found.respelled:
        return (
            f" {counted(found.respelled, 'of them differs', 'of them differ')} from an item of the table only in case, "
            f"spaces or hyphens: write them alike{_shown(found.lines.respelled, ' of the table')}."
        )
    return " Check the separator of the items (`items`) and the spelling of the table." if share > _MOST else ""


def _shown(lines: tuple[int, ...], of: str = "") -> str:
    """The first lines in parentheses, after a space; empty if there are none."""
    if not lines:
        return ""
    if len(lines) == 1:
        return f" (line {lines[0]:,}{of})"
    more = len(lines) - _NAMED
    first = [f"{line:,}" for line in lines[:_NAMED]]
    last = f"{more:,} more" if more > 0 else first.pop()
    return f" (lines {', '.join(first)} and {last}{of})"


def _differing(variants: int) -> str:
    return counted(variants, "label or item that differs", "labels and items that differ")
