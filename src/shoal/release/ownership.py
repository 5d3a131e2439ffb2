"""What a run may replace: folders in which a release wrote every file, and no file that the run itself reads."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from shoal.errors import OutputError
from shoal.manifest import MANIFEST, STEWARD
from shoal.plan import Plan
from shoal.plan.files import files_read_by
from shoal.verification.folder import PLAN


def require_written(public: Path, private: Path) -> None:
    """Raises unless a release wrote every file in its public and its private folder."""
    for place, written in ((public, _public_files), (private, _private_files)):
        foreign = len(files_in(place) - written(place))
        if foreign:
            files = "1 file" if foreign == 1 else f"{foreign:,} files"
            raise OutputError(
                f"The folder '{place}' contains {files} that no release wrote.",
                allowed="Only a release can be replaced.",
                hint="choose another folder, or move these files away.",
            )


def require_spared(replaced_folders: Sequence[Path], plan: Plan, plan_path: Path | None) -> None:
    """Raises if a run would replace a file that it reads: the source, the plan, or a hierarchy.

    Even a release may contain such a file: its plan, for example.
    """
    plans = [] if plan_path is None else [("plan", plan_path)]
    for kind, path in (*files_read_by(plan), *plans):
        for replaced in replaced_folders:
            if _is_in(path, replaced):
                raise OutputError(
                    f"The release would replace '{replaced}', which contains the {kind}.",
                    hint="name a separate folder for the release.",
                )


def _is_in(path: Path, folder: Path) -> bool:
    """Whether a file, or the link that leads to it, is in a folder."""
    inside = folder.resolve()
    return any(place.is_relative_to(inside) for place in (path.resolve(), path.parent.resolve() / path.name))


def files_in(folder: Path) -> set[str]:
    """Every file below a folder; links count as files."""
    found = set()
    for parent, folders, files in os.walk(folder):
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        found |= {(Path(parent) / name).relative_to(folder).as_posix() for name in (*files, *links)}
    return found


def _public_files(folder: Path) -> set[str]:
    manifest = _read_object(folder / MANIFEST)
    files = manifest.get("files")
    if "shoal_version" not in manifest or not isinstance(files, dict):
        return set()
    return _regular(folder, (*files, MANIFEST))


def _private_files(folder: Path) -> set[str]:
    """The files that steward.json lists; without a list, it is of a version that wrote two files."""
    steward = _read_object(folder / STEWARD)
    files = steward.get("files", [STEWARD, PLAN])
    if "digest" not in steward or not isinstance(files, list):
        return set()
    return _regular(folder, files)


def _regular(folder: Path, names: Iterable[Any]) -> set[str]:
    """Those names that are regular files: a release writes no links."""
    texts = [name for name in names if isinstance(name, str) and "\0" not in name]
    return {name for name in texts if (folder / name).is_file() and not (folder / name).is_symlink()}


def _read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file; empty if there is none."""
    try:
        value = json.loads(path.read_text(encoding="utf-8")) if path.is_file() and not path.is_symlink() else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
