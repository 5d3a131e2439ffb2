"""Progress: how long work tells what it is doing, and how it is cancelled."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, float], None]
"""Called with what is being done and the share done, 0 to 1; raising from it cancels the work."""


def silent(_step: str, _share: float) -> None:
    """The progress of someone who does not look."""
