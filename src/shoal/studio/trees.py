"""Trees that a steward edits: values under groups, groups under larger ones, with the same levels everywhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.errors import HierarchyError
from shoal.hierarchies.base import Hierarchy
from shoal.labels import ANY

MOST_LEVELS = 6


@dataclass(frozen=True)
class Tree:
    """Value → its groups, from the smallest to the largest; a value that is in no group stands for itself.

    >>> tree = Tree.of(["cat", "dog", "oak"]).grouped(["cat", "dog"], 1, "animal")
    >>> tree.paths
    {'cat': ('animal',), 'dog': ('animal',), 'oak': ('oak',)}
    """

    paths: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, values: Iterable[str], levels: int = 1) -> Tree:
        """A tree in which every value stands for itself."""
        return cls({value: (value,) * levels for value in values})

    @classmethod
    def from_hierarchy(cls, hierarchy: Hierarchy, values: Iterable[str]) -> Tree:
        """The tree of a hierarchy, with those values that it lacks standing for themselves."""
        paths = {leaf: hierarchy.path(place)[1:-1] for place, leaf in enumerate(hierarchy.leaves)}
        levels = max(1, hierarchy.height - 1)
        known = {leaf: path or (leaf,) for leaf, path in paths.items()}
        return cls({**known, **{value: (value,) * levels for value in values if value not in known}})

    @property
    def levels(self) -> int:
        """The number of levels of groups."""
        return len(next(iter(self.paths.values()), ("",)))

    def grouped(self, members: Iterable[str], level: int, label: str) -> Tree:
        """The tree with some nodes below a group: values if the level is 1, groups of the level below otherwise.

        Everything below the nodes moves with them. What is above the group is that of an earlier group of this label.
        """
        label = _checked(label)
        wanted = set(members)
        above = next((path[level:] for path in self.paths.values() if path[level - 1] == label), None)
        moved = {}
        for value, path in self.paths.items():
            node = value if level == 1 else path[level - 2]
            if node in wanted:
                upper = above if above is not None else tuple(label if each == node else each for each in path[level:])
                moved[value] = (*path[: level - 1], label, *upper)
        return Tree({**self.paths, **moved})

    def renamed(self, level: int, old: str, new: str) -> Tree:
        """The tree with another label for a group, also where it stands for itself further up."""
        new = _checked(new)

        def path(before: tuple[str, ...]) -> tuple[str, ...]:
            if before[level - 1] != old:
                return before
            return tuple(new if place >= level - 1 and label == old else label for place, label in enumerate(before))

        return Tree({value: path(before) for value, before in self.paths.items()})

    def taller(self) -> Tree:
        """The tree with one more level, in which every group stands for itself."""
        if self.levels >= MOST_LEVELS:
            raise HierarchyError(f"A tree may have at most {MOST_LEVELS} levels of groups here.")
        return Tree({value: (*path, path[-1]) for value, path in self.paths.items()})

    def lower(self) -> Tree:
        """The tree without its highest level."""
        return self if self.levels == 1 else Tree({value: path[:-1] for value, path in self.paths.items()})

    def nodes(self, level: int) -> Counter[str]:
        """The groups of a level, each with its number of values; of level 0, the values."""
        return Counter(value if level == 0 else path[level - 1] for value, path in self.paths.items())

    def hierarchy(self) -> Hierarchy:
        """The hierarchy, with `*` at the top; raises if a group is below two larger ones."""
        return Hierarchy.from_paths([(value, *path, ANY) for value, path in self.paths.items()])

    def branches(self, rows: Mapping[str, int]) -> list[dict[str, Any]]:
        """The tree as nested nodes with `id`, `label` and `children`, the largest groups first."""
        return _branches(list(self.paths.items()), self.levels, rows, "")


def _branches(
    members: Sequence[tuple[str, tuple[str, ...]]], level: int, rows: Mapping[str, int], place: str
) -> list[dict[str, Any]]:
    by_label: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for value, path in members:
        by_label.setdefault(value if level == 0 else path[level - 1], []).append((value, path))
    found = []
    for label, inside in by_label.items():
        count = sum(rows.get(value, 0) for value, _ in inside)
        key = f"{place}/{label}"
        is_alone = len(inside) == 1 and label == inside[0][0]
        children = [] if level == 0 or is_alone else _branches(inside, level - 1, rows, key)
        found.append({"id": key, "label": f"{label}  ({count:,} rows)", "count": count, "children": children})
    return sorted(found, key=lambda node: (-node["count"], node["label"]))


def _checked(label: str) -> str:
    label = label.strip()
    if not label or label == ANY:
        raise HierarchyError("A group needs a name.", allowed=f"Any text but '{ANY}', which is the top of every tree.")
    return label
