"""The folders of a release: a public and a private one, which appear complete or not at all."""

from __future__ import annotations

import contextlib
import glob
import json
import math
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import OutputError
from shoal.manifest import MANIFEST, STEWARD
from shoal.plan import Plan
from shoal.release import journal
from shoal.release.ownership import files_in, require_spared, require_written
from shoal.unfinished import finished, locked, placing, register, uninterrupted
from shoal.verification.folder import private_folder

_TOKEN = 8
"""The number of hexadecimal digits in the name of a temporary folder."""


def check_free(folder: Path, force: bool) -> Path:
    """The absolute path of an output folder; refuses one that may not be written, before any work is done.

    Without `force`, the public and the private folder must be empty. With it, they may contain a release, but nothing
    else. What killed runs left behind is completed or removed first.
    """
    if "\0" in str(folder):
        raise OutputError("The name of the output folder contains a NUL character.")
    try:
        folder = folder.parent.resolve() / folder.name if folder.name not in ("", "..") else folder.resolve()
        _check_place(folder)
        with locked(folder.parent):
            _clear_left(folder)
        _check_content(folder, force)
    except OSError as error:
        raise OutputError(f"The release cannot be written to '{folder}' ({error.strerror}).") from None
    return folder


def _check_place(folder: Path) -> None:
    if Path.cwd().is_relative_to(folder):  # the working folder would be moved away
        raise OutputError(f"A release cannot replace '{folder}'.", hint="name a separate folder.")
    for place in (folder, private_folder(folder)):
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise OutputError(f"'{place}' exists and is not a folder.")
    parent = folder.parent
    if (parent / MANIFEST).is_file() or (parent / STEWARD).is_file():
        raise OutputError(f"'{folder}' lies inside a release.", hint="name a folder beside it.")
    if not parent.is_dir():
        raise OutputError(f"There is no folder '{parent}'.", hint="create it first.")
    if not os.access(parent, os.W_OK):
        raise OutputError(f"The folder '{parent}' is not writable.")


def _check_content(folder: Path, force: bool) -> None:
    for place in (folder, private_folder(folder)):
        if not force and place.exists() and any(place.iterdir()):
            raise OutputError(
                f"The folder '{place}' is not empty.",
                hint="choose another, or replace the release in it with --force (force=True).",
            )
    require_written(folder, private_folder(folder))


def check_spared(folder: Path, plan: Plan, plan_path: Path | None = None) -> None:
    """Refuses to replace a file that the run reads: the source, the plan, or a hierarchy."""
    require_spared((folder, private_folder(folder)), plan, plan_path)


def list_private_files(part: Path) -> None:
    """Lists the files of the private folder in its steward.json, by which a later run recognizes them."""
    steward = json.loads((part / STEWARD).read_text(encoding="utf-8"))
    write_json(part / STEWARD, {**steward, "files": sorted(files_in(part))})


def write_json(path: Path, value: Any) -> None:
    """Writes a value as JSON; equal values give equal bytes."""
    text = json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def plain(value: Any) -> Any:
    """The value in JSON types: numpy numbers become Python numbers, and non-finite ones null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value


@contextlib.contextmanager
def partial(folder: Path) -> Iterator[Path]:
    """A temporary folder of this run, next to the final one; it is always removed afterwards.

    Temporary folders that killed runs left behind are removed first.
    """
    part = folder.with_name(f".{folder.name}.{secrets.token_hex(_TOKEN // 2)}.partial")
    try:
        with contextlib.ExitStack() as cleanup:
            with locked(folder.parent):  # another run could take a folder that is not locked yet for a killed run's
                _remove_left(folder)
                cleanup.callback(_discard, part)  # before it is made: Ctrl-C may come in between
                register(part)
                part.mkdir(mode=0o700)
                cleanup.enter_context(locked(part))
            yield part
    except OSError as error:
        reason = error.strerror or "the operating system gave no reason"
        raise OutputError(
            f"The release cannot be written to '{folder}' ({reason}).",
            allowed="No files were left behind.",
        ) from None


def _discard(part: Path) -> None:
    with uninterrupted():  # a second Ctrl-C must not interrupt the cleanup
        if not journal.is_needed(part):
            shutil.rmtree(part, ignore_errors=True)
        finished(part)


def _clear_left(folder: Path) -> None:
    """Completes or removes what killed runs left behind; the folder that contains `folder` is locked."""
    journal.complete(folder, check=lambda: require_written(folder, private_folder(folder)))
    for place in (folder, private_folder(folder)):
        _remove_left(place)


def _remove_left(folder: Path) -> None:
    """Removes the partial folders of killed runs: those that no run has locked."""
    name = f".{glob.escape(folder.name)}.{'[0-9a-f]' * _TOKEN}.partial"
    for part in [*folder.parent.glob(name), *folder.parent.glob(f"{name}.removed.partial")]:
        if part.is_symlink() or not part.is_dir() or journal.is_needed(part):
            continue
        with contextlib.suppress(OSError), locked(part, wait=False) as free:
            if free:
                shutil.rmtree(part, ignore_errors=True)


def put_in_place(places: Mapping[Path, Path], folder: Path, force: bool) -> None:
    """Renames the finished folders to their final names, all or none.

    Another run may have written the folder in the meantime, so it is checked again. Only one run does this at a time.
    Once it has begun, it cannot be cancelled.
    """
    with locked(folder.parent):
        _check_place(folder)
        _clear_left(folder)
        _check_content(folder, force)
        with placing():
            journal.replace(places, folder)
