"""The process of one job: `python -m shoal.studio.worker`. It ends when its studio ends, however that happens.

The job is the first line on stdin; with the argument `spare`, the process imports what jobs need while it waits. stdin
then stays open: when the studio is gone, even killed, the system closes it, and the process cancels itself as if it had
received SIGTERM. Progress goes to stdout, one JSON object per line.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import threading
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from shoal import interrupts
from shoal.studio.files import write_json
from shoal.studio.processes import RESULT, SPARE
from shoal.studio.states import Failure

AT_MOST_EVERY = 0.1
"""Seconds between two reports of progress."""
_NICE = 5
_USED = (
    "shoal.studio.work",
    "shoal.studio.contents",
    "shoal.dry_run",
    "shoal.evaluate.comparing",
    "shoal.profiling.draft",
    "shoal.profiling.suggesting",
    "shoal.regulation",
    "shoal.risks.measuring",
    "shoal.verifying",
    "shoal.kernels",
    "numba",
)
"""What most jobs import."""


class Reporter:
    """Sends progress to the studio, but not more often than a page shows it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._guard = threading.Lock()
        self._last = ("", -1.0)
        self._sent = 0.0

    def progress(self, step: str, share: float) -> None:
        """The callback for the library."""
        now = time.monotonic()
        if step != self._last[0] or (now - self._sent >= AT_MOST_EVERY and share != self._last[1]):
            self._last, self._sent = (step, share), now
            self.send(step=step, share=float(share))

    def send(self, **message: Any) -> None:
        """Sends one message; a studio that is gone is noticed elsewhere."""
        with self._guard, suppress(OSError):
            self._stream.write(json.dumps(message).encode() + b"\n")
            self._stream.flush()


def main() -> int:
    """Does one job: its result is in the file that the job names before the process ends."""
    interrupts.watch()
    with suppress(OSError):
        os.nice(_NICE)  # the pages come first
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not be taken for a message
    imported = threading.Event()
    if SPARE in sys.argv[1:]:
        threading.Thread(target=_import_used, args=(imported,), daemon=True).start()
    else:
        imported.set()
    line = sys.stdin.buffer.readline()
    if not line:
        os._exit(0)  # even in the middle of an import
    threading.Thread(target=_end_with_studio, daemon=True).start()
    job, reporter = json.loads(line), Reporter(own)
    done = threading.Event()
    threading.Thread(target=_watch_compiling, args=(reporter, done), daemon=True).start()
    folder = Path(job["folder"])
    _move_to(folder)
    outcome = run(job, reporter, imported)
    done.set()
    interrupts.settle()
    write_json(folder / RESULT, outcome)
    reporter.send(ended=True)
    own.flush()
    from shoal.unfinished import remove_all

    remove_all()
    os._exit(0)


def run(job: dict[str, Any], reporter: Reporter, imported: threading.Event | None = None) -> dict[str, Any]:
    """The outcome of a job: its `result`, or the `failure` without a value of the data; it waits for the imports."""
    try:
        if imported is not None:
            imported.wait()
        from shoal.studio.work import ALL
        from shoal.unfinished import locked

        if job.get("lock"):
            with locked(Path(job["lock"])):
                return {"result": ALL[job["kind"]](job["arguments"], reporter.progress)}
        return {"result": ALL[job["kind"]](job["arguments"], reporter.progress)}
    except BaseException as error:
        from shoal.failures import as_shoal_error

        interrupts.settle()
        return {"failure": Failure.of(as_shoal_error(error)).to_json()}


def _import_used(imported: threading.Event) -> None:
    """Imports what jobs need, then loads the kernels; what is not there is missed by the job that needs it."""
    for name in _USED:
        with suppress(Exception):
            import_module(name)
    imported.set()
    with suppress(Exception):
        from shoal.pipeline import load_kernels

        load_kernels()  # no job waits for it: they may have to be compiled


def _move_to(folder: Path) -> None:
    """Makes the folder of the job the working folder, and that of temporary files the one in it."""
    os.chdir(folder)
    os.environ["TMPDIR"] = str(folder / "tmp")
    tempfile.tempdir = None


def _end_with_studio() -> None:
    """Waits until the studio closes stdin, and then cancels this process."""
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _watch_compiling(reporter: Reporter, done: threading.Event) -> None:
    """Reports when kernels begin and end being compiled; it imports nothing."""
    was_compiling = False
    while not done.wait(0.5):
        is_compiling = bool(getattr(sys.modules.get("shoal.kernels"), "compiling", False))
        if is_compiling != was_compiling:
            reporter.send(compiling=is_compiling)
            was_compiling = is_compiling


if __name__ == "__main__":
    raise SystemExit(main())
