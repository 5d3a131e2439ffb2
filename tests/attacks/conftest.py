"""Small tables to attack, and random ones."""

from __future__ import annotations

from typing import Any

import polars as pl
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st

import shoal
from shoal.attacks import Target
from shoal.errors import CannotBeMet
from tests.effort import examples

quick = settings(
    max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
ILLNESSES = ("flu", "cold", "HIV", "asthma", "rash")


def ward() -> tuple[shoal.Plan, pl.DataFrame]:
    """A plan and a table of twelve patients, each with a unique age."""
    frame = pl.DataFrame({"age": list(range(30, 42)), "sex": ["m", "f"] * 6, "ill": ["flu", "cold", "HIV"] * 4})
    columns = {"age": shoal.quasi(), "sex": shoal.quasi(), "ill": shoal.sensitive()}
    return shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=3)]), frame


def release_of(frame: pl.DataFrame, plan: shoal.Plan) -> shoal.Release:
    """The release of a table by its plan."""
    return shoal.anonymize(frame, plan)


def plan_of(*models: Any, **settings: Any) -> shoal.Plan:
    """A plan for the tables of `patients`."""
    columns = {
        "age": shoal.quasi(type="integer"),
        "zip": shoal.quasi(shoal.prefixes()),
        "sex": shoal.quasi(),
        "ill": shoal.sensitive(),
        "drug": shoal.sensitive(),
    }
    return shoal.Plan(columns=columns, models=list(models), **settings)


@st.composite
def patients(draw: st.DrawFn) -> pl.DataFrame:
    """A table of a few patients, with some values missing."""
    cells = st.tuples(
        st.one_of(st.integers(20, 40), st.none()),
        st.sampled_from(["0210", "0214", "0219", "1001"]),
        st.sampled_from(["m", "f"]),
        st.sampled_from([*ILLNESSES[: draw(st.integers(2, 5))], *draw(st.sampled_from([[], [None]]))]),
        st.sampled_from(["a", "b", "c"]),
    )
    rows = draw(st.lists(cells, min_size=6, max_size=30))
    schema = {"age": pl.Int64, "zip": pl.String, "sex": pl.String, "ill": pl.String, "drug": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


ALGORITHMS = st.sampled_from([shoal.Mondrian(), shoal.KMember(), shoal.Optimal()])


def attacked(frame: pl.DataFrame, plan: shoal.Plan, **known: Any) -> Target:
    """The release of a random table as a target; tables that cannot be released are passed over."""
    try:
        return Target(shoal.anonymize(frame, plan).tables, plan, **known)
    except CannotBeMet:
        assume(False)
        raise
