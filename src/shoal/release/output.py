"""The folders of a release: a public and a private one, which appear complete or not at all."""

from __future__ import annotations

import contextlib
import glob
import json
import math
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import OutputError


def private_folder(folder: Path) -> Path:
    """The private folder of the steward, next to the published folder."""
    return folder.with_name(folder.name + ".private")


def check_free(folder: Path, force: bool) -> Path:
    """The absolute path of an output folder; refuses a non-empty one without `force`, before any work is done."""
    if "\0" in str(folder):
        raise OutputError("The name of the output folder contains a NUL character.")
    try:
        folder = folder.parent.resolve() / folder.name if folder.name not in ("", "..") else folder.resolve()
        _check_free(folder, force)
    except OSError as error:
        raise OutputError(f"The release cannot be written to '{folder}' ({error.strerror}).") from None
    return folder


def _check_free(folder: Path, force: bool) -> None:
    if Path.cwd().is_relative_to(folder):  # the working folder would be moved away
        raise OutputError(f"A release cannot replace '{folder}'.", hint="name a separate folder.")
    for place in (folder, private_folder(folder)):
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise OutputError(f"'{place}' exists and is not a folder.")
        if not force and place.exists() and any(place.iterdir()):
            raise OutputError(
                f"The folder '{place}' is not empty.", hint="choose another, or replace it with --force (force=True)."
            )
    parent = folder.parent
    if not parent.is_dir():
        raise OutputError(f"There is no folder '{parent}'.", hint="create it first.")
    if not os.access(parent, os.W_OK):
        raise OutputError(f"The folder '{parent}' is not writable.")


def write_json(path: Path, value: Any) -> None:
    """Writes a value as JSON; equal values give equal bytes."""
    text = json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def _plain(value: Any) -> Any:
    """The value in JSON types: numpy numbers become Python numbers, and non-finite ones null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value


@contextlib.contextmanager
def partial(folder: Path) -> Iterator[Path]:
    """A temporary folder of this run, next to the final one; it is always removed afterwards.

    Temporary folders that killed runs left behind are removed first.
    """
    try:
        with contextlib.ExitStack() as cleanup:
            with _locked(folder.parent):  # another run could take a folder that is not locked yet for a killed run's
                _clear_left(folder)
                part = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".partial", dir=folder.parent))
                cleanup.callback(shutil.rmtree, part, ignore_errors=True)
                cleanup.enter_context(_locked(part))
            yield part
    except OSError as error:
        raise OutputError(
            f"The release cannot be written to '{folder}' ({error.strerror or type(error).__name__}).",
            allowed="No files were left behind.",
        ) from None


def _clear_left(folder: Path) -> None:
    """Removes the partial folders of killed runs: those that no run has locked."""
    for part in folder.parent.glob(f".{glob.escape(folder.name)}.*.partial"):
        with contextlib.suppress(OSError), _locked(part, wait=False) as locked:
            if locked:
                shutil.rmtree(part, ignore_errors=True)


@contextlib.contextmanager
def _locked(folder: Path, *, wait: bool = True) -> Iterator[bool]:
    """Locks a folder against other runs, and yields whether it is locked; some systems cannot lock folders."""
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


def put_in_place(places: Mapping[Path, Path], folder: Path, force: bool) -> None:
    """Renames the finished folders to their final names, all or none.

    Another run may have written the folder in the meantime, so it is checked again. Replaced folders are removed once
    all new ones are in place. Only one run does this at a time.
    """
    with _locked(folder.parent):
        check_free(folder, force)
        _rename_all(places)


def _rename_all(places: Mapping[Path, Path]) -> None:
    with contextlib.ExitStack() as undo:
        for part, folder in places.items():
            old = _replaced(folder)
            shutil.rmtree(old, ignore_errors=True)
            if folder.exists():
                folder.rename(old)
                undo.callback(old.rename, folder)
            part.rename(folder)
            undo.callback(folder.rename, part)
        undo.pop_all()
    for folder in places.values():
        shutil.rmtree(_replaced(folder), ignore_errors=True)


def _replaced(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.replaced")
