"""The tables, trees and plans of the experiments in extended_p.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks.papers.lkc_tables import DATA, adult
from benchmarks.tables import QUASI, SEPARATOR, blowup
from shoal.datasets import patient_hierarchies, patients
from shoal.hierarchies import File, Flat, Icd9, Icd10Cm

DIABETES = DATA / "diabetes130" / "diabetic_data.csv.gz"
SINGLE = ("Divorced", "Never-married", "Separated", "Widowed")
MARRIED = ("Married-AF-spouse", "Married-civ-spouse", "Married-spouse-absent")
OTHER_RACES = ("Amer-Indian-Eskimo", "Asian-Pac-Islander", "Other")

GAINS, LOSSES, TAXES = ((range(1, count + 1), step) for count, step in ((3, 1000), (4, 1000), (10, 100)))
BRACKETS = {"100-400": range(100, 401, 100), "500-600": range(500, 601, 100), "700-1000": range(700, 1001, 100)}
NARROW, WIDE = ("900-1000",), tuple(BRACKETS)
"""Protected nodes of the tree of Tax_Amount: the paper's figure with its own is not in the text that we have."""


@dataclass(frozen=True)
class Case:
    """A table with its plan, and where to look: `strong` maps a column and a value to what counts as different."""

    table: pl.DataFrame
    columns: Mapping[str, Any]
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    strong: Mapping[str, Mapping[str, Mapping[str, str]]]
    """A name for what is protected → column → value → the protected node above it, or the value itself."""
    protected: Mapping[str, Mapping[str, tuple[str, ...]]]
    """The same name → column → the nodes that the plan protects."""

    def plan(
        self, model: Any, algorithm: Any, suppression: float = 0.0, marked: str = "", ranges: Sequence[str] = ()
    ) -> shoal.Plan:
        """A release under one model, with the nodes of this name protected; `ranges` are numbers without a tree."""
        nodes = self.protected.get(marked, {})
        columns = {
            name: column if name not in self.sensitive else column.model_copy(update={"protected": nodes.get(name, ())})
            for name, column in self.columns.items()
        }
        return shoal.Plan(
            columns=columns | {name: shoal.quasi(type="integer") for name in ranges},
            models=[model],
            algorithm=algorithm,
            data=shoal.Data(unlisted="drop"),
            release=shoal.ReleaseSettings(suppression=suppression),
        )


# -- Adult, as in the paper -----------------------------------------------------------------------------------------


def adult_case(folder: Path, seed: int, rows: int = 400) -> Case:
    """400 random records, with the paper's recodings and its four sensitive columns, three of them drawn evenly."""
    rng = np.random.default_rng(seed)
    table = adult().select("age", "marital-status", "race", "sex", pay="income")
    table = table.sample(rows, seed=seed).with_columns(
        *(
            pl.Series(name, step * rng.integers(1, len(values) + 1, rows)).cast(pl.String)
            for name, (values, step) in (("capital_gain", GAINS), ("capital_loss", LOSSES), ("tax_amount", TAXES))
        )
    )
    taxes = [str(amount) for amount in range(100, 1001, 100)]
    brackets = {str(amount): name for name, amounts in BRACKETS.items() for amount in amounts}
    pair = {"900": NARROW[0], "1000": NARROW[0]}
    return Case(
        table=table,
        columns=adult_columns(folder),
        quasi=("age", "marital-status", "race", "sex"),
        sensitive=("pay", "capital_gain", "capital_loss", "tax_amount"),
        strong={
            "narrow": {"tax_amount": {tax: pair.get(tax, tax) for tax in taxes}},
            "wide": {"tax_amount": brackets},
        },
        protected={"narrow": {"tax_amount": NARROW}, "wide": {"tax_amount": WIDE}},
    )


def adult_columns(folder: Path) -> dict[str, Any]:
    """The recodings of the paper's Table 3."""
    trees = {
        "age": [(str(age), _decade(age), "<=50" if age <= 50 else ">50", "*") for age in range(17, 91)],
        "marital-status": [(status, "Single", "*") for status in SINGLE] + [(s, "Married", "*") for s in MARRIED],
        "race": [("White", "White", "White", "*"), ("Black", "Black", "Other races", "*")]
        + [(race, "Other", "Other races", "*") for race in OTHER_RACES],
        "tax_amount": [(str(tax), _pair(tax), _bracket(tax), "*") for tax in range(100, 1001, 100)],
    }
    files = {name: _written(folder / f"adult_{name}.csv", rows) for name, rows in trees.items()}
    columns = {name: shoal.quasi(files[name]) for name in ("age", "marital-status", "race")}
    columns |= {"sex": shoal.quasi(Flat())}
    columns |= {name: shoal.sensitive(Flat()) for name in ("pay", "capital_gain", "capital_loss")}
    return columns | {"tax_amount": shoal.sensitive(files["tax_amount"])}


def _decade(age: int) -> str:
    low = (age - 1) // 10 * 10 + 1
    return f"{low}-{low + 9}"


def _pair(tax: int) -> str:
    low = (tax - 100) // 200 * 200 + 100
    return f"{low}-{low + 100}"


def _bracket(tax: int) -> str:
    return next(name for name, amounts in BRACKETS.items() if tax in amounts)


