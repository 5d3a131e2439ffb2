"""Ctrl-C and SIGTERM at any moment: the process ends soon with 130 or 143, leaves nothing, and says so in one line."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.cli.conftest import names, write_clinic

CANCELLED = "Error: Cancelled. No files were left behind.\n"
SOON = 4.0
"""Seconds; two are promised, and test machines are busy."""

MAIN = """
import sys
from shoal import interrupts
from shoal.cli import main
{before}
watch = interrupts.watch

def watching():
    watch()
    sys.stdout.write("ready\\n")
    sys.stdout.flush()

interrupts.watch = watching  # the first thing that main() does
main()
"""

AT_WORK = """
import os, sys, time
from contextlib import suppress
from pathlib import Path
from shoal import unfinished
from shoal import interrupts

interrupts.watch()
place = Path(sys.argv[1]) / ".out.partial"
unfinished.register(place)
place.mkdir()
{before}
sys.stdout.write("ready\\n")
sys.stdout.flush()
{work}
"""

WORK = {
    "python": "while True: pass",
    "waiting": "time.sleep(600)",
    "writing": "while True:\n    with suppress(OSError): (place / str(time.time_ns())).touch()",
    "kernel": "spin(np.zeros(1))",
}
KERNEL = """
import numpy as np
from numba import njit

@njit(nogil=True)
def spin(total):
    while total[0] >= 0:
        total[0] += 1

spin(-np.ones(1))
"""


def started(code: str, *words: object) -> subprocess.Popen[str]:
    """A process that has reported that it is ready."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


def interrupted(process: subprocess.Popen[str], number: int = signal.SIGINT) -> tuple[int, str, str]:
    """The exit code and the output of a process after Ctrl-C, or another signal; it must end soon."""
    process.send_signal(number)
    began = time.monotonic()
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - began < SOON
    return process.returncode, out, err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("work", WORK)
def test_the_process_ends_wherever_it_is(tmp_path: Path, work: str, number: int, code: int) -> None:
    process = started(AT_WORK.format(before=KERNEL if work == "kernel" else "", work=WORK[work]), tmp_path)
    assert interrupted(process, number) == (code, "", CANCELLED)
    assert names(tmp_path) == set()


def test_every_kernel_releases_the_interpreter_lock() -> None:
    """Otherwise no other thread could end the process while a kernel runs."""
    import importlib
    import pkgutil

    from numba.core.registry import CPUDispatcher

    from shoal import kernels

    found = []
    for module in pkgutil.iter_modules(kernels.__path__):
        members = vars(importlib.import_module(f"shoal.kernels.{module.name}")).values()
        found += [member for member in members if isinstance(member, CPUDispatcher)]
    if not found:
        pytest.skip("compilation is disabled")
    assert all(kernel.targetoptions.get("nogil") for kernel in found)


@pytest.fixture(scope="module")
def long_plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table that takes seconds."""
    folder = tmp_path_factory.mktemp("long")
    rng = np.random.default_rng(0)
    columns = {f"q{i}": rng.integers(0, 1000, 600_000) for i in range(6)}
    pl.DataFrame(columns).write_csv(folder / "large.csv")
    roles = "".join(f'[columns.q{i}]\nrole = "quasi-identifier"\n' for i in range(6))
    plan = folder / "plan.toml"
    plan.write_text(f'[data]\nsource = "large.csv"\n{roles}[[models]]\nkind = "k-anonymity"\nk = 2\n')
    return plan


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.5])
def test_a_run_ends_whenever_it_is_cancelled(long_plan: Path, delay: float) -> None:
    process = started(
        MAIN.format(before="import threading"), "anonymize", long_plan, "--out", long_plan.parent / "out", "--quiet"
    )
    time.sleep(delay)
    code, out, err = interrupted(process)
    assert (code, out, err) == (130, "", CANCELLED)
    time.sleep(0.2)
    assert names(long_plan.parent) == {"large.csv", "plan.toml"}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("delay", [0.3, 0.6, 0.9, 1.3, 2.0])
def test_a_cancelled_stream_leaves_no_temporary_file(
    long_plan: Path, delay: float, number: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    arguments = ("anonymize", long_plan, "--out", long_plan.parent / "out", "--quiet", "--engine", "stream")
    process = started(MAIN.format(before="import threading"), *arguments)
    time.sleep(delay)
    assert interrupted(process, number) == (code, "", CANCELLED)
    assert names(long_plan.parent) == {"large.csv", "plan.toml"} and names(tmp_path) == set()


RENAMING = """
import os, pathlib, signal, time
usual = pathlib.Path.rename
def rename(self, target):
    os.kill(os.getpid(), {number})
    time.sleep(0.3)
    return usual(self, target)
pathlib.Path.rename = rename
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_once_folders_are_renamed_the_run_completes_and_says_so(tmp_path: Path, number: int) -> None:
    plan = write_clinic(tmp_path)
    before = names(tmp_path)
    renaming = RENAMING.format(number=int(number))
    process = started(MAIN.format(before=renaming), "anonymize", plan, "--out", tmp_path / "out", "--quiet")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0 and len(out.strip()) == 64
    assert "it was completed, not cancelled" in err and "Cancelled" not in err and "Traceback" not in err
    assert names(tmp_path) == before | {"out", "out.private"}


def test_the_inputs_of_a_cancelled_demo_are_removed(tmp_path: Path) -> None:
    process = started(
        MAIN.format(before="import shoal.cli.demo\nshoal.cli.demo.PATIENTS = 3_000_000"),
        "demo",
        "--out",
        tmp_path / "demo",
    )
    while names(tmp_path) == set():
        time.sleep(0.01)
    assert interrupted(process)[0] == 130
    assert names(tmp_path) == set()
