"""Without Spark an error says what to install; a session that Shoal starts needs no settings and stays quiet."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from shoal.engines import spark_session as sessions
from shoal.engines.spark_session import is_local, require_spark, settings, spark_session, variables
from shoal.errors import MissingExtra
from tests.spark import needs_spark

USERS = ("PYSPARK_PYTHON", "SPARK_LOCAL_IP", "SPARK_REMOTE", *sessions._CONFIGURED)


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in USERS:
        monkeypatch.delenv(name, raising=False)


def test_without_pyspark_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'shoal\[spark\]'"):
        require_spark(None)


@pytest.mark.parametrize("variable", ["JAVA_HOME", "PATH"])
def test_without_java_an_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str
) -> None:
    monkeypatch.setattr(sessions.importlib.util, "find_spec", lambda name: object())
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    with pytest.raises(MissingExtra, match="install Java 17"):
        require_spark("local[2]")
    require_spark("sc://cluster:15002")  # Java runs elsewhere


def test_neither_the_package_nor_its_pipeline_imports_pyspark() -> None:
    code = "import sys, polars as pl, shoal, shoal.pipeline; shoal.pipeline.is_spark_frame(pl.DataFrame()); "
    code += "print('pyspark' in sys.modules, 'py4j' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split() == ["False"] * 2


@pytest.mark.parametrize(
    ("master", "configured", "expected"),
    [
        ("local[2]", {}, True),
        ("spark://host:7077", {}, False),
        (None, {}, True),
        (None, {"SPARK_CONF_DIR": "conf"}, False),
        ("local", {"SPARK_HOME": "spark"}, True),
    ],
)
def test_executors_on_this_machine_run_the_python_that_runs_now(
    monkeypatch: pytest.MonkeyPatch, master: str | None, configured: dict[str, str], expected: bool
) -> None:
    for name, value in configured.items():
        monkeypatch.setenv(name, value)
    assert is_local(master) == expected
    assert variables(master).get("PYSPARK_PYTHON") == (sys.executable if expected else None)
    assert ("spark.driver.memory" in settings(master)) == (expected and not configured)
    assert settings(master).get("spark.master") == master


def test_the_choices_of_the_user_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", "python3.99")
    with sessions._environment({"PYSPARK_PYTHON": "mine", "SPARK_LOCAL_IP": "127.0.0.1"}):
        assert (os.environ["PYSPARK_PYTHON"], os.environ["SPARK_LOCAL_IP"]) == ("python3.99", "127.0.0.1")
    assert os.environ["PYSPARK_PYTHON"] == "python3.99" and "SPARK_LOCAL_IP" not in os.environ


def _replaced(number: int, frame: Any) -> None:
    """The handler of Spark."""


def test_a_handler_of_interrupts_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")

    def started(master: str | None) -> Any:
        with sessions._kept_handler():
            signal.signal(signal.SIGINT, _replaced)
        return SimpleNamespace(stop=lambda: None)

    monkeypatch.setattr(sessions, "_started", started)
    own, before = lambda number, frame: None, signal.getsignal(signal.SIGINT)
    try:
        for usual, during in ((own, own), (signal.default_int_handler, _replaced)):
            signal.signal(signal.SIGINT, usual)
            with spark_session("local[2]"):
                assert signal.getsignal(signal.SIGINT) is during
            assert signal.getsignal(signal.SIGINT) is usual
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("fails", [False, True])
def test_a_session_of_its_own_is_stopped(monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    pytest.importorskip("pyspark")
    stopped = list[bool]()
    session = SimpleNamespace(stop=lambda: stopped.append(True))
    monkeypatch.setattr(sessions, "_started", lambda master: session)
    try:
        with spark_session("local[2]") as found:
            assert found is session and not stopped
            assert not fails
    except AssertionError:
        assert fails
    assert stopped == [True]


@needs_spark
def test_the_session_that_runs_is_used_and_not_stopped(session: Any) -> None:
    with spark_session(None) as found:
        assert found.sparkContext is session.sparkContext
    assert session.range(2).count() == 2
