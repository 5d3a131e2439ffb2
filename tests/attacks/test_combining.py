"""Joint values of two releases, counted by hand."""

from __future__ import annotations

import numpy as np
import polars as pl

import shoal
from shoal.arrays import Int64
from shoal.attacks.combining import combined, common_columns
from shoal.attacks.target import Target

COLUMNS = {"age": shoal.quasi(), "ill": shoal.sensitive(), "ward": shoal.insensitive()}
PLAN = shoal.Plan(columns=COLUMNS, models=[shoal.KAnonymity(k=2)])
NEW = pl.DataFrame({"age": ["a"] * 3 + ["b"] * 2, "ill": ["flu", "flu", "HIV", "cold", None], "ward": list("nnsns")})
OLD = pl.DataFrame({"age": ["x"] * 3 + ["y"] * 2, "ill": ["flu", "HIV", None, "flu", "cold"], "ward": list("nssnn")})


def of(frame: pl.DataFrame) -> Target:
    return Target({"release": frame}, PLAN)


def classes(*numbers: int) -> Int64:
    return np.array(numbers, np.int64)


def test_at_most_as_many_persons_have_a_joint_value_as_each_release_has_rows() -> None:
    releases = combined(of(NEW), of(OLD))
    assert releases.alone(classes(0)).persons == 3
    left = releases.both(classes(0), classes(0))  # flu in ward n: min(2, 1); HIV in ward s: 1
    assert left.persons == 2 and left.agreed.tolist() == [0, 0]
    left = releases.both(classes(0), classes(1))  # only flu in ward n
    assert left.persons == 1 and left.agreed.tolist() == [releases.codes("ill", pl.Series(["flu"]))[0], 1]
    assert releases.both(classes(0), classes(0, 1)).persons == 3  # flu in ward n is in two rows of x and y


def test_a_missing_value_is_never_certain() -> None:
    left = combined(of(NEW), of(OLD)).both(classes(1), classes(0))
    assert left.persons == 1 and left.agreed.tolist() == [0, 2]  # ward s is


def test_the_earlier_class_that_leaves_most_counts() -> None:
    releases = combined(of(NEW), of(OLD))
    flu, hiv = (int(releases.now.of_run[row]) for row in (0, 2))
    left = releases.of_rows(0, classes(0, 1))
    assert (left[flu].persons, left[hiv].persons) == (2, 2)  # flu may be in x, with 2 persons left, or in y, with 1
    assert releases.of_rows(0, classes(1)).keys() == {flu}
    assert releases.of_rows(0, classes(1))[flu].persons == 1
    assert releases.of_rows(0, classes()) == {}


def test_columns_with_other_values_are_not_compared() -> None:
    assert common_columns(of(NEW), of(OLD)) == ("ill", "ward")
    changed = OLD.with_columns(ward=pl.lit("[a, z]"))
    assert common_columns(of(NEW), of(changed)) == ("ill",)
    assert common_columns(of(NEW), of(OLD.drop("ill"))) == ("ward",)


def test_texts_that_no_release_has_have_no_code() -> None:
    codes = combined(of(NEW), of(OLD)).codes("ill", pl.Series(["HIV", None, "rash"]))
    assert codes.tolist() == [1, 0, -1]
