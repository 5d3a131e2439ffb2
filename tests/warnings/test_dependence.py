from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.roles.columns import quasi
from shoal.warnings import dependence
from shoal.warnings.dependence import Cells, Dependence, sampled
from tests.warnings.cases import case

LEAST = 10.0


def depends(first: np.ndarray, second: np.ndarray) -> Dependence:
    times = np.ones(len(first), np.int64)
    return Cells(first, times).dependence(Cells(second, times), LEAST)


def test_a_copy_depends_in_both_directions() -> None:
    values = np.random.default_rng(0).integers(0, 100, 1000)
    assert depends(values, 1000 - values) == (True, True)


def test_a_coarse_column_is_determined_and_does_not_determine() -> None:
    values = np.random.default_rng(0).integers(0, 100, 1000)
    assert depends(values, values // 10) == (True, False) and depends(values // 10, values) == (False, True)


def test_few_errors_do_not_hide_a_copy_and_many_do() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 100, 5000)
    for share, found in ((0.02, True), (0.3, False)):
        wrong = np.where(rng.random(5000) < share, rng.integers(0, 100, 5000), values)
        assert depends(values, wrong) == (found, found)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("sizes", [(2, 2), (5, 400), (400, 5), (4000, 4000), (100_000, 3), (100_000, 100_000)])
def test_independent_columns_do_not_depend(seed: int, sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(seed)
    assert depends(*(rng.integers(0, size, 3000) for size in sizes)) == (False, False)


def test_unique_and_constant_values_prove_nothing() -> None:
    values, same = np.arange(1000), np.zeros(1000, np.int64)
    assert depends(values, values[::-1]) == (False, False)
    assert depends(values, same) == (False, False) and depends(same, same) == (False, False)


def test_rows_that_occur_several_times_count_so_often() -> None:
    values, times = np.arange(30), np.full(30, 40)
    assert Cells(values, times).dependence(Cells(values[::-1], times), LEAST) == (True, True)


def test_a_sample_is_bounded_and_holds_released_rows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependence, "_FEWEST_ROWS", 100)
    given = case(pl.DataFrame({"age": range(20_000)}), {"age": quasi()}, [0, -1] * 10_000)
    picked = sampled(given, given.classes(), 10_000).picked
    assert 50 < picked.sum() < 200 and not picked[given.classes() < 0].any()
