from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.models import LDiversity
from shoal.roles.columns import quasi, sensitive
from shoal.warnings.spelling import count_variants, spelling_variants
from tests.warnings.cases import K, case


@pytest.mark.parametrize(
    "variant",
    [
        "Cancer", "CANCER", "cancer ", "can\u00adcer", "\u200bcancer", "cancer\ufeff", "cancer\n", "\u0441ancer",
        "c\u0430ncer", "canc\u0435r", "\uff43ancer", "\U0001d41cancer", "CAΝCER", "cancer\u00a0",
    ],
)  # fmt: skip
def test_variants_read_the_same(variant: str) -> None:
    assert count_variants(pl.Series(["cancer", "flu", variant, None])) == 1


def test_inner_spaces_and_punctuation() -> None:
    assert count_variants(pl.Series(["heart  attack", "heart attack", "Crohn's", "Crohn’s", "non-A", "non–A"])) == 3


@pytest.mark.parametrize(
    "values",
    [
        ["flu", "flux"], ["é", "e"], ["и", "й"], ["a b", "ab"], ["O1", "01"], ["1.5", "15"], ["1", "1.0"],
        ["250.0", "250.00"], ["E11.9", "E11.91"], ["E11.0", "E11"], ["stage 1", "stage-2"], ["non-A", "nonA"],
        ["2020-01-11", "2020-011-1"], ["T1.5", "T 1,5"],
    ],
)  # fmt: skip
def test_other_values_are_different(values: list[str]) -> None:
    assert count_variants(pl.Series(values)) == 0


@pytest.mark.parametrize("variant", ["E119", "e11.9", "E11-9", "E 11.9", "E11 9", "e119 ", "E11․9"])
def test_codes_are_compared_without_their_punctuation(variant: str) -> None:
    assert count_variants(pl.Series(["E11.9", variant, "E11.8", "flu"])) == 1


def test_columns_of_other_types_have_no_spelling() -> None:
    assert count_variants(pl.Series([1, 2])) == 0


def spelled(model: Any, **settings: Any) -> list[bool]:
    frame = pl.DataFrame({"age": [1, 2] * 5, "ill": ["1", "1 "] * 5})
    given = case(frame, {"age": quasi(), "ill": sensitive(**settings)}, [0] * 10, model)
    return [warning.serious for warning in spelling_variants(given)]


def test_variants_are_serious_where_a_model_counts_them() -> None:
    assert spelled(LDiversity("ill", l=2)) == [True] and spelled(K) == [False]
    assert spelled(K, type="integer") == []
