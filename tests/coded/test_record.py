"""What a search says of its own work."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from shoal.coded.record import SearchRecord, Specialized

STEP = Specialized("age", (0, 2, 5), 1.5, 4, 2, 0.25, 0.5)


def test_what_an_algorithm_says_nothing_about_is_not_set() -> None:
    assert all(getattr(SearchRecord(), field.name) is None for field in fields(SearchRecord))
    assert (STEP.support, STEP.confidence) == (None, None)


def test_a_record_is_compared_by_what_it_says_and_never_changed() -> None:
    assert SearchRecord(cost=0.5, steps=(STEP,)) == SearchRecord(cost=0.5, steps=(STEP,))
    assert SearchRecord(cost=0.5) != SearchRecord(cost=0.5, proven_optimal=False)
    with pytest.raises(FrozenInstanceError):
        SearchRecord().cost = 1.0  # type: ignore[misc]
