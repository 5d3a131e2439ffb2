"""The command line: parses the arguments, calls the library and prints the result.

It has no logic of its own. Heavy modules are imported when a command runs, so that `shoal --help` starts fast.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress

from shoal import interrupts
from shoal.failures import as_shoal_error
from shoal.unfinished import remove_all

_SELDOM_NEEDED = ("scipy", "yaml")
USAGE = 2
"""The exit code of every failure but a broken promise (1), an unmet model (3) and a cancelled run (130)."""


def main() -> int:
    """Runs the command given on the command line; returns its exit code."""
    interrupts.watch()  # before anything is imported that takes time
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # warnings of other libraries may quote the data
    _start_lightly()
    code = run(sys.argv[1:])
    _leave(code)
    return code


def _start_lightly() -> None:
    """Skips start-up work that no command needs.

    Only `main` calls it, because it changes the state of the process. Objects created by imports are permanent, and
    repeated garbage collections of them take 0.1 s. pydantic searches the metadata of every installed package for
    plug-ins. numba imports scipy (0.15 s) and yaml if they are installed.
    """
    gc.set_threshold(500_000, 50, 100)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    for name in _SELDOM_NEEDED:
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]  # marks the module as absent


def restore_libraries() -> None:
    """Lets a command import what was skipped at the start: classifiers need scipy."""
    for name in _SELDOM_NEEDED:
        if name in sys.modules and sys.modules[name] is None:
            del sys.modules[name]


def _leave(code: int) -> None:
    """Ends the process at once: everything is written, and Python would take 0.4 s to destroy every object.

    With SHOAL_DEBUG the process ends as usual, so that profilers can save their measurements.
    """
    interrupts.settle()
    if os.environ.get("SHOAL_DEBUG"):
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # the reader is gone or the disk is full: the exit code reports it already
            stream.flush()
    remove_all()
    os._exit(code)


def run(arguments: Sequence[str]) -> int:
    """Runs a command and returns its exit code.

    Every failure is printed as one paragraph on stderr. It never contains a value of the data.
    """
    try:
        from shoal.cli.app import invoke

        code = invoke(arguments or ["--help"])
        sys.stdout.flush()
    except BaseException as error:
        return _failed(error)
    return code


def _failed(error: BaseException) -> int:
    """Prints an error and returns its exit code; no other function turns errors into exit codes."""
    interrupts.settle()
    if os.environ.get("SHOAL_DEBUG"):
        traceback.print_exception(error)
    if isinstance(error, BrokenPipeError):
        return _output_closed()
    failure = as_shoal_error(error)
    from shoal.cli.show import complain

    complain(str(failure))
    return failure.exit_code


def _output_closed() -> int:
    """Exits quietly after the reader of stdout closed it, also when Python flushes the stream at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return USAGE
