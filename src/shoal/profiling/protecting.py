"""Protection of diagnosis codes: the tree of a sensitive column, its protected nodes, and the rows below them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal import hierarchies
from shoal.arrays import Int64
from shoal.coded.coding import DistinctValues, code_sensitive
from shoal.errors import HierarchyError, MissingExtra
from shoal.hierarchies import HierarchySpec
from shoal.profiling.protected_nodes import PROTECTED, proposed
from shoal.profiling.signs import SENSITIVE
from shoal.roles import spec
from shoal.roles.columns import Column, Data
from shoal.table import typed

_EDITIONS = {"icd9": ("icd9",), "icd10cm": ("icd10cm", "icd10")}
"""The trees to try for a recognized one: the form of a code does not say which edition of ICD-10 it belongs to."""
_LONGER_THAN_CATEGORIES = r"[A-Za-z.]|\d{4}"


@dataclass(frozen=True)
class Protection:
    """A tree that covers all values of a column, and the labels of the nodes to protect in it.

    `counts` int64 [subtrees]: the number of rows in each protected subtree; a value outside of all of them counts by
    itself. Missing values are not counted.
    """

    tree: HierarchySpec
    nodes: tuple[str, ...]
    counts: Int64


def protection(column: pl.Series, hierarchy: Mapping[str, object]) -> Protection | None:
    """The protection of a column with this hierarchy; None if no tree of diagnosis codes covers its values."""
    kinds = _EDITIONS.get(str(hierarchy.get("kind")), ())
    if not kinds:
        return None
    counted = column.alias("value").value_counts(name="rows")
    distinct = DistinctValues(counted["value"], counted["rows"].cast(pl.Int64).to_numpy())
    if kinds == ("icd9",) and not _surely_icd_9(distinct.values):
        return None
    found = (_covering(distinct, kind) for kind in kinds)
    return next((each for each in found if each is not None), None)


def _surely_icd_9(values: pl.Series) -> bool:
    """Whether a value has a point, a letter or a fourth digit.

    Three digits alone may also be codes of diagnosis-related groups, of which nearly all are categories of ICD-9-CM.
    """
    texts = typed(values, type="text", missing=Data().absent).values
    return bool(texts.str.contains(_LONGER_THAN_CATEGORIES).any())


def _covering(distinct: DistinctValues, kind: str) -> Protection | None:
    tree: HierarchySpec = spec.from_table(hierarchies.ALL, "hierarchy", {"kind": kind})
    settings = Column(role=SENSITIVE, hierarchy=tree, protected=proposed(kind))
    try:
        domain, codes = code_sensitive(distinct, settings, Data().absent)
    except (HierarchyError, MissingExtra):
        return None
    rows = np.zeros(domain.size, np.int64)
    known = codes != domain.missing
    np.add.at(rows, domain.strong[codes[known]], distinct.counts[known])
    return Protection(tree, proposed(kind), rows[rows > 0])


def names_of(kind: str) -> Mapping[str, str]:
    """The name of every protected node of a tree, by label."""
    names = spec.member(hierarchies.ALL, "hierarchy", kind)().names()
    return {node.label: names[node.label] for node in PROTECTED[kind]}
