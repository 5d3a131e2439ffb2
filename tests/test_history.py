"""The history of the benchmarks: runs are appended with date and commit, and the trend compares the last two."""

from __future__ import annotations

import json
import math
import re
from datetime import datetime
from pathlib import Path

from benchmarks import full_domain, history, mondrian
from benchmarks.history import Run
from benchmarks.papers import lkc

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"


def test_runs_are_appended_with_date_and_commit(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    first = history.record("mondrian", {"search, s": 0.5}, path)
    second = history.record("mondrian", {"search, s": 0.4}, path)
    assert history.read(path) == [first, second]
    assert set(json.loads(path.read_text(encoding="utf-8").splitlines()[0])) == {
        "date",
        "commit",
        "benchmark",
        "figures",
    }
    assert datetime.fromisoformat(first.date).tzinfo is not None
    assert re.fullmatch(r"[0-9a-f]{7,}\+?|unknown", first.commit)


def test_a_run_without_figures_is_not_recorded(tmp_path: Path) -> None:
    history.record("mondrian", {}, tmp_path / "history.jsonl")
    assert history.read(tmp_path / "history.jsonl") == []


def test_the_trend_shows_first_previous_last_and_change() -> None:
    runs = [Run(f"2026-01-0{day}", f"c{day}", "mondrian", {"ncp": ncp}) for day, ncp in ((1, 4.0), (2, 2.0), (3, 3.0))]
    head, line = history.trend([*runs]).splitlines()
    assert head.split() == ["benchmark", "figure", "runs", "first", "previous", "last", "change", "date", "commit"]
    assert line.split() == ["mondrian", "ncp", "3", "4", "2", "3", "+50.0", "%", "2026-01-03", "c3"]


def test_a_figure_that_was_measured_once_or_was_zero_has_no_change() -> None:
    runs = [Run("2026-01-01", "c1", "b", {"gap": 0.0}), Run("2026-01-02", "c2", "b", {"gap": 1.0, "once": 2.0})]
    assert "%" not in history.trend(runs)


def test_the_stored_results_have_figures() -> None:
    found = [
        mondrian.figures(json.loads((RESULTS / "mondrian.json").read_text(encoding="utf-8"))),
        full_domain.figures(json.loads((RESULTS / "full_domain.json").read_text(encoding="utf-8"))),
        *(lkc.figures(lines) for lines in json.loads(lkc.RESULTS.read_text(encoding="utf-8")).values()),
    ]
    numbers = [value for figures in found for value in figures.values()]
    assert len(numbers) > 50
    assert all(isinstance(value, float | int) and math.isfinite(value) for value in numbers)


def test_the_stored_history_can_be_read() -> None:
    runs = history.read()
    assert {run.benchmark for run in runs} >= {"mondrian", "full_domain", "multi_sensitive", "lkc"}
    assert history.trend(runs)
