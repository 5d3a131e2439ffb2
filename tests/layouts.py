"""The content of a release, whether its tables are files or folders of parts."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import polars as pl

HASHES = ("files", "digest")
"""What differs between releases of the same tables in files and in parts."""
_TABLES = re.compile(r"datapackage\.json$|.+/part-\d+\.\w+$|[\w-]+\.(csv|tsv|parquet|arrow)$")
"""Files that differ, or whose hash does: the tables, and the data package, which has their hashes."""


def contents(folder: Path) -> dict[str, Any]:
    """Name of every file → its content; tables in parts as if they were one file, and no hashes and sizes."""
    found: dict[str, Any] = {}
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        place = path.parent if path.name.startswith("part-") else path.with_suffix("")
        found.setdefault(f"{place.relative_to(folder).as_posix()}{path.suffix}", []).append(path)
    return {name: _content(name, paths) for name, paths in found.items()}


def _content(name: str, paths: list[Path]) -> object:
    if name == "manifest.json":
        manifest = json.loads(paths[0].read_text(encoding="utf-8"))
        return {key: value for key, value in manifest.items() if key not in HASHES}
    if name == "datapackage.json":
        package = json.loads(paths[0].read_text(encoding="utf-8"))
        for resource in package["resources"]:
            for key in ("path", "bytes", "hash"):
                resource.pop(key, None)
        return package
    if name == "report.json":
        return _without_hashes_of_tables(json.loads(paths[0].read_text(encoding="utf-8")))
    if name == "report.html":  # made from report.json; only the section of hashes differs
        return re.sub(
            r'<section[^>]* aria-labelledby="files">.*?</section>', "", paths[0].read_text(encoding="utf-8"), flags=re.S
        )
    if name.endswith(".parquet"):
        written = io.BytesIO()
        pl.concat([pl.read_parquet(path) for path in paths]).rechunk().write_parquet(written)
        return written.getvalue()
    first, *others = (path.read_bytes() for path in paths)
    return first + b"".join(other.split(b"\n", 1)[1] for other in others)


def _without_hashes_of_tables(report: dict[str, Any]) -> dict[str, Any]:
    """A report whose section of hashes lists only files that are the same in both layouts."""
    for section in report["sections"]:
        if section["key"] == "files":
            listed = section["blocks"][0]
            assert listed["block"] == "table"
            listed["rows"] = [row for row in listed["rows"] if not _TABLES.match(row[0])]
    return report
