"""Groups of values that a steward makes: every version is a file of its own, which is never changed.

A run names the file of its groups, so that its plan makes the same release after the groups were edited.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from shoal import hierarchies
from shoal.hierarchies import Hierarchy

FOLDER = "hierarchies"
_DIGITS = 16
_VERSION = re.compile(rf".*-[0-9a-f]{{6}}-[0-9a-f]{{{_DIGITS}}}\.csv")


def keep(built: Hierarchy, column: str, project: Path, scratch: Path) -> str:
    """Writes the groups of a column, unless there is a file with the same ones; its path, relative to the project."""
    part = scratch / f"{secrets.token_hex(8)}.csv"
    try:
        hierarchies.write(built, part)
        part.chmod(0o600)
        digest = hashlib.sha256(part.read_bytes()).hexdigest()[:_DIGITS]
        place = project / FOLDER / f"{_stem(column)}-{digest}.csv"
        place.parent.mkdir(mode=0o700, exist_ok=True)
        if not place.is_file():
            part.replace(place)
    finally:
        part.unlink(missing_ok=True)
    return place.relative_to(project).as_posix()


def is_of(column: str, path: object) -> bool:
    """Whether a path, relative to the project, is that of groups of this column; earlier versions had no digest."""
    known = re.escape(f"{FOLDER}/{_stem(column)}")
    return isinstance(path, str) and re.fullmatch(rf"{known}(-[0-9a-f]{{{_DIGITS}}})?\.csv", path) is not None


def first_of(column: str) -> str:
    """The path of the groups of a column in a project of an earlier version."""
    return f"{FOLDER}/{_stem(column)}.csv"


def remove_unused(project: Path, used: Iterable[str]) -> None:
    """Removes the files of groups whose names are not among these; all other files stay."""
    folder, names = project / FOLDER, set(used)
    if folder.is_symlink() or not folder.is_dir():
        return
    for path in folder.iterdir():
        if _VERSION.fullmatch(path.name) and path.name not in names and path.is_file() and not path.is_symlink():
            path.unlink()


def names_in(plan_text: str) -> set[str]:
    """The names of all files and folders in the text of a plan, which need not be valid.

    >>> sorted(names_in('path = "/p/hierarchies/job.csv"') & {"job.csv", "b.csv"})
    ['job.csv']
    """
    return set(re.split(r"""["'/\\]""", plan_text))


@lru_cache(maxsize=1000)
def _stem(column: str) -> str:
    """How the names of the files of a column begin; columns of similar names have files of their own."""
    plain = re.sub(r"[^a-z0-9]+", "-", column.lower()).strip("-")[:40]
    return f"{plain}-{hashlib.sha256(column.encode()).hexdigest()[:6]}"
