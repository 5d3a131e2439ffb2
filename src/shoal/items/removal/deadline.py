"""When searches end early."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

Over = Callable[[], bool]
"""Says whether the time is over. The clock need not be that on the wall."""


def never() -> bool:
    """There is no deadline."""
    return False


def after(seconds: float, clock: Callable[[], float] = monotonic) -> Over:
    """The time is over so many seconds of a clock from now.

    >>> after(-1)(), after(1_000)()
    (True, False)
    """
    end = clock() + seconds
    return lambda: clock() >= end
