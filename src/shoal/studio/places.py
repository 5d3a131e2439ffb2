"""Which paths a visitor may name: those in folders that the person who started the studio chose."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import ShoalError
from shoal.plan import Plan
from shoal.studio.problems import Refused
from shoal.studio.project import SCRATCH
from shoal.table import is_url


@dataclass(frozen=True)
class Places:
    """The folders in which files may be read: `home`, that of the project, and those that were allowed.

    Links are followed before a path is judged, so that a link cannot lead out of a folder.
    """

    home: Path
    allowed: tuple[Path, ...] = ()

    @classmethod
    def of(cls, home: Path, allowed: Iterable[Path] = ()) -> Places:
        """The places with all links resolved; raises unless they are folders."""
        folders = []
        for folder in allowed:
            if not folder.is_dir():
                raise ShoalError(f"--allow names '{folder}', which is not a folder.")
            folders.append(folder.resolve())
        return cls(home.resolve(), tuple(dict.fromkeys(folders)))

    @property
    def roots(self) -> tuple[Path, ...]:
        """All folders in which files may be read."""
        return (self.home, *self.allowed)

    def resolved(self, path: str | Path) -> Path:
        """The real path that a path names, relative to the project; raises if it is outside all folders.

        The error is the same for files that exist and files that do not, and does not repeat the path.
        """
        text = str(path)
        if is_url(text):
            raise Refused(
                "A file is needed here, not a database.",
                hint="name a file in an allowed folder.",
            )
        if not text or "\0" in text:
            raise Refused("The path is empty, or contains a NUL character.")
        place = self._open(self.home / text)
        if place is None:
            raise self._refusal()
        return place

    def inside(self, path: Path) -> Path:
        """The real path of a file that the studio itself names; raises if it is outside all folders."""
        place = self._inside(path)
        if place is None:
            raise self._refusal()
        return place

    def existing(self, path: str | Path) -> Path:
        """The real path of a file or folder that exists; also files in a folder may not be links that lead out."""
        place = self.resolved(path)
        if not _exists(place):
            raise ShoalError(f"There is no file or folder '{place.name[:100]}'.", hint="check the name.")
        for parent, folders, files in os.walk(place):
            for name in (*folders, *files):
                inner = Path(parent) / name
                if inner.is_symlink() and self._open(inner) is None:
                    raise self._refusal()
        return place

    def require_plan(self, plan: Plan) -> None:
        """Raises unless every file that a plan reads is in the folders; `Databases` judges other sources."""
        if plan.data.source is not None and not is_url(plan.data.source):
            self.existing(plan.data.source)
        self.require_files(plan)

    def require_files(self, plan: Plan) -> None:
        """Raises unless every file that a plan names would be in the folders, whether it exists or not."""
        from shoal.plan.files import files_read_by  # imported late: the first page does not wait for it

        for _, path in files_read_by(plan):
            self.resolved(path)

    def listed(self, folder: str | Path) -> Iterator[Path]:
        """The files and folders in a folder, without hidden ones, folders first; for choosing a file."""
        place = self.resolved(folder)
        if not _exists(place) or not place.is_dir():
            raise ShoalError("There is no such folder.")
        try:
            inside = [path for path in place.iterdir() if not path.name.startswith(".")]
            readable = [path for path in inside if self._open(path) is not None]
            yield from sorted(readable, key=lambda path: (not path.is_dir(), path.name.lower()))
        except OSError:
            raise ShoalError("The folder cannot be read.") from None

    def _inside(self, path: Path) -> Path | None:
        """The real path, if it is inside the folders."""
        try:
            place = path.resolve()
        except (OSError, RuntimeError, ValueError):  # a loop of links, for example
            return None
        return place if any(place.is_relative_to(root) for root in self.roots) else None

    def _open(self, path: Path) -> Path | None:
        """The real path, if it is inside the folders and open to visitors, unlike the temporary files of a studio."""
        place = self._inside(path)
        if place is None:
            return None
        if place.is_relative_to(self.home) and _is_hidden(place.relative_to(self.home)):
            return None
        inner = [place.relative_to(root) for root in self.roots if place.is_relative_to(root)]
        return None if all(map(_is_scratch, inner)) else place

    def _refusal(self) -> Refused:
        return Refused(
            "The path is outside the folders that the studio may read.",
            allowed=f"Allowed: {', '.join(str(root) for root in self.roots)}.",
            hint="start the studio with --allow and the folder of your data.",
        )


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _is_scratch(path: Path) -> bool:
    """Whether a path leads to the temporary files of a project: the token of its studio, and what jobs found."""
    return any(part.lower() == SCRATCH for part in path.parts)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that is too long
        return False
