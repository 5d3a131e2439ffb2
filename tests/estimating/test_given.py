"""The input as statistics see it."""

from __future__ import annotations

import numpy as np
import polars as pl

import shoal
from shoal.engines.local import LocalEngine
from shoal.estimating.given import GivenSide
from shoal.estimating.types import ColumnType


def test_cells_are_in_order_and_rows_are_counted_together() -> None:
    frame = pl.DataFrame({"age": [30, 20, 30, None], "sex": ["M", "F", "M", "F"]})
    plan = shoal.Plan(columns={"age": shoal.quasi(), "sex": shoal.quasi()}, models=[shoal.KAnonymity(k=2)])
    side = GivenSide(LocalEngine(frame), plan, ())
    assert side.type_of("age") == "integer"
    side.typed_as({"age": ColumnType("integer", "integer"), "sex": ColumnType("text", "text")})
    ages = side.alone("age")
    np.testing.assert_array_equal(ages.numbers().middle, [20, 30, np.nan])
    assert ages.rows.tolist() == [1, 2, 1] and side.within("sex").rows.tolist() == [2, 2]
    joint = side.joint({"age": np.arange(3, dtype=np.int32), "sex": np.arange(2, dtype=np.int32)})
    assert joint.codes.tolist() == [[0, 1, 2], [0, 1, 0]] and joint.weight.tolist() == [1, 2, 1]
    assert not side.counts_by_class("age")
