"""Choosing the engine for a source: `local` if the table fits in memory, else `stream`."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import polars as pl

from shoal.errors import PlanError, did_you_mean
from shoal.plan import Plan
from shoal.table.batches import KNOWN, files_of
from shoal.table.files import DELIMITED, PARQUET, is_url

KINDS = ("local", "stream", "spark")
MOST_OF_MEMORY = 0.5
"""The share of the memory of the machine that a table may need in the local engine, if the engine is not named."""
_TIMES_TEXT = 5
"""Bytes of memory that the local engine needs for every byte of a text table."""
_BYTES_A_CELL = 40
"""Bytes of memory that the local engine needs for every cell of a Parquet or Arrow file."""
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def chosen_engine(plan: Plan, kind: str | None) -> str:
    """The kind of engine that is named, or the one that fits the source of the plan."""
    require_kind(kind)
    if kind == "stream" and plan.data.source is not None and is_url(plan.data.source):
        raise PlanError(
            "The stream engine reads files, and the source of the plan is a database.",
            hint="omit --engine stream, or export the table as Parquet.",
        )
    return kind or ("stream" if _needs_stream(plan.data.source) else "local")


def require_kind(kind: str | None) -> None:
    """Raises unless there is an engine of this kind, if one is named."""
    if kind is not None and kind not in KINDS:
        raise PlanError(
            f"There is no engine '{kind}'.", allowed=f"Engines are {', '.join(KINDS)}.", hint=did_you_mean(kind, KINDS)
        )


def _needs_stream(source: str | None) -> bool:
    """Whether a source is a folder, or a file that needs more than a share of the memory in the local engine."""
    if source is None or is_url(source) or "\x00" in source:
        return False
    path = Path(source)
    if path.is_dir():
        return True
    if not path.is_file() or path.suffix.lower() not in KNOWN:
        return False
    return needed_bytes(path) > MOST_OF_MEMORY * memory()


def needed_bytes(source: Path) -> int:
    """About how many bytes of memory the local engine needs for a table."""
    return sum(_needed_bytes(file) for file in files_of(source))


def _needed_bytes(file: Path) -> int:
    is_text = file.suffix.lower() in DELIMITED
    return _TIMES_TEXT * file.stat().st_size if is_text else _BYTES_A_CELL * _cells(file)


def _cells(path: Path) -> int:
    """The number of cells of a Parquet or Arrow file; 0 if it cannot be read, which its reader will explain."""
    with contextlib.suppress(pl.exceptions.PolarsError, OSError):
        scanned = pl.scan_parquet(path, glob=False) if path.suffix.lower() in PARQUET else pl.scan_ipc(path, glob=False)
        return int(scanned.select(pl.len()).collect().item()) * len(scanned.collect_schema())
    return 0


def memory() -> int:
    """The bytes of memory that this process may use: those of the machine, or of its container."""
    limits = [_physical()]
    for path in _LIMITS:
        with contextlib.suppress(OSError, ValueError):
            limits.append(int(path.read_text(encoding="ascii")))
    return min(limits)


def _physical() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30  # where the system does not tell, that of a small machine
