"""From which table a run was made: releases of different tables cannot be compared with each other."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.table import is_url
from shoal.table.catalog import read_by


@dataclass(frozen=True)
class Origin:
    """A table: what pages call it, and what tells it from all others."""

    name: str
    key: tuple[str, ...]


def origin_of(data: Mapping[str, Any], folder: Path) -> Origin:
    """The table that a plan's `data` names; paths are relative to the folder.

    >>> origin_of({"source": "uploads/../clinic.xlsx", "sheet": "2024"}, Path("/project"))
    Origin(name='clinic.xlsx (2024)', key=('/project/clinic.xlsx', '', '2024'))
    """
    source, query, sheet = (str(data.get(name) or "") for name in ("source", "query", "sheet"))
    if not source:
        return Origin("", ())
    table = read_by(query)
    name = Path(source).name if table is None else ".".join(table)
    place = source if is_url(source) else str((folder / source).resolve())
    return Origin(f"{name} ({sheet})" if sheet else name, (place, query, sheet))


def origin_in(plan: Path, folder: Path) -> Origin:
    """The table that a plan file names; one without a name if the file cannot be read."""
    try:
        data = tomllib.loads(plan.read_text(encoding="utf-8")).get("data")
    except (OSError, ValueError, RecursionError):
        data = None
    return origin_of(data if isinstance(data, Mapping) else {}, folder)
