"""Replacing folders together: after a kill at any moment, the next run completes the replacement.

The new folders are complete before a journal is written next to them. From then on, the replacement is only a sequence
of renames, which `complete` continues wherever it stopped.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from shoal.errors import OutputError


class Move(NamedTuple):
    """A complete new folder, the name that it gets, and the name that the folder in its place gets."""

    part: Path
    folder: Path
    old: Path


def replace(places: Mapping[Path, Path], folder: Path) -> None:
    """Renames finished folders to their final names, all or none; what was there is removed."""
    moves = [Move(part, final, part.with_suffix(".replaced")) for part, final in places.items()]
    journal = _journal(folder)
    _write(journal, moves)
    _rename_all(moves, journal)
    _clear(moves, journal)


def _rename_all(moves: Sequence[Move], journal: Path) -> None:
    undo: list[Callable[[], object]] = [journal.unlink]
    try:
        for part, folder, old in moves:
            if folder.exists():
                folder.rename(old)
                undo.append(lambda old=old, folder=folder: old.rename(folder))  # type: ignore[misc]
            part.rename(folder)
            undo.append(lambda part=part, folder=folder: folder.rename(part))  # type: ignore[misc]
    except BaseException:
        for step in reversed(undo):  # if a step fails, the journal remains, and the next run completes the renames
            step()
        raise


def complete(folder: Path, check: Callable[[], None]) -> None:
    """Completes a replacement that a killed run began; `check` raises if the folders may no longer be replaced."""
    journal = _journal(folder)
    _draft(journal).unlink(missing_ok=True)
    if not journal.is_file():
        return
    moves = _read(journal, folder.parent)
    if any(move.part.exists() and move.folder.exists() for move in moves):
        check()
    for part, final, old in moves:
        if not part.exists():
            continue  # it is in place already
        if final.exists():
            final.rmdir() if old.exists() else final.rename(old)
        part.rename(final)
    _clear(moves, journal)


def is_needed(part: Path) -> bool:
    """Whether a journal names this folder, so that only `complete` may move it."""
    return any(part in _names(journal) for journal in part.parent.glob(".*.replacing"))


def _clear(moves: Sequence[Move], journal: Path) -> None:
    """Removes the replaced folders, then the journal: after a kill in between, they are removed by the next run."""
    for move in moves:
        shutil.rmtree(move.old, ignore_errors=True)
    journal.unlink(missing_ok=True)


def _journal(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.replacing")


def _draft(journal: Path) -> Path:
    return journal.with_name(f"{journal.name}.partial")


def _write(journal: Path, moves: Sequence[Move]) -> None:
    """Writes the journal at once: it is complete, or not there."""
    names = [[path.name for path in move] for move in moves]
    _draft(journal).write_text(json.dumps(names), encoding="utf-8")
    _draft(journal).replace(journal)


def _read(journal: Path, parent: Path) -> list[Move]:
    try:
        names = json.loads(journal.read_text(encoding="utf-8"))
        moves = [Move(*(parent / name for name in move)) for move in names]
    except (OSError, ValueError, TypeError):
        moves = []
    if not moves or any(path.parent != parent or path.name in ("", "..") for move in moves for path in move):
        raise OutputError(f"'{journal}' was not written by Shoal.", hint="move it away.")
    return moves


def _names(journal: Path) -> set[Path]:
    try:
        return {path for move in _read(journal, journal.parent) for path in move}
    except OutputError:
        return set()
