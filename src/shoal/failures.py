"""Foreign errors as errors of Shoal: they are described without their message, which may quote the data."""

from __future__ import annotations

import traceback

from shoal.errors import Cancelled, ShoalError
from shoal.interrupts import CANCELLED


def as_shoal_error(error: BaseException) -> ShoalError:
    """The error itself if it is Shoal's own; otherwise a description without its message, which may quote the data."""
    if isinstance(error, ShoalError):
        return error
    if isinstance(error, KeyboardInterrupt):
        return Cancelled(CANCELLED)
    if isinstance(error, MemoryError):
        return ShoalError("Out of memory.", hint="use a machine with more memory, or fewer columns.")
    if isinstance(error, OSError) and error.strerror:
        place = f"'{error.filename}': " if error.filename else ""
        return ShoalError(f"The operating system reported an error: {place}{error.strerror}.")
    return ShoalError(
        f"Internal error: {type(error).__name__} in {_place(error)}.",
        allowed="This is a bug in Shoal; nothing was published.",
        hint="set SHOAL_DEBUG=1 and run the command again for details; they may contain values of your data.",
    )


def _place(error: BaseException) -> str:
    """The module and line of the innermost frame in Shoal's own code."""
    frames = [(frame.f_globals.get("__name__", ""), line) for frame, line in traceback.walk_tb(error.__traceback__)]
    own = [f"{module}:{line}" for module, line in frames if module.partition(".")[0] == "shoal"]
    return own[-1] if own else "an unknown location"
