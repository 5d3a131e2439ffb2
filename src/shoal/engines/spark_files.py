"""Published files read in Spark: executors parse and hash them, and only runs of equal rows reach the driver."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.engines.choosing import MOST_OF_MEMORY, memory
from shoal.engines.spark_frames import explained
from shoal.engines.spark_session import require_spark, spark_session
from shoal.errors import EngineError, PromiseBroken, ShoalError, TableError
from shoal.table import Runs, repeats
from shoal.verification.reading import TableFile, parsed_file, sha256

_TIMES = "\x00times"
_RUNS = 1 << 18
"""Runs that are sent to the driver in one message."""
_GIVEN = "number int, path string, name string, is_main boolean"
_CONTENT = "number int, place int, bytes bigint, content binary, problem string, fault string"
_HASH = "number int, sha256 string, fault string"


@dataclass(frozen=True)
class SparkFiles:
    """Reads the files of tables in executors, one file in each task, by the code that reads them elsewhere.

    `most_bytes`: the memory of the driver that the runs may take. Executors find the files at the driver's paths.
    """

    session: Any
    most_bytes: int

    def runs(self, files: Sequence[TableFile]) -> Iterator[Runs]:
        with _faults():
            read = self._mapped(files, _read, _CONTENT).persist()
        try:
            with _faults():
                found = self._collected(read)
        finally:
            read.unpersist()
        by_file = found.partition_by("number", as_dict=True)
        return (_joined(by_file[(number,)]) for number in range(len(files)))

    def hashes(self, paths: Sequence[Path]) -> list[str]:
        if not paths:
            return []
        with _faults():
            hashed = self._mapped([TableFile(path, path.name, False) for path in paths], _hashed, _HASH)
            found = pl.DataFrame(hashed.toArrow()).sort("number")
        _require_no_fault(found)
        return found["sha256"].to_list()

    def _mapped(self, files: Sequence[TableFile], task: Any, schema: str) -> Any:
        listed = [(number, str(file.path.absolute()), file.name, file.is_main) for number, file in enumerate(files)]
        return self.session.createDataFrame(listed, _GIVEN).repartition(len(files)).mapInArrow(task, schema)

    def _collected(self, read: Any) -> pl.DataFrame:
        """What executors read, brought to the driver; raises before, if it takes too much memory."""
        from pyspark.sql import functions as f

        needed = int(read.agg(f.sum("bytes")).toArrow()[0][0].as_py() or 0)
        if needed > self.most_bytes:
            raise EngineError(
                f"The distinct rows of the release take {needed / 2**30:.1f} GB, which do not fit into the memory of "
                "the driver.",
                hint="give the driver more memory.",
            )
        found = pl.DataFrame(read.toArrow()).sort("number", "place")
        _require_no_fault(found)
        for problem in found["problem"].drop_nulls():
            raise PromiseBroken(problem)
        return found


@contextmanager
def spark_files(master: str | None) -> Iterator[SparkFiles]:
    """A reader in the Spark session that runs, or in one at this master."""
    require_spark(master)
    with spark_session(master) as session:
        yield SparkFiles(session, int(MOST_OF_MEMORY * memory()))


@contextmanager
def _faults() -> Iterator[None]:
    """Raises an `EngineError` for a fault of Spark, which says nothing about the files."""
    try:
        with explained():
            yield
    except TableError as error:
        raise EngineError(error.fact, hint=error.hint) from None


def _require_no_fault(found: pl.DataFrame) -> None:
    for fault in found["fault"].drop_nulls():
        raise EngineError(fault, hint="executors need the folder of the release at the same path as the driver.")


def _joined(messages: pl.DataFrame) -> Runs:
    """The runs of one file."""
    return repeats.joined_parts(_unpacked(content) for content in messages["content"])


# -- in executors -------------------------------------------------------------------------------------------------


def _read(batches: Iterator[Any]) -> Iterator[Any]:
    """The runs of every file in messages, or what is wrong with it."""
    for number, file in _listed(batches):
        nothing = {"number": number, "place": 0, "bytes": 0, "content": None, "problem": None, "fault": None}
        try:
            runs = parsed_file(file, in_batches=True)
        except OSError as error:
            yield _batch(_CONTENT, [{**nothing, "fault": _fault(file, error)}])
            continue
        except ShoalError as error:
            yield _batch(_CONTENT, [{**nothing, "problem": str(error)}])
            continue
        for place, begin in enumerate(range(0, max(len(runs.times), 1), _RUNS)):
            size, content = _packed(runs, slice(begin, begin + _RUNS))
            yield _batch(_CONTENT, [{**nothing, "place": place, "bytes": size, "content": content}])


def _hashed(batches: Iterator[Any]) -> Iterator[Any]:
    """The SHA-256 of every file, or why it cannot be read."""
    for number, file in _listed(batches):
        try:
            found = {"number": number, "sha256": sha256(file.path), "fault": None}
        except OSError as error:
            found = {"number": number, "sha256": None, "fault": _fault(file, error)}
        yield _batch(_HASH, [found])


def _listed(batches: Iterator[Any]) -> Iterator[tuple[int, TableFile]]:
    for batch in batches:
        for each in batch.to_pylist():
            yield each["number"], TableFile(Path(each["path"]), each["name"], each["is_main"])


def _fault(file: TableFile, error: OSError) -> str:
    return f"An executor cannot read the file '{file.name}': {error.strerror or type(error).__name__}."


def _packed(runs: Runs, some: slice) -> tuple[int, bytes]:
    """Some runs as bytes, with the memory that they take as texts."""
    rows = runs.rows[some].with_columns(pl.col(pl.Enum, pl.Categorical).cast(pl.String))
    frame = rows.with_columns(pl.Series(_TIMES, runs.times[some]))
    written = io.BytesIO()
    frame.write_ipc(written, compression="lz4")
    return int(frame.estimated_size()), written.getvalue()


def _unpacked(content: bytes) -> Runs:
    frame = pl.read_ipc(io.BytesIO(content))
    return Runs(frame.drop(_TIMES), frame[_TIMES].to_numpy())


def _batch(schema: str, rows: list[dict[str, Any]]) -> Any:
    """An Arrow batch with the columns of a Spark schema."""
    import pyarrow as pa

    kinds = {"int": pa.int32(), "bigint": pa.int64(), "string": pa.string(), "binary": pa.binary()}
    fields = [each.split() for each in schema.split(", ")]
    return pa.RecordBatch.from_pylist(rows, pa.schema([(name, kinds[kind]) for name, kind in fields]))
