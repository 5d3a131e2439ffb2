"""Files and folders that are not finished yet: what a cancelled process removes, and when it is too late to cancel.

A process is cancelled by a thread that ends it (`shoal.cli.interrupts`), because the work may be inside compiled code.
That thread needs to know what to remove, and whether a release is being put in place.
"""

from __future__ import annotations

import os
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

TOO_LATE = "The release was already being put in place: it was completed, not cancelled."

_paths: set[Path] = set()
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


def remove_all() -> None:
    """Removes everything that is registered."""
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


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_parents)
