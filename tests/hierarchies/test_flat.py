from __future__ import annotations

import polars as pl

from shoal.hierarchies import Flat


def test_a_value_goes_straight_to_the_top() -> None:
    hierarchy = Flat().build(pl.Series(["f", "m"]))
    assert [hierarchy.path(leaf) for leaf in range(2)] == [("f", "*"), ("m", "*")]


def test_one_value_alone_is_still_not_the_top() -> None:
    assert Flat().build(pl.Series([7.0])).path(0) == ("7", "*")


def test_no_values_make_a_top_without_leaves() -> None:
    assert Flat().build(pl.Series([], dtype=pl.String)).with_missing().path(0) == ("", "*")
