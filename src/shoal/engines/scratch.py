"""Private folders for the columns of a table that does not fit in memory: readable by one user, and always removed."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from shoal.errors import OutputError
from shoal.unfinished import finished, locked, register, uninterrupted

_NAME = "shoal-stream"
_DIGITS = "[0-9a-f]" * 16
_TRIES = 20


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder of this process inside the system's temporary folder, with the permissions 0700.

    It is removed on success, on failure and when the process is cancelled. What killed processes left behind is
    removed first.
    """
    _require_named_place()
    parent = Path(tempfile.gettempdir())
    _remove_left(parent)
    with contextlib.ExitStack() as cleanup:
        for _ in range(_TRIES):
            folder = parent / f".{_NAME}.{secrets.token_hex(8)}.partial"
            cleanup.callback(_discard, folder)  # before it is made: Ctrl-C may come in between
            register(folder)
            with explained(), contextlib.suppress(FileNotFoundError):
                folder.mkdir(mode=0o700)
                cleanup.enter_context(locked(folder))
            if folder.is_dir():  # another process may take a folder that is not locked yet for one left behind
                break
        else:
            raise OutputError(f"No temporary folder could be made in '{parent}'.", hint="try again.")
        yield folder


def _require_named_place() -> None:
    """Raises if TMPDIR names no folder: Python would take another one, which may lie in memory."""
    named = os.environ.get("TMPDIR")
    if named and not Path(named).is_dir():
        raise OutputError(
            f"The environment variable TMPDIR names '{named}', which is no folder.", hint="create it, or name another."
        )


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """Explains what to do if a temporary file cannot be written."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or "the operating system gave no reason"
        raise OutputError(
            f"The table cannot be stored in the temporary folder '{tempfile.gettempdir()}' ({reason}).",
            hint="name a folder with enough free space in the environment variable TMPDIR.",
        ) from None


def _discard(folder: Path) -> None:
    with uninterrupted():  # a second Ctrl-C must not interrupt the cleanup
        shutil.rmtree(folder, ignore_errors=True)
        finished(folder)


def _remove_left(parent: Path) -> None:
    """Removes the folders of killed processes of this user: those that no process has locked."""
    name = f".{_NAME}.{_DIGITS}.partial"
    for folder in [*parent.glob(name), *parent.glob(f"{name}.removed.partial")]:
        with contextlib.suppress(OSError):
            if folder.is_symlink() or not folder.is_dir() or folder.stat().st_uid != os.getuid():
                continue
            with locked(folder, wait=False) as free:
                if free:
                    shutil.rmtree(folder, ignore_errors=True)
