"""Rows are published in one order, whatever divides them and however many are looked at at once."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.coded import keys
from shoal.coded.partition import Partition
from shoal.coded.recoding import Exact, Shown
from shoal.engines.base import Published
from shoal.engines.local import LocalEngine
from shoal.forms.base import ByClass, Layout, Unchanged

RNG = np.random.default_rng(5)
FRAME = pl.DataFrame({"age": RNG.integers(0, 6, 300).astype(str), "note": RNG.integers(0, 4, 300).astype(str)})


def published(divides: bool) -> Published:
    """Distinct rows form three classes; if they are divided, one row of every second one is suppressed."""
    engine = LocalEngine(FRAME)
    codes = {"age": np.arange(6, dtype=np.int32)}
    _, weight = engine.count(codes)
    class_of = np.arange(6) % 3
    partition = Partition.of_rows(class_of.astype(np.int64), 3, weight, Exact())
    if divides:
        fewer = partition.weight - (partition.row % 2)
        partition = Partition(partition.row, partition.offsets, fewer, Exact())
    zeros = np.zeros(3)
    shown = Shown(np.arange(3), ["*", "[0, 3]", "x"], zeros, zeros)
    return engine.publish(partition, Layout("release", {"age": ByClass(shown), "note": Unchanged()}))


@pytest.mark.parametrize("divides", [False, True])
def test_every_row_is_in_its_run(divides: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    found = published(divides)
    rows = found.witness.row
    assert len(rows) == found.main.height == FRAME.height - (3 if divides else 0)
    assert FRAME["note"].gather(rows).to_list() == found.main.expanded()["note"].to_list()
    behind = np.bincount(found.witness.run[found.witness.run >= 0], minlength=len(found.main.times))
    assert behind.tolist() == found.main.times.tolist()
    monkeypatch.setattr(keys, "_BLOCK", 17)
    again = published(divides)
    assert again.main.expanded().equals(found.main.expanded())
    assert again.witness.run.tolist() == found.witness.run.tolist()


def test_of_divided_rows_the_last_in_order_are_suppressed() -> None:
    found = published(divides=True)
    left_out = set(range(FRAME.height)) - set(found.witness.row.tolist())
    for row in left_out:
        age, note = FRAME.row(row)
        assert note == FRAME.filter(pl.col("age") == age)["note"].max()
