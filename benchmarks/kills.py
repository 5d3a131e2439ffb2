"""Kills runs that replace a release at random moments, and checks what the next start finds.

After every kill, a run without --force starts. It must be refused because a release is there, and then the public and
the private folder must belong together, the release must be valid, and nothing else may be left. A third of the kills
comes at any time of a run, a third while its folders are being written, and a third while they are being renamed.

usage: nice python -m benchmarks.kills [--times N] [--seed N]
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from benchmarks.starts import command, write_inputs
from shoal.verification.folder import verify_folder
from shoal.verification.reading import sha256

WRITING = 0.6
"""Seconds that a run takes, at least, from its first temporary folder to its end."""
RENAMING = 0.001
MOMENTS = ("any", "writing", "renaming")


def killed(words: list[str], folder: Path, chance: random.Random, seconds: float) -> bool:
    """Runs a command and kills it at a random moment; False if it ended before."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    moment = chance.choice(MOMENTS)
    if moment == "any":
        time.sleep(chance.uniform(0, seconds))
    elif moment == "writing":
        _wait_for(process, lambda: any(folder.glob(".out.*.partial")))
        time.sleep(chance.uniform(0, WRITING))
    else:
        _wait_for(process, (folder / ".out.replacing").exists)
        time.sleep(chance.uniform(0, RENAMING))
    process.kill()
    return process.wait() != 0


def _wait_for(process: subprocess.Popen[bytes], is_there: Callable[[], bool]) -> None:
    while process.poll() is None and not is_there():
        pass


def problem_after_start(plan: Path, out: Path, expected: set[str]) -> str:
    """What is wrong after the next start; empty if a valid pair of folders stands, and nothing else."""
    done = subprocess.run(command("anonymize", plan, "--out", out), capture_output=True, text=True)
    if done.returncode != 2 or "is not empty" not in done.stderr:
        return f"the next start ended with {done.returncode}: {done.stderr}"
    left = {path.name for path in out.parent.iterdir()} ^ expected
    if left:
        return f"left or lost: {', '.join(sorted(left))}"
    digest = json.loads((out.parent / f"{out.name}.private" / "steward.json").read_text(encoding="utf-8"))["digest"]
    if sha256(out / "manifest.json") != digest:
        return "the public and the private folder do not belong together"
    return "" if verify_folder(out, digest=digest).holds else "the release is not valid"


def main() -> None:
    """Prints how many kills there were, which release stood afterwards, and every problem."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    chance, outcomes = random.Random(given.seed), Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan, out = write_inputs(folder), folder / "out"
        words = command("anonymize", plan, "--out", out, "--force")
        began = time.monotonic()
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds = time.monotonic() - began
        expected = {path.name for path in folder.iterdir()}
        while outcomes["kills"] < given.times:
            before = sha256(out / "manifest.json")
            was_killed = killed(words, folder, chance, seconds)
            left = bool({path.name for path in folder.iterdir()} ^ expected)
            problem = problem_after_start(plan, out, expected)
            if problem:
                sys.stdout.write(f"Problem: {problem}\n")
            stands = "old" if sha256(out / "manifest.json") == before else "new"
            outcomes[f"{'killed' if was_killed else 'ended'}, {'something' if left else 'nothing'} left, {stands}"] += 1
            outcomes["kills"] += was_killed
            outcomes["problems"] += bool(problem)
    for outcome, times in sorted(outcomes.items()):
        sys.stdout.write(f"{outcome}: {times}\n")


if __name__ == "__main__":
    main()
