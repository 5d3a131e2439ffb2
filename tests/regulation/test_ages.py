from __future__ import annotations

import pytest

from shoal.regulation.ages import shows_over_89


@pytest.mark.parametrize(
    "text",
    [
        *("90", "95 years", "95y", "95 yrs.", "095Y", "P95Y", "95-year-old", "aged 95", "95.5"),
        *("90-99", "90 – 99", "85 to 94", "20-110", "90-99 years", "(85, 95]", "[90, 100)"),
        *("95+", "95+ years", ">= 95", "> 95 y", "95 and over", "<= 95", "< 95"),
    ],
)
def test_ages_over_89_in_every_notation(text: str) -> None:
    assert shows_over_89(text, top=None)


@pytest.mark.parametrize(
    "text",
    [
        *("89", "89 years", "89.5", "80-89", "[80, 90)", "< 90", "under 90", "20-29 y"),
        *("90+", "90+ years", ">= 90", "≥90", "> 89", "over 89", "90 and over", "90 years or older"),
        *("95 months", "95 days", "C95", "unknown", "", "95 kg"),
    ],
)
def test_younger_ages_the_category_of_90_and_older_and_other_values(text: str) -> None:
    assert not shows_over_89(text, top=None)


def test_the_number_at_which_the_plan_top_codes_is_a_category() -> None:
    assert not shows_over_89("90", top=90.0) and shows_over_89("91", top=90.0) and shows_over_89("95", top=95.0)
