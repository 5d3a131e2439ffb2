"""Ages over 89, in the notations in which tables show ages and bands of ages."""

from __future__ import annotations

import re

_CATEGORY = 90
"""Ages from here on may be shown as one category only."""
_NUMBER = r"\d+(?:\.\d+)?"
_UNIT = r"(?:[\s-]*(?:years?|yrs?|y/?o|y)\b\.?)?(?:[\s-]*old\b)?"
_AGE = re.compile(
    r"(?:aged?\s+)?(?P<above>>=?|≥|over\b|above\b)?(?P<below><|under\b|below\b)?(?P<up_to>=|≤)?\s*[\[(]?p?"
    rf"(?P<low>{_NUMBER}){_UNIT}(?:\s*(?:-|–|to|,)\s*(?P<high>{_NUMBER}))?(?P<before>\))?\]?"
    rf"(?P<open>\s*\+|\s+(?:and|or)\s+(?:over|older|above|more))?{_UNIT}",
    re.IGNORECASE,
)
"""An age or a band of ages: 40, 40 years, 40-44, 40 to 44, [40, 45), >= 90, 90+."""


def shows_over_89(text: str, top: float | None) -> bool:
    """Whether a text shows an age over 89, other than as one category of 90 and older. `top`: the plan's category.

    >>> [shows_over_89(text, None) for text in ("95 years", "85-94", "90+", "[80, 90)", "95 days")]
    [True, True, False, False, False]
    """
    age = _AGE.fullmatch(text.strip())
    if age is None:
        return False
    oldest = float(age["high"] or age["low"])
    is_category = age["open"] or age["above"] or (age["high"] is None and oldest == top)
    is_excluded = age["before"] or (age["below"] and not age["up_to"])
    return oldest > _CATEGORY if is_category or is_excluded else oldest >= _CATEGORY
