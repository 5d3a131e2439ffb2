"""What holds of every warning."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal import warnings
from shoal.errors import PlanError
from shoal.models import AlphaK, LDiversity
from shoal.plan import Plan, ReleaseSettings
from shoal.roles.columns import identifier, insensitive, quasi, sensitive
from shoal.warnings import find_warnings
from tests.warnings.cases import K, case, married


def test_no_sentence_shows_a_value() -> None:
    frame = pl.DataFrame(
        {
            "sex": ["zzF", "zzM"] * 100,
            "copy": ["zzf", "zzm"] * 100,
            "patient": ["zzP", "zzQ"] * 100,
            "cost": [f"77{number}" for number in range(200)],
            "note": ["zzN"] * 200,
        }
    )
    columns = {
        "sex": quasi(),
        "copy": insensitive(),
        "patient": identifier(),
        "cost": sensitive(),
        "note": sensitive(),
    }
    models = LDiversity("cost", l=2), AlphaK("cost", 0.5, 2, ("zz771",))
    found = find_warnings(case(frame, columns, [0] * 200, *models))
    about_the_search = 2  # which needs a target, and a measure to stop at
    assert len(found) == len(warnings.ALL) - about_the_search
    assert not any(mark in sentence for sentence in found for mark in ("zz", "77"))


def test_a_strict_plan_refuses_what_a_lenient_one_warns_of() -> None:
    plan = Plan(columns={"sex": quasi(), "relationship": sensitive()}, models=(K,))
    (warning,) = shoal.anonymize(married(50), plan).warnings
    with pytest.raises(PlanError) as caught:
        shoal.anonymize(married(50), plan.changed(release=ReleaseSettings(strict=True)))
    assert warning in str(caught.value) and caught.value.exit_code == 2


def test_a_clean_release_passes_a_strict_plan() -> None:
    plan = Plan(columns={"sex": quasi()}, models=(K,), release=ReleaseSettings(strict=True))
    assert shoal.anonymize(married(50).select("sex"), plan).warnings == ()
