"""An outcome beats its bound only if it is clearly above it, and its interval contains it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.attacks.base import Outcome, wilson

OUTCOME = Outcome("linkage", "Everything.", None, 10, 0.5, 0.4, 0.6, 0.1, 0.5, "Links.")


def test_at_the_bound_is_within_it() -> None:
    assert OUTCOME.holds and replace(OUTCOME, bound=None).holds
    assert not replace(OUTCOME, bound=0.49).holds


def test_a_sample_beats_its_bound_by_the_whole_interval() -> None:
    sampled = replace(OUTCOME, sampled=True)
    assert replace(sampled, bound=0.4).holds and not replace(sampled, bound=0.39).holds


def test_json_has_the_agreed_keys() -> None:
    keys = {"kind", "success", "low", "high", "baseline", "bound", "holds", "column", "case"} | {
        "tried",
        "knows",
        "measured",
    }
    assert set(OUTCOME.to_json()) == keys and OUTCOME.to_json()["holds"] is True


@given(st.integers(1, 2000), st.floats(0, 1))
def test_an_interval_contains_its_share(tried: int, share: float) -> None:
    low, high = wilson(share * tried, tried)
    assert 0 <= low <= share * tried / tried <= high <= 1


def test_intervals_by_hand() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 10) == (0.0, pytest.approx(0.2775, abs=1e-4))  # z²/(n + z²)
    assert wilson(10, 10) == (pytest.approx(0.7225, abs=1e-4), 1.0)
