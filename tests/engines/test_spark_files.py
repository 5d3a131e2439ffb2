"""Files that executors read are those that this process reads; what is wrong with a file is found there too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.engines import spark_files
from shoal.engines.spark_files import SparkFiles
from shoal.errors import EngineError
from shoal.table import parts
from shoal.verification.folder import own_plan, verify_folder
from shoal.verification.reading import Files, TableFile, read_runs
from tests.spark import needs_spark
from tests.verification.test_folder import rehashed
from tests.verification.test_reading import saved

pytestmark = needs_spark


@pytest.fixture
def reader(session: Any, monkeypatch: pytest.MonkeyPatch) -> SparkFiles:
    monkeypatch.setattr(parts, "ROWS", 40)
    return SparkFiles(session, 1 << 30)


@pytest.mark.parametrize("in_parts", [True, False])
@pytest.mark.parametrize(
    ("form", "format"), [("generalized", "csv"), ("generalized", "parquet"), ("anatomy", "csv"), ("anatomy", "parquet")]
)
def test_the_verdict_is_that_of_this_process(
    reader: SparkFiles, in_parts: bool, form: str, format: str, tmp_path: Path
) -> None:
    folder = saved(tmp_path / "out", in_parts=in_parts, form=form, format=format)
    plan = own_plan(folder)
    here, there = read_runs(folder, plan), read_runs(folder, plan, reader)
    for name, runs in here.items():
        assert runs.expanded().cast(pl.String).equals(there[name].expanded().cast(pl.String))
    found, expected = verify_folder(folder, reader=reader), verify_folder(folder)
    assert found.holds and found.sizes.sort().equals(expected.sizes.sort())
    assert (found.verdicts, found.rows, found.notes) == (expected.verdicts, expected.rows, expected.notes)


def test_runs_are_sent_in_several_messages(reader: SparkFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = saved(tmp_path / "out", in_parts=False)
    file = TableFile(folder / "release.csv", "release.csv", True)
    runs = next(Files(in_batches=True).runs([file]))
    monkeypatch.setattr(spark_files, "_RUNS", 3)
    import pyarrow as pa

    given = pa.RecordBatch.from_pylist(
        [{"number": 0, "path": str(file.path), "name": file.name, "is_main": file.is_main}]
    )
    sent = pl.concat([pl.DataFrame(batch) for batch in spark_files._read(iter([given]))])
    assert sent.height > 3 and sent["bytes"].min() > 0
    assert spark_files._joined(sent).expanded().equals(runs.expanded())


def test_a_damaged_part_is_named(reader: SparkFiles, tmp_path: Path) -> None:
    folder = saved(tmp_path / "out", in_parts=True)
    (folder / "release/part-00002.csv").write_bytes(b'"open')
    assert verify_folder(folder, reader=reader).problems == verify_folder(folder).problems
    rehashed(folder)
    assert "release/part-00002.csv" in " ".join(verify_folder(folder, reader=reader).problems)


def test_a_changed_byte_is_found(reader: SparkFiles, tmp_path: Path) -> None:
    folder = saved(tmp_path / "out", in_parts=True)
    path = folder / "release/part-00003.csv"
    path.write_bytes(path.read_bytes().replace(b"flu", b"flo", 1))
    found = verify_folder(folder, reader=reader).problems
    assert "The file 'release/part-00003.csv' was changed." in found and found == verify_folder(folder).problems


def test_rows_that_are_too_many_for_the_driver_are_refused_and_not_judged(reader: SparkFiles, tmp_path: Path) -> None:
    folder = saved(tmp_path / "out", in_parts=True)
    with pytest.raises(EngineError, match="do not fit into the memory of the driver"):
        verify_folder(folder, reader=replace(reader, most_bytes=10))


def test_files_that_executors_do_not_see_are_no_finding(reader: SparkFiles, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"An executor cannot read the file 'gone.csv': No such file"):
        reader.hashes([tmp_path / "gone.csv"])
    with pytest.raises(EngineError, match=r"An executor cannot read the file 'release/gone.csv': No such file"):
        list(reader.runs([TableFile(tmp_path / "gone.csv", "release/gone.csv", True)]))
