"""Ctrl-C and SIGTERM: a thread ends the process within moments, wherever the work is, and leaves nothing behind.

Python raises KeyboardInterrupt only in the main thread, between two instructions of Python. Libraries and compiled
kernels take seconds between those, and some do not expect an exception there. So no exception is raised: the operating
system's signal wakes a thread, which removes what is unfinished and ends the process. Kernels let it run because they
release the interpreter lock.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Any

from shoal.errors import Cancelled
from shoal.unfinished import TOO_LATE, abandoned

CANCELLED = "Cancelled. No files were left behind."
_EXIT_CODES = {signal.SIGINT: Cancelled.exit_code, signal.SIGTERM: 128 + signal.SIGTERM}
"""Signal → the exit code of a process that it cancels; schedulers and container platforms send SIGTERM."""

_deciding = threading.Lock()


def watch() -> None:
    """Makes Ctrl-C and SIGTERM end this process, with exit code 130 or 143, unless a release is being put in place."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    threading.Thread(target=_wait, args=(reading,), daemon=True, name="interrupts").start()
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in _EXIT_CODES:
        signal.signal(number, _leave_to_the_thread)


def unwatch() -> None:
    """Makes both signals raise KeyboardInterrupt: for a server, which ends by itself and leaves nothing behind."""
    signal.set_wakeup_fd(-1)
    for number in _EXIT_CODES:
        signal.signal(number, signal.default_int_handler)


def settle() -> None:
    """Waits while a cancellation is being carried out: work that it disturbs must not report an error."""
    with _deciding:
        pass


def _leave_to_the_thread(_signal: int, _frame: Any) -> None:
    """The handler of these signals: the thread is woken by the signal itself."""


def _wait(reading: int) -> None:
    while number := os.read(reading, 1):
        if number[0] in _EXIT_CODES:
            _cancel(_EXIT_CODES[signal.Signals(number[0])])


def _cancel(exit_code: int) -> None:
    with _deciding:
        if abandoned():
            _say(f"Error: {CANCELLED}")
            os._exit(exit_code)
    _say(TOO_LATE)


def _say(message: str) -> None:
    """Writes directly to the file: the main thread may hold the lock of the stream."""
    on_terminal = sys.stderr is not None and sys.stderr.isatty()
    restored = "\r\x1b[2K\x1b[?25h" if on_terminal else ""  # removes the progress bar and shows the cursor again
    with suppress(OSError):  # nobody reads it
        os.write(2, f"{restored}{message}\n".encode())
