"""Classes of recoded tables: those that another tool counted for the same levels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from benchmarks import tables
from tests.golden.test_full_domain import CASES, name_of

BY_SIZE = [case for case in CASES if case["table"] == "adult_30k" and not {"l_distinct", "t_equal"} & set(case)]
"""Of these, the suppressed rows follow from the class sizes alone."""


@pytest.fixture(scope="module")
def adult(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    path: Path = tables.blowup("adult_30k", tmp_path_factory.mktemp("adult"))
    return pl.read_csv(path, separator=tables.SEPARATOR, infer_schema=False)


def recoded(frame: pl.DataFrame, levels: dict[str, int]) -> pl.DataFrame:
    columns = []
    for name, level in levels.items():
        lines = (tables.HIERARCHIES / f"adult_hierarchy_{name}.csv").read_text().splitlines()
        paths = [line.split(";") for line in lines]
        columns.append(frame[name].replace_strict({path[0]: path[level] for path in paths}))
    return pl.DataFrame(columns)


@pytest.mark.skipif(not BY_SIZE, reason="needs the figures of other tools")
@pytest.mark.parametrize("case", BY_SIZE, ids=name_of)
def test_prosecutor_risk_of_the_recodings_that_another_tool_found(case: dict[str, Any], adult: pl.DataFrame) -> None:
    frame = recoded(adult, case["levels"])
    plan = shoal.Plan(columns={name: shoal.quasi() for name in frame.columns}, models=[shoal.KAnonymity(k=case["k"])])
    whole = shoal.risk(frame, plan, thresholds=shoal.RiskSettings(highest=1 / case["k"]), attacks=False)
    assert whole.figures["prosecutor"]["rows_at_risk"] == case["suppressed"]
    sizes = frame.with_columns(size=pl.len().over(frame.columns))
    kept = sizes.filter(pl.col("size") >= case["k"])
    found = shoal.risk(kept.drop("size"), plan, attacks=False)
    assert found.classes == case["classes"]
    assert found.figures["prosecutor"]["average"] == case["classes"] / kept.height
    squares = int(kept["size"].sum())  # every row counts the rows of its class
    assert squares + case["suppressed"] * frame.height == case["discernibility"]
