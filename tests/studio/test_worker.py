"""The process of a job ends with its studio, and its messages are nothing but progress."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

from shoal.studio.worker import Reporter, run
from tests.studio.tables import write_clinic


def test_progress_is_sent_when_the_step_changes() -> None:
    stream = io.BytesIO()
    reporter = Reporter(stream)
    for step, share in (("read", 0.0), ("search", 0.0), ("search", 0.01), ("search", 0.01)):
        reporter.progress(step, share)
    assert [json.loads(line) for line in stream.getvalue().splitlines()] == [
        {"step": "read", "share": 0.0},
        {"step": "search", "share": 0.0},
    ]


def test_an_outcome_is_a_result_or_a_failure(tmp_path: Path) -> None:
    good = {"kind": "sample", "arguments": {"source": str(write_clinic(tmp_path))}}
    assert run(good, Reporter(io.BytesIO()))["result"]["row_count"] == 40
    bad = {"kind": "sample", "arguments": {}, "lock": str(tmp_path)}
    assert run(bad, Reporter(io.BytesIO()))["failure"]["error"].startswith("Internal error: KeyError in shoal.studio")


def test_a_process_without_a_studio_ends(tmp_path: Path) -> None:
    """It is given a job that never ends, reading a pipe, and its stdin is closed, as if the studio had been killed."""
    import os

    os.mkfifo(tmp_path / "endless.csv")
    job = {"kind": "sample", "arguments": {"source": str(tmp_path / "endless.csv")}, "folder": str(tmp_path)}
    command = [sys.executable, "-m", "shoal.studio.worker"]
    idle = subprocess.run(command, input=b"", capture_output=True, timeout=60, check=False)
    assert (idle.returncode, idle.stdout) == (0, b"")
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps(job).encode() + b"\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["step"] == "read"
    process.stdin.close()
    assert process.wait(10) in (0, 143)
    process.stdout.close()
