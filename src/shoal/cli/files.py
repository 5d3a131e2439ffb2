"""Files of a command: an option of tables that it reads, and text files that it writes for the steward."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.errors import OutputError
from shoal.unfinished import finished, register

NoHeader = Annotated[bool, typer.Option("--no-header", help="DATA has no header line: name its columns column_1, ….")]


def check_free(path: Path, *, force: bool) -> None:
    """Refuses to replace an existing file without `force`: the steward may have edited it."""
    if path.exists() and not force:
        raise OutputError(f"'{path}' already exists.", hint="choose another name, or replace it with --force.")


def write_text(path: Path, text: str, *, force: bool = False) -> None:
    """Writes a file completely, or not at all if writing fails."""
    check_free(path, force=force)
    part = path.with_name(f".{path.name}.partial")
    register(part)
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        part.replace(path)
    except OSError as error:
        raise OutputError(f"'{path}' cannot be written: {error.strerror or 'unknown reason'}.") from None
    finally:
        part.unlink(missing_ok=True)
        finished(part)
