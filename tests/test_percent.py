"""Shares are written the same way everywhere, and never say more or less than they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.percent import percent


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0 %"),
        (0.0, "0 %"),
        (1, "100 %"),
        (1.0, "100 %"),
        (0.225, "22.5 %"),
        (0.5, "50 %"),
        (0.05, "5 %"),
        (0.00204, "0.204 %"),
        (0.9999, "99.99 %"),
        (1e-7, "less than 0.001 %"),
        (0.074, "7.4 %"),
    ],
)
def test_a_share_has_about_three_digits(share: float, text: str) -> None:
    assert percent(share) == text


@given(st.floats(0.00001, 0.9999))
def test_what_is_written_is_near_the_share(share: float) -> None:
    assert float(percent(share).removesuffix(" %")) / 100 == pytest.approx(share, rel=0.005)


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_something_is_never_nothing(share: float) -> None:
    assert percent(share) != "0 %"
