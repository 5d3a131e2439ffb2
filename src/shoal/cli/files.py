"""Files of a command: an option of tables that it reads, and text files that it writes for the steward."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.errors import OutputError
from shoal.unfinished import written

NoHeader = Annotated[bool, typer.Option("--no-header", help="DATA has no header line: name its columns column_1, ….")]


def check_free(path: Path, *, force: bool) -> None:
    """Refuses a file inside a release, and to replace one without `force`: the steward may have edited it."""
    from shoal.manifest import require_outside_releases

    require_outside_releases(path)
    if path.exists() and not force:
        raise OutputError(f"'{path}' already exists.", hint="choose another name, or replace it with --force.")


def write_text(path: Path, text: str, *, force: bool = False) -> None:
    """Writes a file completely, or not at all if writing fails."""
    check_free(path, force=force)
    with written(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")
