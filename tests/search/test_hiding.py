"""Rows that are hidden in classes lie between the codes of the class, are as many as asked, and follow the seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from shoal.coded import Coded, Partition
from shoal.coded.counted import coded_values
from shoal.coded.recoding import Observed
from shoal.search.hiding import hidden


def coded_of(columns: list[list[int]], weight: list[int]) -> Coded:
    coded = coded_values({}, weight=weight)
    return replace(coded, counted=replace(coded.counted, quasi=np.array(columns, np.int32)))


def classes(coded: Coded, class_of: list[int]) -> Partition:
    """Rows with -1 are in no class."""
    return Partition.of_rows(np.array(class_of), max(class_of) + 1, coded.counted.weight, Observed())


def test_a_row_goes_only_where_codes_enclose_it() -> None:
    coded = coded_of([[0, 4, 6, 9, 2, 5, 8], [0, 4, 0, 4, 2, 2, 5]], [1] * 7)
    partition = classes(coded, [0, 0, 1, 1, -1, -1, -1])
    taken, class_of = hidden(coded, partition, np.array([4, 5, 6]), 1.0, seed=0)
    assert taken.tolist() == [1, 0, 0]  # [0, 4] × [0, 4] encloses the first; nothing the others
    assert class_of[0] == 0


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_a_share_of_the_rows_is_drawn(share: float) -> None:
    coded = coded_of([[0, 9, 3, 5]], [3, 3, 60, 40])
    partition = classes(coded, [0, 0, -1, -1])
    taken, _ = hidden(coded, partition, np.array([2, 3]), share, seed=1)
    assert taken.sum() == round(share * 100)
    assert (taken <= [60, 40]).all()


def test_the_class_with_the_fewest_drawn_rows_for_its_size_comes_first() -> None:
    coded = coded_of([[0, 9, 0, 9, 3, 4, 5]], [1, 1, 5, 5, 1, 1, 1])
    partition = classes(coded, [0, 0, 1, 1, -1, -1, -1])
    _, class_of = hidden(coded, partition, np.array([4, 5, 6]), 1.0, seed=0)
    assert class_of.tolist() == [0, 1, 1]


def test_draws_follow_the_seed() -> None:
    coded = coded_of([[0, 9, *range(1, 9)]], [1, 1, *[50] * 8])
    partition, rows = classes(coded, [0, 0, *[-1] * 8]), np.arange(2, 10)
    once = hidden(coded, partition, rows, 0.5, seed=3)[0]
    assert (hidden(coded, partition, rows, 0.5, seed=3)[0] == once).all()
    assert (hidden(coded, partition, rows, 0.5, seed=4)[0] != once).any()
