"""Reports as PDF."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shoal.errors import EngineError, OutputError
from shoal.report import printing
from tests.report.manifests import manifest, report


@pytest.mark.skipif(printing.browser() is None, reason="needs Chromium")
def test_a_report_is_printed(tmp_path: Path) -> None:
    report(manifest()).save(tmp_path / "report.pdf")
    printed = (tmp_path / "report.pdf").read_bytes()
    assert printed.startswith(b"%PDF-") and printed.rstrip().endswith(b"%%EOF") and len(printed) > 10_000


def test_without_chromium_the_error_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match="install Chromium"):
        report(manifest()).save(tmp_path / "report.pdf")


def test_a_browser_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    with pytest.raises(EngineError, match="could not print"):
        report(manifest()).save(tmp_path / "report.pdf")
    assert not (tmp_path / "report.pdf").exists()


@pytest.mark.skipif(printing.browser() is None, reason="needs Chromium")
def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="does not exist"):
        report(manifest()).save(tmp_path / "none" / "report.pdf")


SLOW_BROWSER = """#!/bin/sh
sleep 60 &
echo $! > "$TMPDIR/child"
wait
"""
PRINT = """
from shoal import interrupts; interrupts.watch()
import sys
from tests.report.manifests import manifest, report
try:
    report(manifest()).save(sys.argv[1])
except Exception:
    interrupts.settle()  # as the command line does, before it reports what a cancellation disturbed
    raise
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_cancelling_ends_the_browser_and_removes_the_page(tmp_path: Path, number: signal.Signals) -> None:
    program, scratch = tmp_path / "chromium", tmp_path / "scratch"
    program.write_text(SLOW_BROWSER)
    program.chmod(0o755)
    scratch.mkdir()
    env = {**os.environ, "PATH": f"{tmp_path}:/bin:/usr/bin", "TMPDIR": str(scratch)}
    words = [sys.executable, "-c", PRINT, str(tmp_path / "r.pdf")]
    process = subprocess.Popen(words, env=env, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not ((scratch / "child").is_file() and (scratch / "child").read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    child = int((scratch / "child").read_text())
    assert len(list(scratch.glob(".*/report.html"))) == 1
    process.send_signal(number)
    assert process.communicate(timeout=10)[1] == "Error: Cancelled. No files were left behind.\n"
    assert [path.name for path in scratch.iterdir()] == ["child"] and not (tmp_path / "r.pdf").exists()
    assert not _is_running(child)


def _is_running(process: int) -> bool:
    """Whether a process runs; one that ended may still wait for its parent to ask."""
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
