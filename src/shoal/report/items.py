"""The items removed from a release or generalized in it, in the steward's report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from shoal.coded.record import ItemRemoval
from shoal.coded.removed import RemovedItems
from shoal.counts import counted
from shoal.manifest import Manifest
from shoal.percent import percent
from shoal.report.numbers import number

LISTED = 20
"""The most items of a column that are listed: those that most rows lost."""


class ItemLine(NamedTuple):
    """What was removed: an item, or items in classes of one size; and from how many rows, or how many."""

    column: str
    what: str
    removed: str


def item_lines(manifest: Manifest) -> tuple[ItemLine, ...]:
    """The items that were removed, by item and by class size; none in a published manifest."""
    return tuple(line for name, removed in manifest.items_removed.items() for line in _lines(name, removed))


def item_sentences(manifest: Manifest) -> tuple[str, ...]:
    """How much was removed from each set-valued column, in sentences."""
    removed = [_sentence(name, removed) for name, removed in manifest.items_removed.items()]
    return (*removed, *(_search_sentence(each) for each in manifest.search.item_removal or ()))


def _search_sentence(found: ItemRemoval) -> str:
    """What is proven about the removal for a model."""
    if not found.classes:
        return f"Every class satisfied '{found.model}' without a removal."
    least = "the least possible" if found.proven == found.classes else f"at least {number(found.lower_bound)}"
    time = "" if found.in_time else " The budget of seconds was used up: more time may lower the cost."
    return (
        f"{counted(found.classes, 'class', 'classes')} failed '{found.model}' before items were removed. The cost of "
        f"{number(found.cost)} is {'' if least.startswith('the') else 'not proven to be the least, which is '}{least}; "
        f"it is proven for {number(found.proven)} of them.{time}"
    )


def _sentence(name: str, found: RemovedItems) -> str:
    if not found.removed and not found.generalized:
        return f"No item was removed from the released rows of column '{name}'."
    rows, cost = counted(found.rows, "row", "rows"), found.cost / found.whole if found.whole else 0.0
    blurred = f" {number(found.generalized)} were generalized." if found.generalized else ""
    return (
        f"Of the {number(found.of)} items of column '{name}' in released rows, {number(found.removed)} were removed, "
        f"from {rows}.{blurred} The removal cost is {percent(cost)} of that of all items."
    )


def _by_item(name: str, rows_of: Mapping[str, int], how: str) -> list[ItemLine]:
    """The items that most rows lost, or that are generalized in most rows, and how many others there are."""
    by_rows = sorted(rows_of.items(), key=lambda each: (-each[1], each[0]))
    lines = [ItemLine(name, f"{item}{how}", counted(rows, "row", "rows")) for item, rows in by_rows[:LISTED]]
    if more := by_rows[LISTED:]:
        most, items = counted(more[0][1], "row", "rows"), counted(len(more), "more item", "more items")
        lines.append(ItemLine(name, f"… and {items}{how}", f"at most {most} each"))
    return lines


def _lines(name: str, found: RemovedItems) -> list[ItemLine]:
    lines = _by_item(name, found.by_item, "") + _by_item(name, found.by_generalized, ", generalized")
    sizes = sorted(found.by_class_size.items(), key=lambda each: int(each[0]))
    listed = [
        ItemLine(name, f"classes of {counted(int(size), 'row', 'rows')}", counted(items, "item", "items"))
        for size, items in sizes[:LISTED]
    ]
    if rest := sizes[LISTED:]:
        items = counted(sum(each for _, each in rest), "item", "items")
        listed.append(ItemLine(name, "larger classes", items))
    return [*lines, *listed]
