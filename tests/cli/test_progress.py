from __future__ import annotations

import re
import sys
import time

import numpy as np
import pytest
from numba import njit

from shoal import kernels
from shoal.cli import progress


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST_LINE_AFTER", 0.01)
    with progress.shown(quiet=True) as report:
        report("search", 0.5)
        time.sleep(0.05)
    assert capsys.readouterr() == ("", "")


def test_short_work_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.shown() as report:
        report("search", 0.5)
    assert capsys.readouterr() == ("", "")


def test_long_work_says_a_line_ever_more_seldom(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "FIRST_LINE_AFTER", 0.01)
    with progress.shown() as report:
        report("search", 0.25)
        time.sleep(0.2)
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert 1 <= len(lines) <= 5 and all(re.fullmatch(r"\d+ s: searching, 25 %", line) for line in lines)


def test_a_terminal_gets_a_bar_that_goes_away(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress.shown() as report:
        report("read", 0.0)
        report("search", 0.5)
        time.sleep(0.3)
    out, err = capsys.readouterr()
    assert out == "" and "searching, 50 %" in err
    assert err.rstrip().endswith("\x1b[2K")


@pytest.mark.parametrize("terminal", [False, True])
def test_compiling_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    """A kernel that nobody compiled before, and that takes a while."""
    monkeypatch.setattr(progress, "FIRST_LINE_AFTER", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    with progress.shown() as report:
        report("search", 0.0)
        njit(lambda values: np.sort(values) * 2)(np.arange(3))
        assert not kernels.compiling
    assert "searching (compiling, the first time only)" in capsys.readouterr().err


def test_an_error_passes_through() -> None:
    with pytest.raises(ValueError, match="stop"), progress.shown():
        raise ValueError("stop")
