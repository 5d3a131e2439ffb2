"""A small fixed table of patients and a plan for it, for tests that look at one release closely."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

import shoal
from shoal.hierarchies import File, Icd10Cm, Prefix

STAYS = {"1": ("1", "short", "*"), "2": ("2", "short", "*"), "9": ("9", "long", "*"), "10": ("10", "long", "*")}


def patients(rows: int = 40) -> pl.DataFrame:
    """Ages, ZIP codes and birth dates that identify, diagnoses and stays that do not; no randomness in it."""
    each = range(rows)
    return pl.DataFrame(
        {
            "name": [f"Name-{i}" for i in each],
            "age": [str(20 + (i * 7) % 50) for i in each],
            "zip": [f"021{(i * 13) % 40:02d}" for i in each],
            "born": [f"19{50 + i % 40}-0{1 + i % 9}-1{i % 10}" for i in each],
            "diagnosis": [["E11.9", "I10", "J45.909", "C50.911"][(i * i + i // 3) % 4] for i in each],
            "stay": [list(STAYS)[(i // 2 + i) % 4] for i in each],
            "note": [f"{i % 3:03d}" for i in each],
        }
    )


def write_stays(folder: Path) -> File:
    """The hierarchy of stays as a file."""
    path = folder / "stays.csv"
    path.write_text("".join(";".join(labels) + "\n" for labels in STAYS.values()), encoding="utf-8")
    return File(str(path))


def plan_of(folder: Path, **parts: Any) -> shoal.Plan:
    """A plan with a file tree and a code tree that models need; `parts` replace those of the plan."""
    given = {
        "columns": {
            "name": shoal.identifier(),
            "age": shoal.quasi(weight=1.2578125),
            "zip": shoal.quasi(Prefix(), type="text"),
            "born": shoal.quasi(),
            "diagnosis": shoal.sensitive(Icd10Cm()),
            "stay": shoal.sensitive(write_stays(folder), type="integer"),
            "note": shoal.insensitive(),
        },
        "models": (
            shoal.KAnonymity(k=3),
            shoal.LDiversity("diagnosis", l=2),
            shoal.TCloseness("diagnosis", t=0.6, distance="hierarchical"),
            shoal.TCloseness("stay", t=0.6, distance="hierarchical"),
            shoal.TCloseness("stay", t=0.6, distance="ordered"),
        ),
        "seed": 987654321,
    }
    return shoal.Plan(**(given | parts))
