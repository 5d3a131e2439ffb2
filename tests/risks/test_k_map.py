"""k-map is the smallest number of candidates."""

from __future__ import annotations

from shoal.risks import KMap
from tests.risks.tables import figures, sample_of
from tests.risks.test_journalist import candidates


def test_it_is_the_smallest_number_of_candidates() -> None:
    found = figures(KMap, sample_of([("a",)], candidates=candidates([2, 3], [4, 1])))
    assert (found["k"], found["rows_with_one_candidate"], found["rows_without_candidates"]) == (1, 3, 0)
    assert found["reference_rows"] == 10


def test_a_row_without_a_candidate_makes_it_zero() -> None:
    """Such a row violates the definition; the rows with candidates have a figure of their own."""
    found = figures(KMap, sample_of([("a",)], candidates=candidates([2, 3, 1], [4, 1, 0])))
    assert (found["k"], found["k_of_matched_rows"], found["rows_without_candidates"]) == (0, 1, 1)


def test_it_needs_a_reference() -> None:
    assert KMap().lacks(sample_of([("a",)]))


def test_its_threshold_is_a_least_one() -> None:
    limit = KMap.limits["k_map"]
    assert limit.exceeded(1, 2) and not limit.exceeded(2, 2)
