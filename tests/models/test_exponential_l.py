"""ExponentialL: its parameters, and the size its classes need."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import strategies as st

import shoal
from shoal.datasets import registry
from shoal.errors import CannotBeMet, PlanError
from shoal.models import ExponentialL
from tests.models.hand import verdicts
from tests.models.tables import Made, stats
from tests.oracle import diversity

STRATEGY = st.builds(
    ExponentialL, l=st.integers(2, 3), columns=st.sampled_from([("disease",), ("months",), ("disease", "months")])
)
ORACLE = diversity.passes_exponential


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(PlanError, match="l must be an integer of at least 2"):
        ExponentialL(l=1)
    with pytest.raises(PlanError, match="needs a sensitive column"):
        ExponentialL(l=2).resolved(())
    with pytest.raises(PlanError, match="before its sensitive columns"):
        ExponentialL(l=2).passes(stats(Made(({"disease": "flu", "months": "9", "who": "ann"},), (0,))))


def test_a_real_table_cannot_meet_it_even_as_one_class() -> None:
    columns = {"birth_date": shoal.quasi(), "topography": shoal.sensitive(), "histology": shoal.sensitive()}
    plan = shoal.Plan(columns=columns, models=[ExponentialL(l=2)], data=shoal.Data(unlisted="drop"))
    with pytest.raises(CannotBeMet, match=r"'exponential-l' .*cannot be met") as raised:
        shoal.anonymize(registry(800, 0), plan)
    assert raised.value.exit_code == 3


def test_the_floor_grows_with_every_column() -> None:
    assert ExponentialL(l=3).floor == 3
    assert ExponentialL(l=3, columns=("a", "b")).floor == 9
    assert ExponentialL(l=10, columns=tuple("abcdefghijkl")).floor == 2**31 - 1


def test_one_column_is_distinct_l_diversity() -> None:
    assert verdicts(ExponentialL(l=2, columns=("disease",)), ["flu", "rash"], ["flu", "flu"], ["flu", None]) == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("form", ["generalized", "anatomy"])
@pytest.mark.parametrize("name", ["values", "value", "values 0", "size", "count", "fewest", "worst", "literal", "len"])
def test_a_column_may_have_any_name(name: str, form: str) -> None:
    pairs = [(a, b) for a in "xy" for b in "uv"] * 4
    frame = pl.DataFrame({"age": ["1", "2"] * 8, name: [a for a, _ in pairs], "other": [b for _, b in pairs]})
    columns = {"age": shoal.quasi(), name: shoal.sensitive(), "other": shoal.sensitive()}
    plan = shoal.Plan(columns=columns, models=[ExponentialL(l=2)], release=shoal.ReleaseSettings(form=form))
    assert shoal.anonymize(frame, plan).verification.holds
