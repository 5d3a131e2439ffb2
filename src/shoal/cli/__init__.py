"""The command line: reads what was asked for, calls the library, shows what it answers. It has no logic of its own.

Nothing heavy is imported before a command runs, so that `shoal --help` answers at once.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Sequence

from shoal.cli import interrupts
from shoal.errors import Cancelled, ShoalError

USAGE = 2
"""The exit code of anything that is neither a broken promise (1), an unmet model (3) nor a cancelled run (130)."""


def main() -> int:
    """Runs the command that the process was started with; returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # what a library warns of may quote the data
    interrupts.watch()
    return run(sys.argv[1:])


def run(arguments: Sequence[str]) -> int:
    """The exit code of a command. Every failure is one paragraph on stderr, and none shows a value of the data."""
    try:
        from shoal.cli.app import invoke

        code = invoke(arguments or ["--help"])
        sys.stdout.flush()
    except BaseException as error:
        return _failed(error)
    return code


def _failed(error: BaseException) -> int:
    """Says what went wrong; the one place where errors become exit codes."""
    if os.environ.get("SHOAL_DEBUG"):
        traceback.print_exception(error)
    if isinstance(error, BrokenPipeError):
        return _nobody_listens()
    failure = error if isinstance(error, ShoalError) else _as_shoal_error(error)
    from shoal.cli.show import complain

    complain(str(failure))
    return failure.exit_code


def _as_shoal_error(error: BaseException) -> ShoalError:
    """What may be said of an error that is not Shoal's own: never its message, which may quote the data."""
    if isinstance(error, KeyboardInterrupt):
        return Cancelled("Cancelled. Nothing was left behind.")
    if isinstance(error, MemoryError):
        return ShoalError("There is not enough memory for this.", hint="use a larger machine or fewer columns.")
    if isinstance(error, OSError) and error.strerror:
        place = f"'{error.filename}': " if error.filename else ""
        return ShoalError(f"The system refused: {place}{error.strerror}.")
    return ShoalError(
        f"Internal error: {type(error).__name__} in {_place(error)}.",
        allowed="This is a fault of Shoal; nothing was published.",
        hint="with SHOAL_DEBUG=1 set, the same command shows the details; they may hold values of your data.",
    )


def _place(error: BaseException) -> str:
    """Module and line of the innermost frame that is Shoal's own."""
    frames = [(frame.f_globals.get("__name__", ""), line) for frame, line in traceback.walk_tb(error.__traceback__)]
    own = [f"{module}:{line}" for module, line in frames if module.partition(".")[0] == "shoal"]
    return own[-1] if own else "an unknown place"


def _nobody_listens() -> int:
    """The reader of our output is gone: give up quietly, also when Python closes the stream at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return USAGE
