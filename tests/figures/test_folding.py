"""Folding of categories with few rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.figures.folding import MOST_NAMED, fewest_rows, folded, nameable
from tests.figures.releases import plan


def test_a_category_needs_as_many_rows_as_a_class_and_at_least_five() -> None:
    assert fewest_rows(plan(models=[shoal.KAnonymity(k=2)])) == 5
    assert fewest_rows(plan(models=[shoal.KAnonymity(k=12), shoal.LDiversity("ill", l=3)])) == 12


@given(st.lists(st.integers(1, 30), max_size=40), st.integers(1, 12))
def test_named_categories_are_the_most_frequent_and_large_enough(rows: list[int], fewest: int) -> None:
    labels = [f"v{place}" for place in range(len(rows))]
    found = folded(labels, np.array(rows, np.int64), fewest)
    wanted = sorted(zip(labels, rows, strict=True), key=lambda each: (-each[1], each[0]))
    kept = [each for each in wanted if each[1] >= fewest][:MOST_NAMED]
    while kept and 0 < sum(rows) - sum(each[1] for each in kept) < fewest:
        kept.pop()
    assert [(each.label, each.rows) for each in found.named] == kept
    assert found.others == len(rows) - len(kept) and found.rows == sum(rows)
    assert found.other_rows == 0 or found.other_rows >= min(fewest, sum(rows))


def test_categories_of_several_tables_are_folded_in_all_of_them() -> None:
    rows = np.array([[9, 9], [7, 0], [6, 5]])
    assert nameable(rows, np.array([22, 14]), 5) == 3
    assert nameable(rows, np.array([22, 16]), 5) == 2
    assert nameable(rows, np.array([23, 10]), 5) == 0
