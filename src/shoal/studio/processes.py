"""The processes of jobs: how they are started and stopped, and one that waits for the next job with all imports done.

No process does two jobs, so that jobs share nothing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import shoal

GRACE = 1.5
"""Seconds that a cancelled job has to clean up before it is killed."""
SPARE = "spare"
"""The argument of a process that imports what jobs need while it waits."""
RESULT = "result.json"
"""The file in the folder of a job with its outcome."""

Process = subprocess.Popen[bytes]


def started(folder: Path, *arguments: str) -> Process:
    """A process that waits for its job. It imports nothing from its working folder, and no other process has its stdin.

    Its messages on stderr may quote the data, so nobody reads them unless SHOAL_DEBUG is set.
    """
    own = str(Path(shoal.__file__).resolve().parents[1])
    given = [str(Path(each).resolve()) for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "shoal.studio.worker", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if os.environ.get("SHOAL_DEBUG") else subprocess.DEVNULL,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([own, *given])},
        start_new_session=True,  # Ctrl-C in the terminal of the studio is the studio's to handle
    )


def stop(process: Process) -> None:
    """Asks a process to end, and kills it if it does not."""
    process.send_signal(signal.SIGTERM)
    killer = threading.Timer(GRACE, process.kill)
    killer.daemon = True
    killer.start()


def release(process: Process) -> None:
    """Closes the pipes of a process; one that waits for its job ends then."""
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):  # a process that was cancelled at once has not read its task
            if pipe is not None:
                pipe.close()


class Spare:
    """Processes for jobs: after `keep`, one that has imported everything waits for the next job, until `close`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._waiting: Process | None = None
        self._is_kept = False
        self._guard = threading.Lock()

    def keep(self) -> None:
        """Starts the process that waits, unless there is one; whenever it is taken, another one is started."""
        with self._guard:
            self._is_kept = True
            self._replace()

    def taken(self) -> Process:
        """The process for a job: the one that waits, or a new one."""
        with self._guard:
            process, self._waiting = self._waiting, None
            if process is None or process.poll() is not None:
                process = started(self._made())
            if self._is_kept:
                self._replace()
            return process

    def close(self) -> None:
        """Ends the process that waits."""
        with self._guard:
            self._is_kept = False
            process, self._waiting = self._waiting, None
        if process is not None:
            release(process)
            process.kill()
            process.wait()

    def _replace(self) -> None:
        if self._waiting is None:
            with suppress(OSError):  # jobs start their own, then
                self._waiting = started(self._made(), SPARE)

    def _made(self) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self._folder
