"""What missing values do to classes, as the manifest tells it."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.algorithms import Mondrian, Optimal, Pais
from shoal.models import KAnonymity
from shoal.plan import Plan
from shoal.roles.columns import quasi
from shoal.warnings import missing_effect
from tests.warnings.cases import case, married


def test_the_effect_of_missing_values_is_reported() -> None:
    frame = pl.DataFrame({"sex": ["", "?", "F", "M", "M", "F", ""], "age": [1, 1, 2, 2, 2, 3, 3]})
    found = case(frame, {"sex": quasi(), "age": quasi()}, [0, 0, 1, 1, 1, 2, 2])
    assert missing_effect(found.encoded, found.partition) == {
        "missing": {
            "columns": ["sex"],
            "share_of_rows": 0.429,
            "smallest_class_showing_missing": 2,
            "smallest_other_class": 2,
        }
    }


def test_missing_values_that_were_hidden_or_suppressed_show_nowhere() -> None:
    frame = pl.DataFrame({"sex": ["", "F", "M", ""], "age": [1, 1, 2, 3]})
    found = case(frame, {"sex": quasi(), "age": quasi()}, [0, 0, 0, -1])
    facts = missing_effect(found.encoded, found.partition)["missing"]
    assert facts["smallest_class_showing_missing"] is None
    assert (facts["share_of_rows"], facts["smallest_other_class"]) == (0.333, 3)


@pytest.mark.parametrize("algorithm", [Pais(), Optimal(), Mondrian()])
def test_a_missing_value_shows_only_where_it_is_released_as_missing(algorithm: Any) -> None:
    frame = pl.DataFrame({"sex": ["F", "M"] * 4, "job": [""] + ["smith"] * 7})
    plan = Plan(columns={"sex": quasi(), "job": quasi()}, models=(KAnonymity(k=2),), algorithm=algorithm)
    release = shoal.anonymize(frame, plan)
    assert "" not in release.frame["job"].to_list()
    assert release.manifest["missing"]["smallest_class_showing_missing"] is None
    gaps = pl.DataFrame({"sex": ["F", "M"] * 4, "job": [""] * 4 + ["smith"] * 4})
    release = shoal.anonymize(gaps, plan)
    shown = release.frame.filter(pl.col("job").fill_null("") == "")
    assert release.manifest["missing"]["smallest_class_showing_missing"] == (
        shown.group_by("sex").len()["len"].min() if shown.height else None
    )


def test_one_row_may_hide_what_all_of_it_lack() -> None:
    """All rows of a class lack a value, and under a recoding that is the same everywhere nobody sees it."""
    frame = pl.DataFrame({"sex": ["F", "F", "M", "M"], "job": ["", "", "smith", "baker"]})
    plan = Plan(columns={"sex": quasi(), "job": quasi()}, models=(KAnonymity(k=2),), algorithm=Pais(stop_at=1))
    release = shoal.anonymize(frame, plan)
    assert release.frame["job"].to_list() == ["*"] * 4 and release.frame["sex"].n_unique() == 2
    assert release.manifest["missing"]["smallest_class_showing_missing"] is None


def test_a_table_without_gaps_has_no_effect_to_report() -> None:
    found = case(married(2), {"sex": quasi(), "relationship": quasi()}, [0] * 8)
    assert missing_effect(found.encoded, found.partition) == {}
