"""Boundaries of ranges: outside of what they bound, and nobody's value."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.coded.boundaries import _rounded_outwards
from tests.effort import examples


@given(
    st.one_of(
        st.tuples(st.just("integer"), st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=2, unique=True)),
        st.tuples(
            st.just("real"),
            st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=2, unique=True),
        ),
        st.tuples(st.just("date"), st.lists(st.integers(-719162, 2932896), min_size=2, max_size=2, unique=True)),
    )
)
@settings(max_examples=examples(200), deadline=None)
def test_rounding_outwards_never_rounds_inwards(case: tuple[str, list[Any]]) -> None:
    type_, ends = case
    low, high = min(ends), max(ends)
    down, up = _rounded_outwards(low, high, type_)
    assert down <= low <= high <= up
    assert type(down) is type(low) and type(up) is type(high)
    if type_ == "integer":
        assert down >= -(2**63) and up < 2**63
        assert down < low or low in (0, -(2**63))
        assert up > high or high in (0, 2**63 - 1)
    if type_ == "real":
        assert np.isfinite([down, up]).all()


@pytest.mark.parametrize("algorithm", [shoal.Mondrian(), shoal.Pais(), shoal.Optimal()])
@pytest.mark.parametrize(
    ("column", "bounds"),
    [
        ([str(age) for age in range(20, 60)], {"top": 53, "bottom": 22.5}),
        ([f"{age}.5" for age in range(20, 60)], {"top": 53.25, "bottom": 22.5}),
        ([f"19{year}-05-05" for year in range(20, 60)], {"top": date(1953, 1, 1), "bottom": date(1922, 6, 30)}),
    ],
)
def test_boundaries_stay_within_top_and_bottom(
    algorithm: Any, column: list[str], bounds: dict[str, Any], tmp_path: Path
) -> None:
    plan = shoal.Plan(
        columns={"q": shoal.quasi(**bounds), "ill": shoal.sensitive()},
        models=[shoal.KAnonymity(k=3)],
        algorithm=algorithm,
        release=shoal.ReleaseSettings(ranges="cut"),
    )
    shoal.anonymize(pl.DataFrame({"q": column, "ill": ["flu", "gout"] * 20}), plan).save(tmp_path / "out")
    assert shoal.verify_folder(tmp_path / "out", plan=plan).problems == ()
