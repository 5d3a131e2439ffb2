"""Rows whose labels do not tell the level are spread over the levels that are possible."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from shoal.estimating.spreading import members_of, spread

_UNKNOWN = np.array([[np.nan], [np.nan], [np.nan]])
_POSSIBLE = np.array([[True], [True], [False]])


def test_rows_are_spread_as_known_rows_are() -> None:
    found = spread(_UNKNOWN, _POSSIBLE, np.array([0.2]), np.array([30.0, 10.0, 50.0, 0.0]), others=True)
    np.testing.assert_allclose(found[:, 0], [0.6, 0.2, 0.0])


def test_without_known_rows_they_are_spread_evenly() -> None:
    nothing, rows = np.zeros(1), np.array([0.0, 0.0, 9.0, 0.0])
    np.testing.assert_allclose(spread(_UNKNOWN, _POSSIBLE, nothing, rows, others=False)[:, 0], [0.5, 0.5, 0])
    np.testing.assert_allclose(spread(_UNKNOWN, _POSSIBLE, nothing, rows, others=True)[:, 0], [1 / 3, 1 / 3, 0])


_PARTS = st.sampled_from([0.0, 0.25, 0.5, 1.0, np.nan])


@given(arrays(np.float64, (2, 4), elements=_PARTS), arrays(np.float64, 3, elements=st.floats(0, 100)), st.booleans())
def test_what_is_expected_is_within_what_is_sure_and_possible(share: object, rows: object, others: bool) -> None:
    share, rows = np.asarray(share), np.asarray(rows)
    possible, absent = ~(share == 0), np.zeros(4, np.bool_)
    likely = spread(share, possible, np.zeros(4), rows, others=others)
    members = members_of(share, possible, absent, absent, likely, np.zeros(4))
    assert np.isfinite(members.likely).all()
    assert (members.sure <= members.likely).all() and (members.likely <= members.possible).all()
