"""Notes."""

from __future__ import annotations

from typing import Any

from shoal.report.document import Points
from tests.report.manifests import manifest, section


def notes(given: dict[str, Any]) -> tuple[str, ...]:
    (block,) = section(given, "notes").blocks
    assert isinstance(block, Points)
    return block.sentences


def test_the_effect_of_missing_values_is_a_note() -> None:
    """The steward's figure counts the input; labels that recipients see can hide a missing value."""
    missing: dict[str, Any] = {"columns": ["sex"], "share_of_rows": 0.074}
    private = notes(manifest(missing=missing))[-1]
    assert "7.4 % of the rows lack the value of a quasi-identifier ('sex')." in private and "hide" not in private
    public = notes(manifest(missing=missing, timings={}))[-1]
    assert "7.4 % of the rows show no value of a quasi-identifier ('sex'). Labels that stand for several" in public
    assert private.endswith("No class shows a missing value.") and public.endswith("No class shows a missing value.")
    missing |= {"smallest_class_showing_missing": 5, "smallest_other_class": 6}
    shown = "shows a missing value has 5 members; the smallest other class has 6."
    assert shown in notes(manifest(missing=missing))[-1]
