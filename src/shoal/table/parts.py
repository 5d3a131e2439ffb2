"""Tables as folders of parts: files of a fixed number of rows, each with the names of the columns, in global order."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

from shoal.table.files import write_runs
from shoal.table.runs import Runs

ROWS = 1_000_000
"""The number of rows of every part but the last: a constant, so that the parts are a function of the table."""
FORMATS = ("csv", "parquet")
"""The formats of which a table can have parts; a table in another format is always one file."""
_AT_ONCE = 4
"""Parts that are written at the same time."""


def part_name(number: int, format: str) -> str:
    """The file name of a part.

    >>> part_name(12, "csv")
    'part-00012.csv'
    """
    return f"part-{number:05d}.{format}"


def is_part(name: str, format: str) -> bool:
    """Whether a file has the name of a part, whatever its number."""
    return re.fullmatch(rf"part-[0-9]{{5,}}\.{re.escape(format)}", name) is not None


def part_names(files: Iterable[str], format: str) -> list[str]:
    """The names that parts must have if as many of the files are named like parts."""
    return [part_name(number, format) for number in range(sum(is_part(name, format) for name in files))]


def write_parts(runs: Runs, folder: Path, format: str) -> None:
    """Writes a table as the parts of a new folder, several at once; a table without rows is one part without rows."""
    folder.mkdir()
    parts = chain(runs.parts(ROWS), [] if runs.height else [runs])
    with ThreadPoolExecutor(min(_AT_ONCE, os.cpu_count() or 1)) as pool:  # polars releases the interpreter lock
        written = [
            pool.submit(write_runs, part, folder / part_name(number, format), format)
            for number, part in enumerate(parts)
        ]
        for each in written:
            each.result()
