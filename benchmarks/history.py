"""History: the main figures of every complete benchmark run, with date and commit, so that trends can be seen.

    python -m benchmarks.history     print the first, the previous and the last value of every figure

A line of `results/history.jsonl` is one run: {"date", "commit", "benchmark", "figures"}. A commit that ends in "+" had
uncommitted changes. Runs from before this file existed carry the date and the commit that stored their results. Seconds
depend on the machine; ratios depend on it much less.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HISTORY = ROOT / "benchmarks" / "results" / "history.jsonl"
MEASURED = ("src", "benchmarks", ":!benchmarks/results")
"""The paths whose uncommitted changes may change a figure."""


@dataclass(frozen=True)
class Run:
    """The figures of one run, by name."""

    date: str
    commit: str
    benchmark: str
    figures: Mapping[str, float]


def record(benchmark: str, figures: Mapping[str, float], path: Path = HISTORY) -> Run:
    """Appends a run with the current date and commit; a run without figures is not recorded."""
    run = Run(datetime.now(UTC).isoformat(timespec="seconds"), _commit(), benchmark, dict(figures))
    if figures:
        path.parent.mkdir(exist_ok=True)
        with path.open("a", encoding="utf-8", newline="\n") as lines:
            lines.write(json.dumps(asdict(run), ensure_ascii=False) + "\n")
    return run


def read(path: Path = HISTORY) -> list[Run]:
    """All recorded runs, oldest first."""
    if not path.exists():
        return []
    runs = [Run(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    return sorted(runs, key=lambda run: run.date)


def trend(runs: Iterable[Run]) -> str:
    """A table with one line per figure: its first, previous and last value, and the change from previous to last."""
    values: dict[tuple[str, str], list[tuple[float, Run]]] = {}
    for run in runs:
        for name, value in run.figures.items():
            values.setdefault((run.benchmark, name), []).append((value, run))
    head = ["benchmark", "figure", "runs", "first", "previous", "last", "change", "date", "commit"]
    lines = [head]
    for (benchmark, name), found in sorted(values.items()):
        (last, run), previous = found[-1], found[-2][0] if len(found) > 1 else None
        change = f"{100 * (last / previous - 1):+.1f} %" if previous else ""
        shown = [_number(found[0][0]), "" if previous is None else _number(previous), _number(last)]
        lines.append([benchmark, name, str(len(found)), *shown, change, run.date[:10], run.commit])
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    right = {"runs", "first", "previous", "last", "change"}
    return "\n".join(
        "  ".join(
            cell.rjust(width) if title in right else cell.ljust(width)
            for cell, width, title in zip(line, widths, head, strict=True)
        ).rstrip()
        for line in lines
    )


def _number(value: float) -> str:
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def _commit() -> str:
    """The short hash of the checked-out commit, with "+" after uncommitted changes; "unknown" outside a repository."""
    try:
        commit = _git("rev-parse", "--short", "HEAD")
        return commit + ("+" if _git("status", "--porcelain", "--", *MEASURED) else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", ROOT, *arguments], check=True, capture_output=True, text=True, timeout=60
    ).stdout.strip()


if __name__ == "__main__":
    print(trend(read()) if HISTORY.exists() else "No runs are recorded yet: run `make bench`.")
