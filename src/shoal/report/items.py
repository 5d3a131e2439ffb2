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


COLUMN_HEADERS = ("column", "items", "removed", "generalized", "published", "item loss")
"""Of every set-valued column: the items of its released rows, those removed and generalized, and what is published."""
GENERALIZED = (
    "A generalized item costs the share of all leaves of its hierarchy that its label covers. In a large code tree, "
    "even a chapter covers few of all codes and costs little, although it hides which of its codes a row has: look at "
    "the number of generalized items too."
)


class ItemLine(NamedTuple):
    """What was removed: an item, or items in classes of one size; and from how many rows, or how many."""

    column: str
    what: str
    removed: str


def item_columns(manifest: Manifest) -> tuple[tuple[str, ...], ...]:
    """The items of every set-valued column, before and after, as texts."""
    return tuple((name, *map(number, counts), percent(loss)) for name, *counts, loss in item_counts(manifest))


def item_counts(manifest: Manifest) -> tuple[tuple[str, int, int, int, int, float], ...]:
    """Of every set-valued column: its name, its counts of items, and its item loss."""
    return tuple(
        (name, found.of, found.removed, found.generalized, found.published, _share(found))
        for name, found in manifest.items_removed.items()
    )


def _share(found: RemovedItems) -> float:
    """The item loss of a column."""
    return found.cost / found.whole if found.whole else 0.0


def item_lines(manifest: Manifest, fewest: int) -> tuple[ItemLine, ...]:
    """The items that were removed, by item and by class size; items that fewer rows lost are counted, not named."""
    return tuple(line for name, removed in manifest.items_removed.items() for line in _lines(name, removed, fewest))


def item_sentences(manifest: Manifest) -> tuple[str, ...]:
    """How much was removed from each set-valued column, and what is proven of it."""
    found = manifest.items_removed
    generalized = (GENERALIZED,) if any(each.generalized for each in found.values()) else ()
    searched = (_search_sentence(each) for each in manifest.search.item_removal or ())
    return (*(_sentence(name, removed) for name, removed in found.items()), *searched, *generalized)


def _search_sentence(found: ItemRemoval) -> str:
    """How many classes failed a model, and what is proven about the removal."""
    model = f"'{found.model}' of '{found.column}'"
    if not found.classes:
        return f"Every class satisfied {model} without a removal."
    failed = f"{counted(found.classes, 'class', 'classes')} failed {model} before items were removed."
    time = "" if found.in_time else "The budget of seconds was used up: more time may lower the cost."
    return " ".join(part for part in (failed, _proven(found), time) if part)


def _proven(found: ItemRemoval) -> str:
    """What is known about the least cost; empty if nothing is."""
    cost, least = number(found.cost), number(found.lower_bound)
    if found.proven is None:
        return f"No removal can cost less than {least}; this one costs {cost}." if found.lower_bound else ""
    if found.proven == found.classes:
        return f"The cost of {cost} is proven to be the least."
    return (
        f"The cost of {cost} is proven to be the least in {number(found.proven)} of them; no removal can cost less "
        f"than {least} in total."
    )


def _sentence(name: str, found: RemovedItems) -> str:
    if not found.removed and not found.generalized:
        return f"No item was removed from the released rows of column '{name}'."
    rows = counted(found.rows, "row", "rows")
    blurred = f" {number(found.generalized)} were generalized." if found.generalized else ""
    return (
        f"Of the {number(found.of)} items of column '{name}' in released rows, {number(found.removed)} were removed, "
        f"from {rows}.{blurred} The removal cost is {percent(_share(found))} of that of all items."
    )


def _by_item(name: str, rows_of: Mapping[str, int], how: str, fewest: int) -> list[ItemLine]:
    """The items that most rows lost, or that are generalized in most rows, and how many others there are."""
    by_rows = sorted(rows_of.items(), key=lambda each: (-each[1], each[0]))
    named = [(item, rows) for item, rows in by_rows[:LISTED] if rows >= fewest]
    lines = [ItemLine(name, f"{item}{how}", counted(rows, "row", "rows")) for item, rows in named]
    if more := by_rows[len(named) :]:
        most = max(more[0][1], fewest - 1)
        items = counted(len(more), "more item", "more items") if named else counted(len(more), "item", "items")
        lines.append(ItemLine(name, f"{'… and ' if named else ''}{items}{how}", f"at most {most:,} rows each"))
    return lines


def _lines(name: str, found: RemovedItems, fewest: int) -> list[ItemLine]:
    lines = _by_item(name, found.by_item, "", fewest)
    lines += _by_item(name, found.by_generalized, ", generalized", fewest)
    sizes = sorted(found.by_class_size.items(), key=lambda each: int(each[0]))
    listed = [
        ItemLine(name, f"classes of {counted(int(size), 'row', 'rows')}", counted(items, "item", "items"))
        for size, items in sizes[:LISTED]
    ]
    if rest := sizes[LISTED:]:
        items = counted(sum(each for _, each in rest), "item", "items")
        listed.append(ItemLine(name, "larger classes", items))
    return [*lines, *listed]
