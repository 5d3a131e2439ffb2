"""The rows on which a report computes errors, and where each was released."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.engines.base import Witness
from shoal.engines.local import LocalEngine
from shoal.figures import sampling
from shoal.figures.sampling import InputSample, sampled
from tests.figures.releases import plan, table


def _sample(rows: list[int] | None, total: int) -> InputSample:
    return InputSample(pl.DataFrame(), None if rows is None else np.array(rows), total)


def _witness(run: list[int], kept: list[int] | None = None) -> Witness:
    return Witness(lambda: np.array(run, np.int32), None if kept is None else np.array(kept, np.int64))


def test_rows_are_traced_to_their_runs() -> None:
    assert _sample(None, 4).runs(_witness([2, -1, 0, 2])).tolist() == [2, -1, 0, 2]
    assert _sample([1, 3], 4).runs(_witness([2, -1, 0, 2])).tolist() == [-1, 2]


def test_dropped_rows_were_not_released() -> None:
    assert _sample(None, 5).runs(_witness([4, 7, -1], kept=[0, 2, 3])).tolist() == [4, -1, 7, -1, -1]
    assert _sample([2, 4], 5).runs(_witness([4, 7, -1], kept=[0, 2, 3])).tolist() == [7, -1]
    assert _sample([0, 1], 2).runs(_witness([], kept=[])).tolist() == [-1, -1]


def test_only_what_errors_need_is_kept() -> None:
    columns = {"age": shoal.quasi(), "sex": shoal.insensitive(), "ill": shoal.sensitive()}
    found = sampled(LocalEngine(table()), plan(columns=columns))
    assert found is not None and found.frame.columns == ["age", "ill"] and found.rows is None
    columns |= {"sex": shoal.target()}
    found = sampled(LocalEngine(table()), plan(columns=columns))
    assert found is not None and found.frame.equals(table())


def test_large_tables_are_sampled_alike_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "MOST_ROWS", 7)
    first, second = (sampled(LocalEngine(table()), plan()) for _ in range(2))
    assert first is not None and second is not None and first.rows is not None and second.rows is not None
    assert first.rows.tolist() == second.rows.tolist() == sorted(set(first.rows.tolist()))
    assert len(first.rows) == 7 and first.total == 20
    assert first.frame.equals(table().select("age", "sex", "ill")[first.rows])
