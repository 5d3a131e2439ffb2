"""Protected nodes: whether the labels that a plan protects are nodes of a hierarchy.

Whether a label is accepted must not depend on the values: the plan is published, also if they are suppressed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.errors import HierarchyError, did_you_mean
from shoal.hierarchies.base import FixedTree, Hierarchy, HierarchySpec

_NO_VALUES = pl.Series(dtype=pl.String)
"""The values of a hierarchy that is built for its own leaves alone."""


def require_nodes(name: str, labels: Sequence[str], spec: HierarchySpec, full: Hierarchy | None = None) -> None:
    """Raises if a protected label cannot be a node of the hierarchy, is misspelled, or names two of its nodes.

    `full`: the complete hierarchy of a specification with fixed leaves, if it is built already.
    """
    if not isinstance(spec, FixedTree):
        _refuse(name, _not_nodes(labels, spec), [])
        return
    tree = spec.tree(_NO_VALUES) if full is None else full
    inner = [known for level in tree.levels[1:] for known in level.labels]
    _refuse(name, _not_nodes(labels, spec) or _misspelled(labels, spec, inner), inner)
    several = ambiguous(tree)
    for label in labels:
        if label in several:
            raise HierarchyError(
                f"Column '{name}' protects '{label}', which names several nodes of its hierarchy.",
                allowed="A protected label must name one node, or nodes that lie within each other.",
                hint="rename one of them in the hierarchy.",
            )


def _refuse(name: str, labels: Sequence[str], inner: Sequence[str]) -> None:
    """Raises if there are such labels, with the inner node that the first of them may mean."""
    for label in labels:
        alike = next((f"did you mean '{known}'?" for known in inner if _plain(known) == _plain(label)), "")
        raise HierarchyError(
            f"Column '{name}' protects '{label}', which is no node of its hierarchy.",
            allowed="Protected nodes are labels of the hierarchy, written as it writes them.",
            hint=alike or did_you_mean(label, inner) or "`shoal hierarchy nodes` lists the labels of code trees.",
        )


def _not_nodes(labels: Sequence[str], spec: HierarchySpec) -> list[str]:
    """The labels that cannot be a node. One by one only if needed, because a large tree takes a while to search."""
    if _are_nodes(labels, spec):
        return []
    return [label for label in labels if not _are_nodes([label], spec)]


def _are_nodes(labels: Sequence[str], spec: HierarchySpec) -> bool:
    """Whether each of these labels can be a node of the hierarchy; the empty text is a missing value."""
    return all(labels) and bool((~np.isnan(spec.placed(labels).by_level)).any(axis=0).all())


def _misspelled(labels: Sequence[str], spec: FixedTree, inner: Sequence[str]) -> list[str]:
    """The labels that are inner nodes but for case and blanks.

    A code tree reads them as codes, which may be written in several ways, and would protect nothing else.
    """
    plain, exact = {_plain(known) for known in inner}, {*inner}
    alike = [label for label in labels if label not in exact and _plain(label) in plain]
    leaves = {*spec.tree(_NO_VALUES).leaves} if alike else set()
    return [label for label in alike if label not in leaves]


def _plain(label: str) -> str:
    return label.strip().casefold()


def ambiguous(tree: Hierarchy) -> set[str]:
    """The labels that name several nodes, of which the highest does not enclose the others."""
    found: set[str] = set()
    for height, upper in enumerate(tree.levels):
        node_of = {label: node for node, label in enumerate(upper.labels)}
        for lower in tree.levels[:height]:
            same = np.array([node_of.get(label, -1) for label in lower.labels])[lower.of_leaf]
            apart = (same >= 0) & (same != upper.of_leaf)
            found |= {lower.labels[node] for node in np.unique(lower.of_leaf[apart]).tolist()}
    return found
