"""Progress: how a long-running step reports progress and is cancelled."""

from __future__ import annotations

from collections.abc import Callable

from shoal.percent import percent

Progress = Callable[[str, float], None]
"""Called with the name of the step and the share done, 0 to 1. An exception raised by it cancels the work."""


_DOING = {
    "read": "reading the table",
    "try": "trying models",
    "encode": "encoding",
    "search": "searching",
    "items": "removing items",
    "choose": "trying several k",
    "suggest": "trying plans",
    "frontier": "trying plans",
    "form": "generalizing",
    "write": "writing and verifying",
    "count": "counting rows",
    "risk": "measuring risk",
    "disclosure": "auditing disclosure",
    "special uniques": "searching for special uniques",
    "reference": "comparing with the reference table",
    "compare": "comparing releases",
}


def silent(_step: str, _share: float) -> None:
    """Ignores all progress."""


def described(step: str, share: float) -> str:
    """A step and its share done, in words.

    >>> described("search", 0.42)
    'searching, 42 %'
    """
    return _DOING.get(step, step) + (f", {percent(round(share, 2))}" if share > 0 else "")
