"""Progress of long-running commands on stderr: a bar on a terminal, occasional lines otherwise."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from shoal.cli.show import printable
from shoal.progress import described

Report = Callable[[str, float], None]

FIRST_LINE_AFTER = 1.0
LINES_AT_MOST_EVERY = 60.0


@contextmanager
def shown(*, quiet: bool = False) -> Iterator[Report]:
    """A progress callback for the library: it takes a step and the share of the step that is done."""
    if quiet:
        yield lambda _step, _share: None
    elif sys.stderr.isatty():
        with _bar() as report:
            yield report
    else:
        with _lines() as report:
            yield report


def _why_slow() -> str:
    """A remark while kernels are being compiled.

    It imports nothing: if the kernels are not imported, none is being compiled.
    """
    compiling = getattr(sys.modules.get("shoal.kernels"), "compiling", False)
    return " (compiling, the first time only)" if compiling else ""


@contextmanager
def _bar() -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
    from rich.text import Text

    class Step(TextColumn):
        def render(self, task: Task) -> Text:
            return super().render(task).append(_why_slow())

    columns = (SpinnerColumn(), Step("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("starting", total=None)

        def report(step: str, share: float) -> None:
            bar.update(task, description=described(step, share), completed=share, total=1.0 if share > 0 else None)

        yield report


@contextmanager
def _lines() -> Iterator[Report]:
    """Prints a line after a second, then less and less often, so that a log file stays readable.

    A thread prints them, so that steps without progress calls are reported too.
    """
    began, done, now = time.monotonic(), threading.Event(), ["starting"]

    def print_lines() -> None:
        pause = FIRST_LINE_AFTER
        while not done.wait(pause):
            sys.stderr.write(printable(f"{time.monotonic() - began:.0f} s: {now[0]}{_why_slow()}") + "\n")
            sys.stderr.flush()
            pause = min(2 * pause, LINES_AT_MOST_EVERY)

    def report(step: str, share: float) -> None:
        now[0] = described(step, share)

    printer = threading.Thread(target=print_lines, daemon=True)
    printer.start()
    try:
        yield report
    finally:
        done.set()
        printer.join()
