"""Tables read batch by batch, with the rules of `read`: for files, and folders of files, that do not fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import TableError
from shoal.table import archives
from shoal.table.columns import check_names
from shoal.table.delimited import Layout, layout_of, parsed
from shoal.table.files import (
    ARROW,
    DAMAGE,
    DELIMITED,
    PARQUET,
    TABBED,
    check_file,
    is_url,
    refuse_text_options,
    unreadable,
)
from shoal.table.header import refuse_absent
from shoal.table.records import complete_records
from shoal.table.text import Text, only_utf8, opened

KNOWN = (*DELIMITED, *PARQUET, *ARROW)
_ROWS = 1 << 20
"""Rows of a batch."""
_BYTES = 1 << 26
"""Bytes of text that are parsed at once."""


def files_of(source: str | Path) -> list[Path]:
    """The file that is the source, or the files of the folder that is, in the order of their names.

    Raises unless all of them are text tables, or all are Parquet or all are Arrow files. Hidden files do not count.
    """
    path = Path(source)
    if is_url(source) or not path.is_dir():
        check_file(path)
        _kind(path)
        return [path]
    files = sorted(each for each in path.iterdir() if not each.is_dir() and each.name[0] not in "._")
    if not files:
        raise TableError(f"The folder {path} has no files.", allowed="A table is a file, or a folder of files.")
    for file in files:
        check_file(file)
    if len({_kind(file) for file in files}) > 1:
        raise TableError(
            f"The files in {path} are of different kinds.",
            allowed="All files of a folder must be text tables, or all Parquet, or all Arrow files.",
            hint="move the other files away.",
        )
    return files


def read_batches(source: str | Path, *, separator: str | None, header: bool | None) -> Iterator[pl.DataFrame]:
    """The rows of a file or a folder of files, in their order, as `read` reads them; every batch has the same columns.

    Raises a `TableError` where batches cannot be read by the rules of `read`: compressed files, and text that is not
    UTF-8.
    """
    columns: dict[str, pl.DataType] | None = None
    for path in files_of(source):
        for batch in _named(path, _READERS[_kind(path)](path, separator, header)):
            if columns is None:
                columns = dict(batch.schema)
                check_names(batch.columns, str(path))
            elif columns != dict(batch.schema):
                raise TableError(
                    f"{path} has other columns than the files before it.",
                    allowed="All files of a folder must have the same columns, of the same types.",
                )
            yield batch


def _named(path: Path, batches: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The batches of a file; names the file if the system cannot read it any more."""
    try:
        yield from batches
    except OSError as error:
        raise unreadable(path, error) or error from None


def _kind(path: Path) -> str:
    suffix = path.suffix.lower()
    for kind, suffixes in {"text": DELIMITED, "parquet": PARQUET, "arrow": ARROW}.items():
        if suffix in suffixes:
            return kind
    raise TableError(
        f"{path} cannot be read batch by batch.",
        allowed=f"The stream engine reads files with these extensions, not compressed: {', '.join(KNOWN)}.",
        hint="export the table as Parquet, or omit --engine stream.",
    )


def _parquet(path: Path, separator: str | None, header: bool | None) -> Iterator[pl.DataFrame]:
    refuse_text_options(path, separator, header)
    return _scanned(path, "Parquet", lambda: pl.scan_parquet(path, glob=False, hive_partitioning=False))


def _arrow(path: Path, separator: str | None, header: bool | None) -> Iterator[pl.DataFrame]:
    """The batches of an Arrow file in the file or the stream format, which share their extensions."""
    refuse_text_options(path, separator, header)
    with path.open("rb") as file:
        is_file_format = file.read(6) == b"ARROW1"
    if is_file_format:
        yield from _scanned(path, "Arrow", lambda: pl.scan_ipc(path, glob=False, hive_partitioning=False))
        return
    import pyarrow as pa

    try:
        with pa.OSFile(str(path)) as source, pa.ipc.open_stream(source) as stream:
            yield _as_frame(pa.Table.from_batches([], stream.schema))
            for batch in stream:
                yield _as_frame(batch)
    except (pa.ArrowException, OSError) as error:
        raise unreadable(path, error) or _damaged(path, "Arrow") from None


def _as_frame(batch: Any) -> pl.DataFrame:
    frame = pl.from_arrow(batch)
    assert isinstance(frame, pl.DataFrame)
    return frame


def _scanned(path: Path, format: str, scan: Callable[[], pl.LazyFrame]) -> Iterator[pl.DataFrame]:
    """The batches of a file. At damage within it, polars may end as if there were no more: rows are counted again."""
    rows = 0
    try:
        scanned = scan()
        expected = int(scanned.select(pl.len()).collect().item())
        yield pl.DataFrame(schema=scanned.collect_schema())  # a table without rows has columns
        for batch in scanned.collect_batches(chunk_size=_ROWS, maintain_order=True):
            rows += batch.height
            yield batch
    except DAMAGE as error:
        raise unreadable(path, error) or _damaged(path, format) from None
    if rows != expected:
        raise _damaged(path, format)


def _damaged(path: Path, format: str) -> TableError:
    return TableError(f"{path} is not a valid {format} file.", hint="write or copy it again.")


# -- text ---------------------------------------------------------------------------------------------------------


def _text(path: Path, separator: str | None, header: bool | None) -> Iterator[pl.DataFrame]:
    """The rows of a text table. Blocks of complete records are parsed one by one, with the layout of the file."""
    default = "\t" if path.suffix.lower() in TABBED else None
    with path.open("rb") as handle:
        if archives.unpacker(path, handle.read(4)) is not None:
            raise TableError(
                f"{path} is compressed and cannot be read batch by batch.", hint="decompress it, or save it as Parquet."
            )
    with opened(path) as data:
        text = only_utf8(path, data)
        layout = layout_of(text, default if separator is None else separator, header)
        records = 0
        for block in _blocks(text, layout):
            frame = parsed(replace(text, source=block, data=block), layout, records)
            if not records and header is None:
                refuse_absent(frame, str(path))
            records += frame.height + layout.header
            layout = replace(layout, header=False)
            for begin in range(0, max(frame.height, 1), _ROWS):
                yield frame[begin : begin + _ROWS]


def _blocks(text: Text, layout: Layout) -> Iterator[bytes]:
    """Blocks of complete records. The empty lines of a table of one column count, so it is not divided."""
    if len(layout.names) == 1:
        yield text.data[text.start :]
        return
    rest = b""
    for start in range(text.start, len(text.data), _BYTES):
        rest += text.data[start : start + _BYTES]
        end = complete_records(rest, layout.quote)
        if rest[:end].strip(b"\r\n"):
            yield rest[:end]
            rest = rest[end:]
    if rest.strip(b"\r\n"):
        yield rest


_READERS = {"text": _text, "parquet": _parquet, "arrow": _arrow}
