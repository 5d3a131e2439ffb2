"""Files of a command: an option of tables that it reads, and text files that it writes for the steward."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.errors import OutputError
from shoal.unfinished import written

if TYPE_CHECKING:
    from shoal.plan import Plan

NoHeader = Annotated[bool, typer.Option("--no-header", help="DATA has no header line: name its columns column_1, ….")]


def check_free(path: Path, *, force: bool, ending: str = "", reads: Iterable[str | Path | None] = ()) -> None:
    """Refuses a file that cannot or may not be written, before any work is done.

    It may not lie inside a release, have another `ending`, be one of the files that the command `reads`, or exist
    without `force`: the steward may have edited it.
    """
    from shoal.manifest import require_outside_releases

    require_outside_releases(path)
    if ending and path.suffix.lower() != ending:
        raise OutputError(f"'{path}' names another format.", allowed=f"Its name ends in {ending}.")
    require_unread(path, reads)
    _require_place(path)
    if path.exists() and not force:
        raise OutputError(f"'{path}' already exists.", hint="choose another name, or replace it with --force.")


def require_unread(path: Path, reads: Iterable[str | Path | None]) -> None:
    """Refuses to replace a file that the command reads, or one in a folder of such files, also by a link to it."""
    for read in reads:
        if read is not None and _is_in(path, Path(read)):
            raise OutputError(f"'{path}' is read by this command.", hint="choose another name.")


def require_unread_by(path: Path, plan: Plan) -> None:
    """Refuses to replace a file that a plan names: its source, a hierarchy or a knowledge table."""
    from shoal.plan.files import files_read_by

    require_unread(path, (each for _, each in files_read_by(plan)))


def _is_in(path: Path, read: Path) -> bool:
    if path.exists() and read.exists() and path.samefile(read):
        return True
    return path.resolve().is_relative_to(read.resolve())


def _require_place(path: Path) -> None:
    """Refuses a file in a folder that does not exist or is not writable, and a folder instead of a file."""
    folder = path.parent
    if not folder.is_dir():
        raise OutputError(f"'{path}' cannot be written: there is no folder '{folder}'.", hint="create it first.")
    if not os.access(folder, os.W_OK):
        raise OutputError(f"'{path}' cannot be written: the folder '{folder}' is not writable.")
    if path.is_dir():
        raise OutputError(f"'{path}' cannot be written: it is a folder.", hint="name a file in it.")


def write_text(path: Path, text: str, *, force: bool = False, private: bool = False) -> None:
    """Writes a file completely, or not at all if writing fails; only its owner can read it if it is `private`."""
    check_free(path, force=force)
    with written(path, private=private) as part:
        part.write_text(text, encoding="utf-8", newline="\n")
