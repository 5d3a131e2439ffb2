"""The files that a plan names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from shoal.hierarchies import File
from shoal.plan.plan import Plan
from shoal.table import is_url, sqlite_path


def files_read_by(plan: Plan) -> Iterator[tuple[str, Path]]:
    """The files that a plan names, each with what it is."""
    source = plan.data.source
    if source is not None:
        path = sqlite_path(source) if is_url(source) else Path(source)
        yield from [] if path is None else [("source table", path)]
    for name, column in plan.columns.items():
        if isinstance(column.hierarchy, File):
            yield f"hierarchy of column '{name}'", Path(column.hierarchy.path)
        if column.knowledge is not None:
            yield f"knowledge of column '{name}'", Path(column.knowledge)
