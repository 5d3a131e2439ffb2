"""`shoal anonymize --engine spark` needs no settings, is quiet, and leaves nothing when it is cancelled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.engines.spark_session import _CONFIGURED
from tests.spark import needs_spark

pytestmark = [needs_spark, pytest.mark.slow]

PLAN = """
[data]
source = "table.csv"
[columns.age]
role = "quasi-identifier"
[columns.ill]
role = "sensitive"
[[models]]
kind = "k-anonymity"
k = 3
[[models]]
kind = "l-diversity"
column = "ill"
l = 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"{20 + row % 9},{'flu' if row % 3 else 'rash'}\n" for row in range(90)]
    (tmp_path / "table.csv").write_text("age,ill\n" + "".join(rows), encoding="utf-8")
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "temporary").mkdir()
    return tmp_path


def started(folder: Path) -> subprocess.Popen[str]:
    """The command in an environment in which `python3` is another Python, if there is one at all."""
    environment = {name: value for name, value in os.environ.items() if name not in (*_CONFIGURED, "PYSPARK_PYTHON")}
    environment |= {"PATH": "/usr/bin:/bin", "TMPDIR": str(folder / "temporary")}
    command = [sys.executable, "-m", "shoal", "anonymize", "plan.toml", "--out", "out", "--engine", "spark"]
    return subprocess.Popen(
        [*command, "--master", "local[2]"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def processes(session: int) -> list[str]:
    """The processes of a session, Java and its Pythons included."""
    listed = subprocess.run(["ps", "-A", "-o", "sess=,comm="], capture_output=True, text=True).stdout.splitlines()
    return [comm for number, comm in map(str.split, listed) if int(number) == session]


def waiting(seconds: float) -> Iterator[None]:
    """Looks again for a while; fails afterwards."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
        time.sleep(0.1)
    pytest.fail(f"not within {seconds} s")


def test_it_needs_no_settings_and_says_nothing_of_spark(folder: Path) -> None:
    running = started(folder)
    out, err = running.communicate(timeout=300)
    assert running.returncode == 0, err
    assert "Released 90 of 90 rows" in out
    assert not [line for line in err.splitlines() if "reading" not in line and not line.split()[0].isdigit()]
    assert not any(word in err for word in ("WARN", "Spark", "Stage"))
    assert {path.name for path in folder.iterdir()} == {"out", "out.private", "plan.toml", "table.csv", "temporary"}


def test_it_ends_at_once_when_it_is_interrupted(folder: Path) -> None:
    running = started(folder)
    for _ in waiting(120):
        if "java" in processes(running.pid) and any((folder / "temporary").glob("blockmgr-*")):
            break
    os.killpg(running.pid, signal.SIGINT)
    began = time.monotonic()
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130 and "Cancelled" in err
    assert time.monotonic() - began < 20
    for _ in waiting(60):
        if not processes(running.pid):
            break
    assert {path.name for path in folder.iterdir()} == {"plan.toml", "table.csv", "temporary"}
    left = [path for path in (folder / "temporary").rglob("*") if not path.is_dir()]
    assert not left, "Java that is interrupted while it starts may leave an empty folder, but no file"
