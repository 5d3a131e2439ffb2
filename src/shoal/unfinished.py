"""Files and folders that are not finished yet: what a cancelled process removes, and when it is too late to cancel.

A process is cancelled by a thread that ends it (`shoal.interrupts`), because the work may be inside compiled code.
That thread needs to know what to remove, and whether a release is being put in place.
"""

from __future__ import annotations

import os
import secrets
import signal
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import OutputError

if TYPE_CHECKING:
    from subprocess import Popen

TOO_LATE = "The release was already being put in place: it was completed, not cancelled."

_LONGEST_END = 0.5
"""The most seconds to wait for the processes of a program that was killed."""

_paths: set[Path] = set()
_programs: set[Popen[bytes]] = set()
_placing = threading.Lock()
_placed = threading.Event()


def register(path: Path) -> None:
    """Has a file or folder removed if this process is cancelled."""
    _paths.add(path)


def finished(path: Path) -> None:
    """Keeps a file or folder even if this process is cancelled."""
    _paths.discard(path)


def remove(path: Path) -> None:
    """Removes a file or folder that may still be written to.

    It is renamed first: no other thread can then add files to it while it is being removed.
    """
    import shutil

    moved = path.with_name(f".{path.name.removeprefix('.')}.removed.partial")
    with suppress(OSError):
        path.rename(moved)
        moved.unlink() if moved.is_file() else shutil.rmtree(moved, ignore_errors=True)


@contextmanager
def written(path: Path, *, private: bool = False) -> Iterator[Path]:
    """A new file beside `path` that takes its place in the end; if writing fails or is cancelled, nothing changes.

    Only its owner can read it if it is `private`.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    register(part)
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666))
        yield part
        part.replace(path)
    except OSError as error:
        raise OutputError(f"'{path}' cannot be written: {error.strerror or 'unknown reason'}.") from None
    finally:
        part.unlink(missing_ok=True)
        finished(part)


@contextmanager
def program(command: Sequence[str]) -> Iterator[Popen[bytes]]:
    """Runs a program without input or output; it ends with all its processes, also if this process is cancelled."""
    import subprocess

    nowhere = subprocess.DEVNULL
    with _placing:  # a cancelled process starts nothing
        started = subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)
        _programs.add(started)
    try:
        yield started
    finally:
        _end(started)
        _programs.discard(started)


def _end(started: Popen[bytes]) -> None:
    """Kills the processes of a program, and waits for them: they must not write files any more."""
    if not hasattr(os, "killpg"):
        started.kill()
        return
    until = time.monotonic() + _LONGEST_END
    with suppress(OSError):  # none is left
        os.killpg(started.pid, signal.SIGKILL)
        while time.monotonic() < until:
            started.poll()
            os.killpg(started.pid, 0)
            time.sleep(0.01)


def remove_all() -> None:
    """Ends every program, and removes everything that is registered."""
    for started in list(_programs):
        _end(started)
    for path in list(_paths):
        remove(path)


def abandoned() -> bool:
    """Removes everything unfinished, for a process that ends now; False if a release is in place already.

    Afterwards, no release of this process can be put in place any more: the lock is kept.
    """
    _placing.acquire()
    if _placed.is_set():
        _placing.release()
        return False
    remove_all()
    return True


@contextmanager
def locked(folder: Path, *, wait: bool = True) -> Iterator[bool]:
    """Locks a folder against other processes, and yields whether it is locked; some systems cannot lock folders."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        yield _lock(descriptor, wait)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, wait: bool) -> bool:
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (ImportError, OSError):
        return False
    return True


@contextmanager
def placing() -> Iterator[None]:
    """A step that completes once it has begun: it cannot be cancelled, neither here nor by Ctrl-C in a notebook."""
    with _placing, uninterrupted() as interrupts:
        yield
        _placed.set()
    if interrupts:
        warnings.warn(TOO_LATE, stacklevel=3)


@contextmanager
def uninterrupted() -> Iterator[list[int]]:
    """Holds back Ctrl-C in the main thread, where signals are handled; yields the list of those that came."""
    usual, interrupts = signal.getsignal(signal.SIGINT), list[int]()
    if threading.current_thread() is not threading.main_thread() or usual is None:
        yield interrupts
        return

    def remember(number: int, _frame: Any) -> None:
        interrupts.append(number)

    signal.signal(signal.SIGINT, remember)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, usual)


def forget_parents() -> None:
    """In a forked process: what its parent has not finished is not this process's to remove."""
    _paths.clear()
    _programs.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_parents)
