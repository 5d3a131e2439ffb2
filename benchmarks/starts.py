"""Starts a short command many times and counts the processes that do not end.

A process that takes longer than the limit is asked for the stacks of its threads, which are printed, and is ended.

usage: nice python -m benchmarks.starts [--times N] [--limit SECONDS]
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PLAN = """
[data]
source = "table.csv"

[columns.age]
role = "quasi-identifier"

[columns.city]
role = "quasi-identifier"

[columns.diagnosis]
role = "sensitive"

[[models]]
kind = "k-anonymity"
k = 4
"""


def write_inputs(folder: Path, rows: int = 120) -> Path:
    """A small table and its plan; returns the path of the plan."""
    lines = [f"{20 + i % 30},{'NSEW'[i % 4]},{'abc'[i % 3]}" for i in range(rows)]
    (folder / "table.csv").write_text("\n".join(["age,city,diagnosis", *lines]) + "\n", encoding="utf-8")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    return folder / "plan.toml"


def command(*words: object) -> list[str]:
    """The command line of a Shoal command."""
    return [sys.executable, "-m", "shoal.cli", *map(str, words)]


def ended(words: list[str], limit: float) -> bool:
    """Whether a process ends within the limit, with exit code 0; the stacks of one that does not are printed."""
    process = subprocess.Popen(
        words,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONFAULTHANDLER": "1"},
    )
    try:
        _, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)  # faulthandler prints the stacks of all threads
        _, err = process.communicate()
        sys.stdout.write(f"A process did not end within {limit:g} s:\n{err}\n")
        return False
    if process.returncode:
        sys.stdout.write(f"A process ended with exit code {process.returncode}:\n{err}\n")
    return process.returncode == 0


def main() -> None:
    """Prints how many of the processes did not end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=2000)
    parser.add_argument("--limit", type=float, default=120.0)
    given = parser.parse_args()
    began, failed = time.monotonic(), 0
    with tempfile.TemporaryDirectory() as name:
        plan = write_inputs(Path(name))
        for number in range(1, given.times + 1):
            failed += not ended(command("anonymize", plan, "--out", Path(name) / "out", "--force"), given.limit)
            if number % 100 == 0:
                sys.stdout.write(f"{number} starts, {failed} failed, {time.monotonic() - began:.0f} s\n")
                sys.stdout.flush()
    sys.stdout.write(f"{failed} of {given.times} processes did not end well.\n")


if __name__ == "__main__":
    main()
