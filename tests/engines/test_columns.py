"""Columns of a table in memory: their codes stand for their cells, and hashes do not depend on the table."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.engines.columns import FrameColumns, hashed, tallied
from shoal.engines.dictionary import Dictionary
from shoal.errors import PromiseBroken

FRAME = pl.DataFrame({"a": ["x", None, "y", "x"], "b": [0.5, float("nan"), None, -0.0]})


def test_codes_stand_for_the_cells() -> None:
    columns = FrameColumns(FRAME)
    for name in columns.names:
        codes, distinct = columns.checked(name)
        assert distinct.gather(codes).eq_missing(FRAME[name]).all()
        assert tallied(codes, len(distinct)).sum() == columns.rows


def test_codes_of_other_cells_are_noticed() -> None:
    columns = FrameColumns(FRAME)
    codes, distinct = columns.coded("a")
    columns._dictionaries["a"] = Dictionary(codes[::-1].copy(), distinct)
    with pytest.raises(PromiseBroken, match="codes of column 'a'"):
        columns.checked("a")


def test_a_hash_does_not_depend_on_the_other_rows_or_the_dictionary() -> None:
    whole = hashed(FRAME["a"])
    assert np.concatenate([hashed(FRAME["a"][:1]), hashed(FRAME["a"][1:])]).tolist() == whole.tolist()
    assert hashed(FRAME["a"].cast(pl.Categorical)).tolist() == whole.tolist()
