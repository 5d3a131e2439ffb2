"""What missing values do to classes, as the manifest tells it."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.algorithms import Mondrian, Optimal, Pais
from shoal.coded.recoding import shown_columns
from shoal.manifest import MissingEffect
from shoal.models import KAnonymity
from shoal.plan import Plan
from shoal.roles.columns import quasi
from shoal.warnings import Case, missing_effect
from tests.warnings.cases import case, married


def effect(found: Case) -> MissingEffect | None:
    assert found.partition is not None
    shown = shown_columns(found.partition.recoding, found.coded, found.partition.members)
    return missing_effect(found.coded, found.partition, shown)


def shown_missing(release: shoal.Release) -> int | None:
    missing = release.steward.missing
    assert missing is not None
    return missing.smallest_class_showing_missing


def test_the_effect_of_missing_values_is_reported() -> None:
    frame = pl.DataFrame({"sex": ["", "?", "F", "M", "M", "F", ""], "age": [1, 1, 2, 2, 2, 3, 3]})
    found = case(frame, {"sex": quasi(), "age": quasi()}, [0, 0, 1, 1, 1, 2, 2])
    assert effect(found) == MissingEffect(
        columns=("sex",), share_of_rows=0.429, smallest_class_showing_missing=2, smallest_other_class=2
    )


def test_missing_values_that_were_hidden_or_suppressed_show_nowhere() -> None:
    frame = pl.DataFrame({"sex": ["", "F", "M", ""], "age": [1, 1, 2, 3]})
    found = case(frame, {"sex": quasi(), "age": quasi()}, [0, 0, 0, -1])
    assert effect(found) == MissingEffect(
        columns=("sex",), share_of_rows=0.333, smallest_class_showing_missing=None, smallest_other_class=3
    )


@pytest.mark.parametrize("algorithm", [Pais(), Optimal(), Mondrian()])
def test_a_missing_value_shows_only_where_it_is_released_as_missing(algorithm: Any) -> None:
    frame = pl.DataFrame({"sex": ["F", "M"] * 4, "job": [""] + ["smith"] * 7})
    plan = Plan(columns={"sex": quasi(), "job": quasi()}, models=(KAnonymity(k=2),), algorithm=algorithm)
    release = shoal.anonymize(frame, plan)
    assert "" not in release.frame["job"].to_list()
    assert shown_missing(release) is None
    gaps = pl.DataFrame({"sex": ["F", "M"] * 4, "job": [""] * 4 + ["smith"] * 4})
    release = shoal.anonymize(gaps, plan)
    shown = release.frame.filter(pl.col("job").fill_null("") == "")
    assert shown_missing(release) == (shown.group_by("sex").len()["len"].min() if shown.height else None)


def test_one_row_may_hide_what_all_of_it_lack() -> None:
    """All rows of a class lack a value, and under a recoding that is the same everywhere nobody sees it."""
    frame = pl.DataFrame({"sex": ["F", "F", "M", "M"], "job": ["", "", "smith", "baker"]})
    plan = Plan(columns={"sex": quasi(), "job": quasi()}, models=(KAnonymity(k=2),), algorithm=Pais(stop_at=1))
    release = shoal.anonymize(frame, plan)
    assert release.frame["job"].to_list() == ["*"] * 4 and release.frame["sex"].n_unique() == 2
    assert shown_missing(release) is None


def test_a_table_without_gaps_has_no_effect_to_report() -> None:
    found = case(married(2), {"sex": quasi(), "relationship": quasi()}, [0] * 8)
    assert effect(found) is None


def test_sizes_are_those_of_persons_where_the_plan_counts_them() -> None:
    frame = pl.DataFrame({"who": ["a", "a", "b", "c"], "sex": ["", "", "F", "M"], "age": [1, 1, 2, 2]})
    found = case(frame, {"sex": quasi(), "age": quasi()}, [0, 0, 1, 1], person="who")
    assert effect(found) == MissingEffect(
        columns=("sex",), share_of_rows=0.5, smallest_class_showing_missing=1, smallest_other_class=2
    )
