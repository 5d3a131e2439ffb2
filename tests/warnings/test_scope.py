"""What a release leaves open of which the promises cover only some rows: hand-counted cases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from shoal.coded import Coded, Partition
from shoal.coded.counted import coded_values
from shoal.coded.recoding import Observed
from shoal.warnings.scope import left_open


def coded_of(codes: list[int], weight: list[int], covered: list[bool]) -> Coded:
    coded = coded_values({}, weight=weight)
    counted = replace(coded.counted, quasi=np.array([codes], np.int32), covered=np.array(covered))
    return replace(coded, counted=counted)


def classes(coded: Coded, class_of: list[int]) -> Partition:
    return Partition.of_rows(np.array(class_of), max(class_of) + 1, coded.counted.weight, Observed())


def test_a_high_row_without_an_exact_match_is_known_to_be_high() -> None:
    """Two high rows in a class of their own: the first has an exact match, the second has none."""
    coded = coded_of([0, 1, 0, 2, 3], [1, 1, 1, 2, 1], [True, True, False, False, False])
    left = left_open(coded, classes(coded, [0, 0, 1, 2, 3]))
    assert left.unique == pytest.approx(2 / 4)  # codes 0 and 3; two rows have code 2
    assert left.unmatched == pytest.approx(1 / 2)
    assert (left.sure, left.surest) == (1.0, 1.0)


def test_low_rows_in_the_same_class_lower_certainty() -> None:
    coded = coded_of([0, 1, 5], [1, 1, 6], [True, True, False])
    left = left_open(coded, classes(coded, [0, 0, 0]))
    assert (left.sure, left.surest, left.unique) == (0.25, 0.25, 0.0)


def test_certainty_is_the_mean_over_individuals_and_the_largest_of_any() -> None:
    coded = coded_of([0, 1, 2, 3], [3, 1, 1, 4], [True, False, True, False])
    left = left_open(coded, classes(coded, [0, 0, 1, 1]))
    assert left.sure == pytest.approx((3 * 3 / 4 + 1 * 1 / 5) / 4)
    assert left.surest == pytest.approx(3 / 4)


def test_nobody_is_sure_if_everyone_has_a_match() -> None:
    coded = coded_of([0, 0], [2, 1], [True, False])
    left = left_open(coded, classes(coded, [0, 1]))
    assert (left.unmatched, left.sure, left.surest) == (0.0, None, None)
