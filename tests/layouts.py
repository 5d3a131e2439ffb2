"""The content of a release, whether its tables are files or folders of parts."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import polars as pl

HASHES = ("files", "digest")
"""What differs between releases of the same tables in files and in parts."""


def contents(folder: Path) -> dict[str, Any]:
    """Name of every file → its content; tables in parts as if they were one file, and the manifest without hashes."""
    found: dict[str, Any] = {}
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        place = path.parent if path.name.startswith("part-") else path.with_suffix("")
        found.setdefault(f"{place.relative_to(folder).as_posix()}{path.suffix}", []).append(path)
    return {name: _content(name, paths) for name, paths in found.items()}


def _content(name: str, paths: list[Path]) -> object:
    if name == "manifest.json":
        manifest = json.loads(paths[0].read_text(encoding="utf-8"))
        return {key: value for key, value in manifest.items() if key not in HASHES}
    if name.endswith(".parquet"):
        written = io.BytesIO()
        pl.concat([pl.read_parquet(path) for path in paths]).rechunk().write_parquet(written)
        return written.getvalue()
    first, *others = (path.read_bytes() for path in paths)
    return first + b"".join(other.split(b"\n", 1)[1] for other in others)
