"""The tables of the experiments in quasi_sensitive.py: rows with sets of items, and what is known of the items."""

from __future__ import annotations

import gzip
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
    return [int(size) for size in np.clip(rng.poisson(MEAN, LABELS), ITEMS, VOCABULARY)]


def drawn(rng: np.random.Generator, items: int, size: int) -> Array:
    return rng.choice(items, size, replace=False)


def name(item: int) -> str:
    return f"item {item}"


def written(path: Path, known: Mapping[str, Sequence[str]]) -> Path:
    path.write_text(Knowledge.of(known).text, encoding="utf-8")
    return path


# -- the Disease Ontology -------------------------------------------------------------------------------------------


def ontology(folder: Path) -> Path:
    """The symptoms of every disease of the Disease Ontology that has at least three."""
    pairs = pl.read_csv(DATA / "symptoms" / "do_disease_symptom.tsv", separator="\t")
    known = pairs.group_by("disease_label").agg(pl.col("symptom_label").unique())
    known = known.filter(pl.col("symptom_label").list.len() >= FEWEST)
    return written(folder / "ontology.csv", dict(known.rows()))


def patients_case(folder: Path, seed: int) -> Case:
    """3,000 synthetic patients with those of their symptoms that the Disease Ontology names in the same way."""
    rows = patients(ROWS, seed=seed).with_columns(birth_year=pl.col("birth_date").dt.year())
    quasi = {each: shoal.quasi() for each in ("birth_year", "sex", "race")} | {"zip": shoal.quasi(Prefix())}
    path = ontology(folder)
    return Case(rows.select(*quasi, known_items(rows[COLUMN].str.split("|"), path)), quasi, path)


def synthea_case(folder: Path, seed: int) -> Case:
    """Synthea's patients with the symptoms of one of their conditions, drawn at random, as its modules list them."""
    modules = pl.read_csv(DATA / "symptoms" / "synthea_module_symptoms.csv")
    modules = modules.with_columns(condition=pl.col("module_conditions").str.split("|")).explode("condition")
    symptoms = modules.group_by("condition").agg(pl.col("symptom").str.to_lowercase().unique().sort().alias(COLUMN))
    had = synthea("conditions").join(symptoms, left_on="DESCRIPTION", right_on="condition")
    one = had.sample(fraction=1.0, shuffle=True, seed=seed).unique("PATIENT", keep="first", maintain_order=True)
    rows = one.join(synthea("patients"), left_on="PATIENT", right_on="ID").sort("PATIENT")
    names = {"birth_year": pl.col("BIRTHDATE").str.slice(0, 4).cast(pl.Int64), "sex": pl.col("GENDER")}
    names |= {"race": pl.col("RACE"), "city": pl.col("CITY")}
    path = ontology(folder)
    table = rows.select(**names).with_columns(known_items(rows[COLUMN], path))
    return Case(table, {each: shoal.quasi() for each in names}, path)


def synthea(file: str) -> pl.DataFrame:
    raw = gzip.decompress((DATA / "synthea" / f"{file}.csv.gz").read_bytes())
    return pl.read_csv(raw, infer_schema_length=None)


def known_items(sets: pl.Series, knowledge: Path) -> pl.Series:
    """The items of each set that the knowledge table has, as text."""
    known = set(pl.read_csv(knowledge)["item"])
    lists = (each or [] for each in sets.to_list())
    return pl.Series(COLUMN, ["|".join(sorted(known.intersection(each))) for each in lists])
