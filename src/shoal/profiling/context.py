"""Context: whether a table is clinical, so that names such as `sg` or `target` have their clinical meaning."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.profiling.signs import SENSITIVE, Sign

_FEWEST = 3
_LEAST_SHARE = 0.1
_NOT_CLINICAL = ("money", "durations", "counts", "height or weight")


def is_clinical(signs: Sequence[Sign]) -> bool:
    """Whether at least three columns, and enough of all, are about health; money, sizes and durations alone are not.

    >>> from shoal.profiling.naming import readings
    >>> is_clinical([readings(name)[0] for name in ("age", "glucose", "diagnosis", "smoker")])
    True
    """
    about_health = [
        sign for sign in signs if sign.role == SENSITIVE and sign.confidence != "low" and sign.what not in _NOT_CLINICAL
    ]
    return len(about_health) >= max(_FEWEST, _LEAST_SHARE * len(signs))
