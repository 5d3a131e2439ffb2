"""The Spark session of a release: the one that runs, or one that is started quietly and stopped at the end."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shoal.engines.choosing import memory
from shoal.engines.spark_frames import explained
from shoal.errors import MissingExtra

_CONFIGURED = ("SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS")
"""Environment variables by which users configure Spark: their settings then stay as they are."""
_MOST_MEMORY = 4 << 30
"""Bytes of memory that a session on this machine gives Java: coded rows beyond it are stored on disk."""


def require_spark(master: str | None) -> None:
    """Raises if pyspark or Java is not installed."""
    if importlib.util.find_spec("pyspark") is None:
        raise MissingExtra(
            "The Spark engine needs the package pyspark, which is not installed.", hint="pip install 'shoal[spark]'"
        )
    if _is_remote(master):
        return
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=None if home is None else str(Path(home) / "bin")) is None:
        raise MissingExtra(
            "The Spark engine needs Java, which is not installed.",
            hint="install Java 17 or later, or name its folder in the environment variable JAVA_HOME.",
        )


@contextmanager
def spark_session(master: str | None) -> Iterator[Any]:
    """The session that runs, if no master is named; otherwise one that is stopped at the end."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if master is None and SparkContext._active_spark_context is not None:
        yield SparkSession.builder.getOrCreate()
        return
    usual = signal.getsignal(signal.SIGINT)
    session = _connected(master) if _is_remote(master) else _started(master)
    try:
        yield session
    finally:
        session.stop()
        _restore(usual)


def _is_remote(master: str | None) -> bool:
    """Whether another machine runs the session, over Spark Connect."""
    return (master or os.environ.get("SPARK_REMOTE", "")).startswith("sc:")


def _connected(master: str | None) -> Any:
    """A session of a server, over Spark Connect."""
    from pyspark.sql import SparkSession

    with explained():
        return SparkSession.builder.remote(master or os.environ["SPARK_REMOTE"]).getOrCreate()


def _started(master: str | None) -> Any:
    """A new session whose driver runs on this machine."""
    from pyspark import SparkConf, SparkContext, java_gateway
    from pyspark.sql import SparkSession

    conf = SparkConf(loadDefaults=False).setAll(list(settings(master).items()))
    shown = {} if os.environ.get("SHOAL_DEBUG") else {"stderr": subprocess.DEVNULL}
    warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")  # no pandas is used here
    with _environment(variables(master)), _kept_handler(), explained():
        if SparkContext._gateway is None:
            launch: Any = java_gateway.launch_gateway
            SparkContext._ensure_initialized(gateway=launch(conf, shown))
        return SparkSession(SparkContext.getOrCreate(conf))


def settings(master: str | None) -> dict[str, str]:
    """The settings of a session that is started at a master; None for that of the configuration of Spark."""
    found = {
        "spark.app.name": "shoal",
        "spark.executorEnv.POLARS_MAX_THREADS": "1",  # every core of an executor has a process of its own
        "spark.ui.showConsoleProgress": "false",
    }
    if master is not None:
        found["spark.master"] = master
    if is_local(master) and not _is_configured():
        found |= {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.maxResultSize": "0",  # sizes are checked before results are collected
            "spark.driver.memory": f"{min(memory() // 4, _MOST_MEMORY) >> 20}m",
            "spark.sql.files.openCostInBytes": str(1 << 18),  # Parquet may pack a million rows into few bytes
            "spark.local.dir": tempfile.gettempdir(),
            "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),
            "spark.sql.timeType.enabled": "true",  # times of day, as in the other engines
            "spark.ui.enabled": "false",
        }
    return found


def variables(master: str | None) -> dict[str, str]:
    """The environment in which a session starts: on this machine, executors run the Python that runs now."""
    return {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"} if is_local(master) else {}


def is_local(master: str | None) -> bool:
    """Whether executors run on this machine: Spark's own choice, unless it is configured."""
    return master.startswith("local") if master is not None else not _is_configured()


def _is_configured() -> bool:
    return any(os.environ.get(name) for name in _CONFIGURED)


@contextmanager
def _environment(missing: Mapping[str, str]) -> Iterator[None]:
    """Environment variables that are set for a while, apart from those that the user has set."""
    added = {name: value for name, value in missing.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


@contextmanager
def _kept_handler() -> Iterator[None]:
    """Keeps the handler of Ctrl-C, which Spark replaces when it starts.

    Only in place of Python's own handler, that of Spark stays until the session ends: it cancels the jobs first.
    """
    usual = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if usual is not signal.default_int_handler:
            _restore(usual)


def _restore(handler: Any) -> None:
    """Sets the handler of Ctrl-C, which only the main thread can do."""
    if handler is not None and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)
