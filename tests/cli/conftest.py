"""A small clinic: a table, a plan for it, and the command line called as a user calls it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from shoal.cli import progress, run

SECRET = "Zyxwv"
"""Part of many cells of the table, and of nothing else: where it shows, a cell shows."""

PLAN = """
[data]
source = "clinic.csv"

[columns.name]
role = "identifier"

[columns.age]
role = "quasi-identifier"

[columns.city]
role = "quasi-identifier"
hierarchy = { kind = "file", path = "city.csv" }

[columns.diagnosis]
role = "sensitive"

[[models]]
kind = "k-anonymity"
k = 4

[[models]]
kind = "l-diversity"
column = "diagnosis"
l = 2
"""

CITIES = [f"{SECRET} {direction}" for direction in ("North", "South", "East", "West")]
DIAGNOSES = [f"{SECRET} fever", f"{SECRET} cough", f"{SECRET} rash"]


class Answer(NamedTuple):
    code: int
    out: str
    err: str


Shoal = Callable[..., Answer]


@pytest.fixture
def shoal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shoal:
    """Runs a command in this process, without progress: on a slow machine it would say more than the command does."""
    monkeypatch.setattr(progress, "FIRST_LINE_AFTER", 3600.0)

    def answer(*words: object) -> Answer:
        code = run([str(word) for word in words])
        return Answer(code, *capsys.readouterr())

    return answer


def start(*words: object, **environment: str) -> subprocess.Popen[str]:
    """Starts a command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "shoal.cli", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def write_clinic(folder: Path) -> Path:
    """clinic.csv, city.csv and plan.toml; returns the plan's path."""
    rows = [f"{SECRET} {i},{20 + i % 30},{CITIES[i % 4]},{DIAGNOSES[i % 3]}" for i in range(120)]
    (folder / "clinic.csv").write_text("\n".join(["name,age,city,diagnosis", *rows]) + "\n", encoding="utf-8")
    (folder / "city.csv").write_text("".join(f"{city};{city[-5:]};*\n" for city in CITIES), encoding="utf-8")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    return folder / "plan.toml"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return write_clinic(tmp_path)


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a release; tests copy it before they change it."""
    folder = tmp_path_factory.mktemp("released")
    plan = write_clinic(folder)
    assert run(["anonymize", str(plan), "--out", str(folder / "out"), "--quiet"]) == 0
    return folder / "out"


def names(folder: Path) -> set[str]:
    """What lies in a folder, hidden things too."""
    return {path.name for path in folder.iterdir()}
