"""Progress: how a long-running step reports progress and is cancelled."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, float], None]
"""Called with the name of the step and the share done, 0 to 1. An exception raised by it cancels the work."""


def silent(_step: str, _share: float) -> None:
    """Ignores all progress."""
