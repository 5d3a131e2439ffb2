"""The editor of a tree: values are put under groups, groups under larger ones; each change makes a new file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from shoal import hierarchies
from shoal.errors import ShoalError
from shoal.studio.pages import parts
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.toolkit import ui
from shoal.studio.trees import Tree

Values = Sequence[tuple[str | None, int]]
LISTED = 10_000
"""Nodes that a page lists, the most frequent ones."""
_BODY = r"""
<q-tr :props="props">
  <q-td auto-width><q-checkbox v-model="props.selected" dense :aria-label="'Select ' + props.row.name" /></q-td>
  <q-td class="name">{{ props.row.name }}</q-td>
  <q-td class="name">{{ props.row.group }}</q-td>
  <q-td class="text-right">{{ props.row.rows }}</q-td>
</q-tr>
"""


def started(values: Values) -> Tree:
    """A tree in which every value stands for itself."""
    return Tree.of(value for value, _ in values if value is not None)


def read(place: Path, values: Values) -> Tree:
    """The tree in a file, with all values of the column."""
    built = hierarchies.File(str(place)).tree(pl.Series(dtype=pl.String))
    return Tree.from_hierarchy(built, (value for value, _ in values if value is not None))


class TreeEditor:
    """A table of nodes to select from, the groups to put them under, and the tree as it is.

    `place`: the file with the tree. `changed` is called with each changed tree, and writes it; if it raises, the editor
    shows why, and keeps the tree as it was.
    """

    def __init__(
        self, column: str, place: Path, values: Values, distinct: int, changed: Callable[[Tree], None]
    ) -> None:
        self._changed = changed
        self._rows = {value: count for value, count in values if value is not None}
        self._level = 1
        self._problem = box("stack")
        try:
            self._tree = read(place, values)
        except ShoalError as error:
            parts.error_box(error, f"The groups of '{column}' cannot be read")
            return
        if distinct > LISTED:
            parts.note(
                "care",
                f"Only the {LISTED:,} most frequent of {distinct:,} values are listed here",
                "Use a file to group all of them.",
            )
        self._tools()
        with box("two narrow"):
            self._table = ui.table(rows=[], columns=self._heads(), row_key="name", selection="multiple", pagination=12)
            self._table.classes("roles nodes").props("flat dense")
            self._table.add_slot("body", _BODY)
            with box("card tall"):
                text("The tree", tag="h3")
                self._drawn = ui.tree([], label_key="label", node_key="id").classes("small")
        self._refresh()

    def _tools(self) -> None:
        with box("line"):
            self._filter = ui.input(placeholder="Filter").props("outlined dense clearable").style("width: 8rem")
            self._filter.props["aria-label"] = "Filter values"
            self._filter.on_value_change(lambda event: self._table.set_filter(event.value or ""))
            self._group = ui.input("Name of the group", autocomplete=[]).props("outlined dense").style("width: 12rem")
            self._group.on("keydown.enter", self._apply)
            parts.second("Put the selected under it", self._apply, "account_tree")
        with box("line tools"):
            parts.quiet("Rename the group …", self._rename, "edit")
            parts.quiet("Take out of their group", self._ungroup, "undo")
        with box("line tools"):
            self._levels = ui.toggle({1: "Group values"}, value=1).props("no-caps dense unelevated")
            self._levels.on_value_change(lambda event: self._at(event.value))
            parts.quiet("Add a level", self._taller, "add")
            parts.quiet("Remove the highest level", self._lower, "remove")

    def _heads(self) -> list[dict[str, Any]]:
        names = ["value", "group"] if self._level == 1 else ["group", "larger group"]
        heads = [
            {"name": name, "label": name, "field": field, "align": "left"}  # the filter looks into these fields
            for name, field in zip(names, ("name", "group"), strict=True)
        ]
        return [*heads, {"name": "rows", "label": "rows", "field": "rows", "align": "right"}]

    def _refresh(self) -> None:
        self._levels.set_options(
            {
                number: "Group values" if number == 1 else f"Group the groups of level {number - 1}"
                for number in range(1, self._tree.levels + 1)
            },
            value=min(self._level, self._tree.levels),
        )
        self._table.columns = self._heads()
        self._table.rows = self._lines()
        self._table.selected = []
        self._group.set_autocomplete(sorted(self._tree.nodes(self._level)))
        self._drawn.props["nodes"] = self._tree.branches(self._rows)[:LISTED]
        self._drawn.update()

    def _lines(self) -> list[dict[str, Any]]:
        """One line per node below the current level."""
        upper: dict[str, str] = {}
        rows: dict[str, int] = {}
        for value, path in self._tree.paths.items():
            node = value if self._level == 1 else path[self._level - 2]
            upper[node] = path[self._level - 1]
            rows[node] = rows.get(node, 0) + self._rows.get(value, 0)
        return [
            {"name": node, "group": "" if group == node else group, "rows": f"{rows[node]:,}"}
            for node, group in sorted(upper.items(), key=lambda each: -rows[each[0]])[:LISTED]
        ]

    def _at(self, level: int) -> None:
        self._level = int(level)
        self._refresh()

    def _selected(self) -> list[str]:
        return [row["name"] for row in self._table.selected]

    def _change(self, make: Callable[[], Tree]) -> None:
        """Takes over a changed tree; shows why if that is not possible."""
        self._problem.clear()
        try:
            tree = make()
            self._changed(tree)
        except ShoalError as error:
            with self._problem:
                parts.error_box(error)
            return
        self._tree = tree
        self._level = min(self._level, tree.levels)
        self._refresh()

    def _apply(self) -> None:
        nodes = self._selected()
        if not nodes:
            ui.notify("Select values first.", type="warning")
            return
        self._change(lambda: self._tree.grouped(nodes, self._level, self._group.value or ""))

    def _ungroup(self) -> None:
        def alone() -> Tree:
            tree = self._tree
            for node in self._selected():
                tree = tree.grouped([node], self._level, node)
            return tree

        self._change(alone)

    def _rename(self) -> None:
        nodes = self._selected()
        groups = {line["group"] for line in self._lines() if line["name"] in nodes} - {""}
        if len(groups) != 1:
            ui.notify("Select values of one group, and type its new name.", type="warning")
            return
        self._change(lambda: self._tree.renamed(self._level, groups.pop(), self._group.value or ""))

    def _taller(self) -> None:
        self._change(self._tree.taller)

    def _lower(self) -> None:
        self._change(self._tree.lower)
