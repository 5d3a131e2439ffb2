"""Signs: reasons that a steward understands, and confidence that only sinks."""

from __future__ import annotations

from typing import get_args

from shoal.profiling import signs
from shoal.profiling.signs import Sign


def test_the_reason_names_the_content_and_what_follows_from_it() -> None:
    assert signs.DIAGNOSIS_CODE.reason == "diagnosis codes: must not be linkable to an individual"
    assert signs.ZIP.reason == "postal codes (HIPAA identifier B): may be known to others"
    assert signs.UNKNOWN.reason == "not recognized: not released unless you give it a role"


def test_confidence_only_sinks() -> None:
    sign = Sign("sex", signs.QUASI)
    assert sign.confidence == "high"
    assert sign.at_most("medium").confidence == "medium"
    assert sign.at_most("low").at_most("high").confidence == "low"


def test_every_confidence_has_its_place() -> None:
    assert set(get_args(signs.Confidence)) == {"high", "medium", "low"}


def test_hierarchies_hold_constants_only() -> None:
    """What is suggested must not depend on the data: these are written in the code."""
    assert signs.AGE.hierarchy == {"kind": "intervals", "widths": [5, 10, 20], "origin": 0}
    assert signs.DATE.hierarchy == {"kind": "date", "levels": ["month", "quarter", "year", "decade"]}
