"""Small tables to attack."""

from __future__ import annotations

import polars as pl

import shoal


def ward() -> tuple[shoal.Plan, pl.DataFrame]:
    """A plan and a table of twelve patients, each with a unique age."""
    frame = pl.DataFrame({"age": list(range(30, 42)), "sex": ["m", "f"] * 6, "ill": ["flu", "cold", "HIV"] * 4})
    columns = {"age": shoal.quasi(), "sex": shoal.quasi(), "ill": shoal.sensitive()}
    return shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=3)]), frame


def release_of(frame: pl.DataFrame, plan: shoal.Plan) -> shoal.Release:
    """The release of a table by its plan."""
    return shoal.anonymize(frame, plan)
