"""Nodes of the lattice: one level per column, and which lie above or below each other."""

from __future__ import annotations

from collections.abc import Iterable

Node = tuple[int, ...]


def below(node: Node) -> tuple[slice, ...]:
    """The index of all nodes at or below a node."""
    return tuple(slice(0, level + 1) for level in node)


def above(node: Node) -> tuple[slice, ...]:
    """The index of all nodes at or above a node."""
    return tuple(slice(level, None) for level in node)


def parents_of(node: Node, top: Node) -> list[Node]:
    """The nodes one level higher in one column."""
    return [(*node[:a], node[a] + 1, *node[a + 1 :]) for a in range(len(node)) if node[a] < top[a]]


def lowered(node: Node, a: int) -> Node:
    """The node with column a one level lower."""
    return (*node[:a], node[a] - 1, *node[a + 1 :])


def minimal(nodes: Iterable[Node]) -> list[Node]:
    """The nodes that lie above no other of them, in lexical order."""
    chosen: list[Node] = []
    for node in sorted(nodes, key=lambda levels: (sum(levels), levels)):
        if not any(all(a <= b for a, b in zip(lower, node, strict=True)) for lower in chosen):
            chosen.append(node)
    return sorted(chosen)
