"""A small Spark for tests: two threads on this machine.

Without pyspark or Java, the tests that need it are skipped by name, or fail where CI=true.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.engines.spark_session import variables

MISSING = next(
    (
        name
        for name, is_there in {
            "pyspark": importlib.util.find_spec("pyspark") is not None,
            "Java": shutil.which("java") is not None,
        }.items()
        if not is_there
    ),
    None,
)
IS_CI = os.environ.get("CI") == "true"
needs_spark = pytest.mark.skipif(MISSING is not None and not IS_CI, reason=f"needs {MISSING}")
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options with which Java starts fast, at the cost of its speed later."""
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "OFF",
    "spark.sql.timeType.enabled": "true",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "64",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.extraJavaOptions": f"{JAVA} -Dderby.stream.error.file=/dev/null",
    "spark.executorEnv.POLARS_MAX_THREADS": "1",
    # Tasks of the tests are imported by name, from wherever Java was started.
    "spark.executorEnv.PYTHONPATH": str(Path(__file__).parents[1]),
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


def running() -> Iterator[Any]:
    """A session that is stopped at the end."""
    from pyspark.sql import SparkSession

    for name, value in variables("local[2]").items():
        os.environ.setdefault(name, value)
    builder = SparkSession.builder.master("local[2]")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    usual = signal.getsignal(signal.SIGINT)
    session = builder.getOrCreate()
    signal.signal(signal.SIGINT, usual)  # Spark has a handler of its own, which other tests do not expect
    yield session
    session.stop()


def scattered(session: Any, frame: pl.DataFrame, partitions: int = 3) -> Any:
    """A table in Spark whose rows are in another order, with many of them in one partition."""
    shuffled = frame.sample(fraction=1, shuffle=True, seed=partitions)
    most = shuffled.height * 3 // 4
    parts = [session.createDataFrame(part.to_arrow()) for part in (shuffled[:most], shuffled[most:]) if part.height]
    whole = parts[0].coalesce(1)
    return whole.union(parts[1].repartition(partitions)) if len(parts) > 1 else whole