def _written(path: Path, rows: list[tuple[str, ...]]) -> File:
    path.write_text("".join(";".join(row) + "\n" for row in rows), encoding="utf-8")
    return File(str(path))


# -- tables with diagnoses ------------------------------------------------------------------------------------------


def diabetes_case(folder: Path, seed: int, rows: int = 2_000) -> Case:
    """Random patients of diabetes130, one row each, with three ICD-9-CM diagnoses."""
    ages = [
        (f"[{low}-{low + 10})", f"{low // 20 * 20}-{low // 20 * 20 + 19}", *_half(low)) for low in range(0, 100, 10)
    ]
    columns = {
        "age": shoal.quasi(_written(folder / "ages.csv", ages)),
        "race": shoal.quasi(Flat()),
        "gender": shoal.quasi(Flat()),
        "time_in_hospital": shoal.quasi(shoal.intervals(2, 4, 8), type="integer"),
        "num_medications": shoal.quasi(shoal.intervals(5, 10, 20, 40), type="integer"),
    }
    sensitive = ("diag_1", "diag_2", "diag_3")
    table = diabetes().select(*columns, *sensitive).sample(rows, seed=seed)
    return diagnosed(table, columns, sensitive, Icd9())


def _half(low: int) -> tuple[str, str]:
    return ("0-39" if low < 40 else "40-99"), "*"


@cache
def diabetes() -> pl.DataFrame:
    frame = pl.read_csv(DIABETES, infer_schema=False)
    return frame.unique("patient_nbr", keep="first", maintain_order=True)


def patients_case(folder: Path, seed: int, rows: int = 2_000) -> Case:
    """Our synthetic patients, a new table for every seed, with an ICD-10-CM diagnosis."""
    for name, text in patient_hierarchies().items():
        (folder / name).write_text(text, encoding="utf-8")
    columns = {
        "birth_date": shoal.quasi(shoal.dates("year", "decade")),
        "sex": shoal.quasi(Flat()),
        "race": shoal.quasi(File(str(folder / "race.csv"))),
        "marital_status": shoal.quasi(File(str(folder / "marital_status.csv"))),
        "zip": shoal.quasi(shoal.prefixes(3, 2), type="text"),
    }
    table = patients(rows, seed).select(*columns, "diagnosis")
    return diagnosed(table, columns, ("diagnosis",), Icd10Cm())


def diagnosed(table: pl.DataFrame, columns: dict[str, Any], sensitive: tuple[str, ...], tree: Any) -> Case:
    """A case whose sensitive columns have a tree of codes; all blocks or all chapters are protected."""
    nodes = tree._nodes()
    codes = pl.concat([table[name].alias("code") for name in sensitive]).drop_nulls().unique().to_list()
    paths = {code: path for code, path in zip(codes, tree.paths(codes), strict=True) if len(path) > 2}
    levels = {"block": -3, "chapter": -2}  # counted from the top
    return Case(
        table=table,
        columns=columns | {name: shoal.sensitive(tree, type="text") for name in sensitive},
        quasi=tuple(columns),
        sensitive=sensitive,
        strong={
            level: {name: {code: path[place] for code, path in paths.items()} for name in sensitive}
            for level, place in levels.items()
        },
        protected={level: dict.fromkeys(sensitive, tuple(nodes[level].unique().sort())) for level in levels},
    )


# -- large tables, for the time of searches -------------------------------------------------------------------------

CODES = 2_000


def coded_adult(name: str, seed: int = 0) -> pl.DataFrame:
    """A blown-up Adult with a diagnosis of its own: one of 2,000 ICD-10-CM codes, the frequent ones much more so."""
    frame = pl.read_csv(blowup(name), separator=SEPARATOR, infer_schema=False).select(*QUASI)
    rng = np.random.default_rng(seed)
    codes = Icd10Cm()._nodes()["code"].sample(CODES, seed=seed, shuffle=True)
    weights = 1 / (np.arange(CODES) + 3.0)
    drawn = rng.choice(CODES, frame.height, p=weights / weights.sum())
    return frame.with_columns(diagnosis=codes.gather(drawn))


def full_domain(folder: Path) -> Iterator[tuple[str, Case, Any]]:
    """Searches whose time is compared: their names, tables and algorithms."""
    thirty, five = coded_adult("adult_30k"), coded_adult("adult_30k").sample(5_000, seed=0)
    cuts = {name: shoal.quasi(type="integer") if name == "age" else shoal.quasi(Flat()) for name in QUASI}
    columns = adult_columns(folder)
    levels = cuts | {name: columns[name] for name in ("age", "marital-status", "race")}
    sensitive = ("diagnosis",)
    yield "mondrian, 1 M rows", diagnosed(coded_adult("adult_1m"), cuts, sensitive, Icd10Cm()), shoal.Mondrian()
    yield "optimal, 30 k rows", diagnosed(thirty, levels, sensitive, Icd10Cm()), shoal.Optimal()
    yield "samarati, 30 k rows", diagnosed(thirty, levels, sensitive, Icd10Cm()), shoal.Samarati()
    yield "k-member, 5 k rows", diagnosed(five, cuts, sensitive, Icd10Cm()), shoal.KMember()
    yield "pais, 30 k rows", diagnosed(thirty, levels, sensitive, Icd10Cm()), shoal.Pais()
