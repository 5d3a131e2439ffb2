"""The tables of the experiments in quasi_sensitive.py: rows with sets of items, and what is known of the items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks.papers.lkc_tables import DATA, adult
from shoal.algorithms.base import Algorithm
from shoal.arrays import Array
from shoal.datasets import patients
from shoal.hierarchies import File, Prefix
from shoal.roles.knowledge import Knowledge

ROWS, LABELS, VOCABULARY, ITEMS, MEAN = 3_000, 3_000, 200, 9, 100
"""The paper's set-up, except for the size of the vocabulary, which it does not give."""
COLUMN = "symptoms"
QUASI = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")
TREES = ("workclass", "education", "marital-status", "occupation", "race", "native-country")
FEWEST = 3
"""Labels of the Disease Ontology with fewer symptoms are left out."""


@dataclass(frozen=True)
class Case:
    """A table with a set-valued column, the knowledge about its items in a file, and its quasi-identifiers."""

    table: pl.DataFrame
    quasi: Mapping[str, Any]
    knowledge: Path

    def plan(self, models: Sequence[Any], algorithm: Algorithm | None = None) -> shoal.Plan:
        columns = {**self.quasi, COLUMN: shoal.quasi_sensitive(knowledge=str(self.knowledge))}
        return shoal.Plan(columns=columns, models=models, algorithm=algorithm or shoal.Mondrian())


def synthetic_case(folder: Path, seed: int) -> Case:
    """3,000 rows of Adult with 9 items each, and 3,000 labels with Poisson(100) of 200 items each.

    The items of a row are drawn from those of a random label, so that every row links to one label at least.
    """
    rng = np.random.default_rng(seed)
    items_of = [drawn(rng, VOCABULARY, size) for size in sizes(rng)]
    truth = rng.integers(0, LABELS, ROWS)
    sets = ["|".join(name(item) for item in rng.choice(items_of[label], ITEMS, replace=False)) for label in truth]
    table = adult().sample(ROWS, seed=seed).select(QUASI).with_columns(pl.Series(COLUMN, sets))
    known = {f"label {label}": [name(item) for item in items] for label, items in enumerate(items_of)}
    trees = DATA / "adult" / "hierarchies"
    quasi = {each: shoal.quasi() for each in QUASI}
    quasi |= {each: shoal.quasi(File(str(trees / f"adult_hierarchy_{each}.csv"))) for each in TREES}
    return Case(table, quasi, written(folder / f"synthetic_{seed}.csv", known))


def sizes(rng: np.random.Generator) -> list[int]:
    """The number of items of each label."""
    return np.clip(rng.poisson(MEAN, LABELS), ITEMS, VOCABULARY).tolist()


def drawn(rng: np.random.Generator, items: int, size: int) -> Array:
    return rng.choice(items, size, replace=False)


def name(item: int) -> str:
    return f"item {item}"


def written(path: Path, known: Mapping[str, Sequence[str]]) -> Path:
    path.write_text(Knowledge.of(known).text, encoding="utf-8")
    return path
