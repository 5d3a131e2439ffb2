"""Small releases whose figures can be worked out by hand."""

from __future__ import annotations

import polars as pl

import shoal

AGES = [20, 21, 22, 23, 24, 60, 61, 62, 63, 64]
"""Two classes of five rows, twice."""
ILL = ["flu"] * 5 + ["cold"] * 3 + ["gout"] * 2


def table() -> pl.DataFrame:
    return pl.DataFrame({"age": AGES * 2, "sex": ["f"] * 10 + ["m"] * 10, "ill": ILL * 2})


def plan(**parts: object) -> shoal.Plan:
    columns = {"age": shoal.quasi(), "sex": shoal.quasi(), "ill": shoal.sensitive()}
    return shoal.Plan(**{"columns": columns, "models": [shoal.KAnonymity(k=5)], **parts})  # type: ignore[arg-type]


def released(**parts: object) -> shoal.Release:
    return shoal.anonymize(table(), plan(**parts))
