"""A small table of made-up owners of pets, and plans for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal.algorithms import Pais

TREE = {"ant": "insect", "bee": "insect", "cat": "mammal", "dog": "mammal", "eel": "fish"}
QUASI = ("age", "pet", "sex", "town")


def frame(seed: int, rows: int, *, missing: bool = False) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 9, rows)
    made = pl.DataFrame(
        {
            "age": age,
            "pet": rng.choice(list(TREE), rows),
            "sex": rng.choice(["f", "m"], rows),
            "town": rng.choice(["A", "B", "C"], rows),
            "ill": rng.choice(["flu", "HIV", "rash"], rows, p=[0.6, 0.2, 0.2]),
            "dead": np.where(age + rng.integers(0, 5, rows) > 6, "yes", "no"),
        }
    )
    if missing:
        made = made.with_columns(
            pl.when(pl.Series(rng.random(rows) < 0.2)).then(None).otherwise(pl.col("age")).alias("age")
        )
    return made


def plan(pets: Path, *models: Any, **settings: Any) -> shoal.Plan:
    columns = {
        "age": shoal.quasi(),
        "pet": shoal.quasi(shoal.hierarchies.File(str(pets))),
        "sex": shoal.quasi(),
        "town": shoal.quasi(),
        "ill": shoal.sensitive(),
        "dead": shoal.target(),
    }
    return shoal.Plan(columns=columns, models=models, algorithm=Pais(**settings))
