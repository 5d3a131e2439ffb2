"""Ctrl-C handling: stops between two lines of Shoal's own code, never inside a library's compiled code.

Python raises KeyboardInterrupt wherever the interpreter currently is. Compiled kernels call back into Python in places
where they do not expect an exception. The process would then crash without cleaning up.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Any


def watch() -> None:
    """Makes SIGINT raise KeyboardInterrupt at the next line of Shoal's own code."""
    signal.signal(signal.SIGINT, _interrupted)


def _interrupted(_signal: int, frame: FrameType | None) -> None:
    while frame is not None and not _is_own(frame):
        frame = frame.f_back
    if frame is None:
        raise KeyboardInterrupt
    frame.f_trace = _stop
    sys.settrace(_ignore)  # a frame's own trace function is called only while tracing is on


def _is_own(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == "shoal"


def _stop(_frame: FrameType, _event: str, _argument: Any) -> None:
    sys.settrace(None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not interrupt the cleanup
    raise KeyboardInterrupt


def _ignore(_frame: FrameType, _event: str, _argument: Any) -> None:
    """The global trace function: it traces no new frame."""
