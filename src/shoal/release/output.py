"""Where a release is written: two folders, the second the steward's alone, that appear whole or not at all."""

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
    """Where what only the steward may see goes, beside the folder that is published."""
    return folder.with_name(folder.name + ".private")


def check_free(folder: Path, force: bool) -> Path:
    """The folder's full path; refuses one that holds something, unless it may be replaced, before any work is done."""
    if "\0" in str(folder):
        raise OutputError("The name of the folder to write to holds a NUL character.")
    try:
        folder = folder.parent.resolve() / folder.name if folder.name not in ("", "..") else folder.resolve()
        _check_free(folder, force)
    except OSError as error:
        raise OutputError(f"The release cannot be written to '{folder}' ({error.strerror}).") from None
    return folder


def _check_free(folder: Path, force: bool) -> None:
    if Path.cwd().is_relative_to(folder):  # it would be moved away with all it holds
        raise OutputError(f"The release cannot take the place of '{folder}'.", hint="name a folder of its own.")
    for place in (folder, private_folder(folder)):
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise OutputError(f"'{place}' exists and is not a folder.")
        if not force and place.exists() and any(place.iterdir()):
            raise OutputError(
                f"The folder '{place}' is not empty.", hint="choose another, or replace it: --force, or force=True."
            )
    parent = folder.parent
    if not parent.is_dir():
        raise OutputError(f"There is no folder '{parent}' to write into.", hint="create it first.")
    if not os.access(parent, os.W_OK):
        raise OutputError(f"The folder '{parent}' cannot be written to.")


def write_json(path: Path, value: Any) -> None:
    """Writes a value as JSON, always the same way."""
    text = json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def _plain(value: Any) -> Any:
    """The value in JSON's own kinds: numpy's numbers as Python's, and null for what is no number."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value


@contextlib.contextmanager
def partial(folder: Path) -> Iterator[Path]:
    """A folder beside the real one to write into, this run's alone; gone afterwards whatever happens, as is what a
    killed run left."""
    try:
        _clear_left(folder)
        part = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".partial", dir=folder.parent))
        with contextlib.ExitStack() as afterwards:
            afterwards.callback(shutil.rmtree, part, ignore_errors=True)
            afterwards.enter_context(_held(part))
            yield part
    except OSError as error:
        raise OutputError(
            f"The release cannot be written to '{folder}' ({error.strerror or type(error).__name__}).",
            allowed="Nothing was left behind.",
        ) from None


def _clear_left(folder: Path) -> None:
    """Removes what killed runs left: partial folders that nobody holds."""
    for part in folder.parent.glob(f".{glob.escape(folder.name)}.*.partial"):
        with contextlib.suppress(OSError), _held(part, wait=False) as held:
            if held:
                shutil.rmtree(part, ignore_errors=True)


@contextlib.contextmanager
def _held(folder: Path, *, wait: bool = True) -> Iterator[bool]:
    """Holds a folder against other runs, as long as this one lives; tells whether it does. Some systems cannot."""
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
    """Renames finished folders to their names, all or none, unless another run was there first; what was replaced goes
    once everything is in place. One run at a time."""
    with _held(folder.parent):
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
