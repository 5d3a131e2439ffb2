from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from shoal.models import LDiversity
from shoal.plan import Plan, ReleaseSettings
from shoal.roles.columns import insensitive, quasi, sensitive, target
from shoal.warnings import Case
from shoal.warnings.base import Warning
from shoal.warnings.revealing import revealing_columns
from tests.warnings.cases import K, case

RNG = np.random.default_rng(0)
BIRTH = RNG.integers(0, 300, 600)
COLUMNS: dict[str, Any] = {"birth": quasi(), "copy": insensitive()}


def revealing(values: object, classes: object, **roles: Any) -> list[Warning]:
    frame = pl.DataFrame({"birth": BIRTH, "copy": values})
    return list(revealing_columns(case(frame, {**COLUMNS, **roles}, list(classes))))


def test_rows_that_become_unique_are_counted() -> None:
    once = int((np.bincount(BIRTH) == 1).sum())
    (only,) = revealing(BIRTH, [0] * 600)
    assert only.serious and not only.public
    assert only.text == (
        "Column 'copy' is released unchanged and nearly determines quasi-identifier 'birth': "
        f"{once} of 600 rows are unique if their class is combined with it. Make it a quasi-identifier, or remove it."
    )


def test_a_copy_of_one_column_is_not_said_to_narrow_others() -> None:
    places = 2 * (BIRTH // 100) + np.random.default_rng(1).integers(0, 2, 600)
    frame = pl.DataFrame({"birth": BIRTH, "place": places, "copy": BIRTH})
    (only,) = revealing_columns(case(frame, {**COLUMNS, "place": quasi()}, list(BIRTH % 2)))
    assert only.serious and "nearly determines quasi-identifier 'birth'" in only.text


def test_rows_are_counted_by_class() -> None:
    """With the tens of the birth, a row is unique if its tens occur once in its class."""
    tens, classes = BIRTH // 10, BIRTH % 10
    pairs = np.unique(np.stack([tens, classes]), axis=1, return_counts=True)[1]
    (only,) = revealing(tens, classes)
    assert f"is nearly determined by quasi-identifier 'birth': {int((pairs == 1).sum())} of 600" in only.text


def test_a_finer_column_reveals_no_more_than_the_quasi_identifier() -> None:
    once = int((np.bincount(BIRTH) == 1).sum())
    (only,) = revealing(BIRTH * 3 + RNG.integers(0, 3, 600), [0] * 600)
    assert f"nearly determines quasi-identifier 'birth': {once} of 600" in only.text


def test_classes_with_a_single_value_are_not_narrowed() -> None:
    assert not revealing(BIRTH % 2, BIRTH % 2)


def test_before_a_search_no_class_is_known() -> None:
    frame = pl.DataFrame({"birth": BIRTH % 30, "copy": BIRTH % 30})
    given = replace(case(frame, COLUMNS, [0] * 600), partition=None)
    (only,) = revealing_columns(given)
    assert "it divides every class with several values of 'birth'" in only.text and not only.serious


def test_a_sensitive_column_is_called_so() -> None:
    (only,) = revealing(BIRTH, [0] * 600, copy=sensitive())
    assert only.text.startswith("Sensitive column 'copy'") and "Make it" not in only.text


def about_sensitive(form: str, role: Any, codes: object) -> list[Warning]:
    frame = pl.DataFrame({"age": RNG.integers(0, 40, 400), "ill": np.arange(400) * 7 % 5, "code": codes})
    given = case(frame, {"age": quasi(), "ill": sensitive(), "code": role}, [0] * 400, LDiversity("ill", l=2))
    plan = Plan(columns=given.plan.columns, models=given.plan.models, release=ReleaseSettings(form=form))
    found = revealing_columns(Case(given.fitted, given.partition, plan))
    return [warning for warning in found if "sensitive column 'ill'" in warning.text]


def test_what_determines_a_sensitive_value_is_serious_in_an_anatomy() -> None:
    codes = np.arange(400) * 7 % 5 + 100
    (anatomy,) = about_sensitive("anatomy", insensitive(), codes)
    assert anatomy.serious and "400 of 400 rows, although the anatomy" in anatomy.text
    (also,) = about_sensitive("anatomy", target(), codes)
    assert also.serious
    (linked,) = about_sensitive("generalized", insensitive(), codes)
    assert not linked.serious and "to anyone who knows it" in linked.text
    assert not about_sensitive("generalized", target(), codes)
    assert not about_sensitive("anatomy", insensitive(), RNG.integers(0, 5, 400))


def test_a_plan_without_models_of_values_has_nothing_to_determine() -> None:
    frame = pl.DataFrame({"age": [1, 2] * 50, "ill": ["a", "b"] * 50, "code": ["x", "y"] * 50})
    given = case(frame, {"age": quasi(), "ill": sensitive(), "code": insensitive()}, [0, 1] * 50, K)
    assert not list(revealing_columns(given))
