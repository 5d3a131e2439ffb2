"""The release as its recipient sees it."""

from __future__ import annotations

import numpy as np
import polars as pl

import shoal
from shoal.estimating.released import ReleasedSide
from shoal.estimating.types import ColumnType
from shoal.statistics.base import Level
from shoal.table import Runs

_TEXT, _WHOLE = ColumnType("text", "text"), ColumnType("integer", "integer")


def test_labels_have_ends_and_runs_are_counted() -> None:
    plan = shoal.Plan(columns={"age": shoal.quasi(top=90), "los": shoal.insensitive()}, models=[shoal.KAnonymity(k=2)])
    rows = pl.DataFrame({"age": ["[20, 29]", "*", "", "90", "[20, 29]"], "los": [1, 2, 3, 4, 5]})
    side = ReleasedSide({"release": Runs(rows, np.array([2, 1, 1, 1, 3]))}, plan)
    assert side.columns == ("age", "los") and set(side.labels("age") or ()) == {"[20, 29]", "*", "", "90"}
    assert side.labels("los") is None
    side.typed_as({"age": _WHOLE, "los": _WHOLE})
    ages = side.alone("age")
    by_low = dict(zip(map(str, ages.numbers().low), zip(ages.numbers().high, ages.rows, strict=True), strict=True))
    assert by_low["20.0"] == (29.0, 5) and by_low["90.0"] == (np.inf, 1) and by_low["-inf"] == (np.inf, 1)
    assert np.isnan(by_low["nan"][0])
    joint = side.joint({"age": np.zeros(4, np.int32)})
    assert joint.weight.tolist() == [8]
    assert side.joint({"los": np.arange(5, dtype=np.int32)}).weight.sum() == 8


def test_the_classes_of_an_anatomy_are_cells() -> None:
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive(), "cost": shoal.sensitive(type="integer")}
    release = shoal.ReleaseSettings(form="anatomy")
    plan = shoal.Plan(columns=columns, models=[shoal.LDiversity("ill", l=2)], release=release)
    main = Runs(pl.DataFrame({"age": ["1", "2", "3"], "class_id": [1, 1, 2]}), np.array([1, 3, 2]))
    ill = pl.DataFrame({"class_id": [1, 1, 2], "value": ["flu", "cold", "flu"], "count": [3, 1, 2]})
    cost = pl.DataFrame({"class_id": [1, 1, 2, 2], "value": ["10", "30", "5", None], "count": [3, 1, 1, 1]})
    tables = {"quasi_identifiers": main, "sensitive_ill": Runs.of(ill), "sensitive_cost": Runs.of(cost)}
    side = ReleasedSide(tables, plan)
    side.typed_as({"age": _WHOLE, "ill": _TEXT, "cost": _WHOLE})
    assert side.columns == ("age", "ill", "cost") and side.counts_by_class("ill") and not side.counts_by_class("age")
    flu = side.within("ill").members([Level("", ("flu",))])
    assert (flu.share.tolist(), flu.sure.tolist(), flu.possible.tolist()) == (
        [[0.75, 1]],
        [[False, True]],
        [[True, True]],
    )
    assert sorted(side.alone("ill").rows.tolist()) == [1, 5]
    numbers = side.within("cost").numbers()
    assert (numbers.low[0], numbers.middle[0], numbers.high[0]) == (10, 15, 30)
    assert np.isnan(numbers.middle[1])  # one of the two rows has no value
    joint = side.joint({"ill": np.arange(2, dtype=np.int32)})
    assert joint.codes.tolist() == [[0, 1]] and joint.weight.tolist() == [4, 2]
