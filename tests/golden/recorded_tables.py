"""The tables of the recorded releases: generated patients and tumours, tables built here cell by cell, and UCI Adult.

Hierarchy files are named by relative paths: a plan works in a folder to which `write_trees` has written them.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

import shoal
from shoal import datasets
from tests.golden.test_adult import ADULT, TREES

Value = TypeVar("Value")


@dataclass(frozen=True)
class Table:
    """A table, and a role for each of its columns. `shared`: it lies beside the project and may be absent."""

    name: str
    frame: Callable[[], pl.DataFrame]
    columns: Mapping[str, shoal.Column]
    shared: bool = False


def write_trees(folder: Path) -> None:
    """Writes every hierarchy file and knowledge table that a plan names."""
    for name, text in {**datasets.patient_hierarchies(), **_TREES}.items():
        (folder / name).write_text(text, encoding="utf-8")
    datasets.knowledge().write_csv(folder / "diseases.csv")


_TREES = {
    "town.csv": (
        "Abbey;Northshire;North;*\nBarrow;Northshire;North;*\nCalder;Moorshire;North;*\nDunmore;Moorshire;North;*\n"
        "Eastby;Southshire;South;*\nFarley;Southshire;South;*\nGrange;Coastshire;South;*\nHaven;Coastshire;South;*\n"
    ),
    "town_bars.csv": (
        '"Abbey"|"North, or near"\nBarrow|"North, or near"\nCalder|"North, or near"\nDunmore|"North, or near"\n'
        "Eastby|South\nFarley|South\nGrange|South\nHaven|South\n"
    ),
    "sex.csv": ";not known;*\nf;known;*\nm;known;*\n",
    "weight.csv": "".join(f"{tenths / 10:.2f};{tenths // 100 * 10} or more\n" for tenths in range(450, 1004)),
    "stage.csv": "I;early;*\nII;early;*\nIII;late;*\nIV;late;*\n",
    "age.csv": "".join(f"{age:03d};{age // 6 * 6}+;{age // 18 * 18}+;*\n" for age in range(18, 90)),
    "illness.csv": (
        "flu;infection;acute;*\ncold;infection;acute;*\nfracture;injury;acute;*\nburn;injury;acute;*\n"
        "HIV;immune system;chronic;*\nasthma;lungs;chronic;*\n"
    ),
}


def _number(column: str, row: int) -> float:
    """A number from 0 to 1 that depends on the names alone, so the same with every version of every library."""
    digest = hashlib.sha256(f"{column} {row}".encode()).digest()
    return int.from_bytes(digest[:4]) / 2**32


def _drawn(column: str, rows: int, values: Sequence[Value], skew: float = 1.0) -> list[Value]:
    """A value for every row; the larger the skew, the more frequent are the first ones."""
    return [values[int(_number(column, row) ** skew * len(values))] for row in range(rows)]


@cache
def _patients() -> pl.DataFrame:
    return datasets.patients(500, 1)


@cache
def _registry() -> pl.DataFrame:
    return datasets.registry(600, 2)


@cache
def _visits() -> pl.DataFrame:
    """Visits of 110 persons, some of whom came often. Much is missing, and written as missing in several ways."""
    rows = 300
    day = datetime.date(2021, 1, 1)
    admitted = [day + datetime.timedelta(days) for days in _drawn("admitted", rows, range(700))]
    return pl.DataFrame(
        {
            "patient": _drawn("patient", rows, [f"P{number:03d}" for number in range(110)], 1.5),
            "age": _drawn("age", rows, [None, *range(18, 90)]),
            "sex": _drawn("sex", rows, ["f", "m", None], 1.2),
            "town": _drawn(
                "town", rows, ["Abbey", "Eastby", "Calder", "Grange", "Haven", "Barrow", "Farley", "?"], 1.3
            ),
            "weight": _drawn("weight", rows, [None, *(round(45 + 0.7 * step, 1) for step in range(80))], 0.8),
            "admitted": [f"{each:%d.%m.%Y}" for each in admitted],
            "illness": _drawn("illness", rows, ["flu", "cold", "asthma", "HIV", "NA", "fracture", "burn"], 1.2),
            "drug": _drawn("drug", rows, ["none", "A", "B", " B ", "C", "", None], 1.1),
            "days": _drawn("days", rows, ["1", "2", "3", "05", "7", "10", "14"], 1.4),
            "code": _drawn("code", rows, ["250.83", "250.00", "401.9", "428.0", "V45.81", "E885.9", "8.5", "4019"]),
            "diagnosis": _drawn(
                "diagnosis", rows, ["E11.9", "E10.1", "E11.5", "I10", "I21.0", "J45.9", "S72.0", "C50"]
            ),
            "ward": _drawn("ward", rows, ["east", "west", None]),
            "died": _drawn("died", rows, ["no", "yes"], 1.5),
        },
        schema_overrides={"age": pl.Int64, "weight": pl.Float64},
    )


ODD_RESULT = "result/β *"


@cache
def _odd() -> pl.DataFrame:
    """Values that read as labels, cells that need quotes, and a column of every type that a data frame may have."""
    rows = 160
    noon = datetime.datetime(2020, 2, 28, 12)
    labels = ["*", "[1, 2]", "{a, b}", "\\*", "\\", "a, b", "plain", "{}", "[x]", "[, ]"]
    return pl.DataFrame(
        {
            "label": _drawn("label", rows, labels),
            "set": _drawn("set", rows, ["a", "b", "a, b", "{a, b}", "}", ",", "\\a"], 1.3),
            "code": _drawn("odd code", rows, ["A1", "A1B", "A*", "B", "B2", "[A, B]", "*"]),
            "text": _drawn("text", rows, ['say "no"', "two\nlines", "semi;colon", "Zoë", "=1+1", "a, b"], 1.4),
            "large": _drawn("large", rows, [2**62 + step for step in range(40)]),
            "signed": _drawn("signed", rows, [-20, -7, -1, 0, 3, 8, 25]),
            "real": _drawn("real", rows, [-2.5, -0.0, 0.0, 0.1, 0.30000000000000004, 1e-7, 123456789.25, 1e15]),
            "single": pl.Series(_drawn("single", rows, [0.1, 0.2, 0.7, 1.5]), dtype=pl.Float32),
            "tiny": pl.Series(_drawn("tiny", rows, range(-3, 4)), dtype=pl.Int8),
            "unsigned": pl.Series(_drawn("unsigned", rows, [2**63 - 1, 2**63, 2**64 - 1]), dtype=pl.UInt64),
            "constant": [7.5] * rows,
            "flag": _drawn("flag", rows, [True, False, None], 1.2),
            "kind": pl.Series(_drawn("kind", rows, ["x", "y", "z"]), dtype=pl.Categorical),
            "moment": [noon + datetime.timedelta(hours=step) for step in _drawn("moment", rows, range(90))],
            "midnight": [datetime.datetime(2020, 1, 1 + step) for step in _drawn("midnight", rows, range(28))],
            "elapsed": [datetime.timedelta(minutes=step) for step in _drawn("elapsed", rows, range(0, 300, 20))],
            "hour": [datetime.time(step) for step in _drawn("hour", rows, range(6))],
            "price": pl.Series([Decimal(cents) / 100 for cents in _drawn("price", rows, range(1000, 1400, 25))]),
            "empty": pl.Series([None] * rows, dtype=pl.String),
            ODD_RESULT: _drawn("result", rows, ["*", "[1, 2]", "{a, b}", "low", 'the "rest"', None, "x\ny"], 0.9),
            "other": _drawn("other", rows, ["p", "q", "r"]),
        }
    )


@cache
def _clinic() -> pl.DataFrame:
    """Many rows of few distinct values, so that recodings by level keep much; the old are ill more often."""
    rows = 1500
    ages = _drawn("clinic age", rows, range(20, 80, 3), 1.2)
    illnesses = ["flu", "cold", "fracture", "burn", "asthma", "HIV"]
    ill = [int(_number("clinic illness", row) ** (30 / age) * 6) for row, age in enumerate(ages)]
    drugs = [(_number("clinic drug", row) * 3 + illness) % 5 for row, illness in enumerate(ill)]
    return pl.DataFrame(
        {
            "age": ages,
            "sex": _drawn("clinic sex", rows, ["f", "m"], 0.9),
            "town": _drawn("clinic town", rows, ["Abbey", "Eastby", "Calder", "Grange", "Barrow", "Farley"], 1.6),
            "ward": _drawn("clinic ward", rows, ["A11", "A12", "A21", "B11", "B12", "C3"], 1.5),
            "illness": [illnesses[illness] for illness in ill],
            "drug": [f"drug {int(drug)}" for drug in drugs],
            "stage": _drawn("clinic stage", rows, ["I", "II", "III", "IV"], 1.4),
            "died": ["yes" if _number("clinic died", row) * 90 < age else "no" for row, age in enumerate(ages)],
        }
    )


@cache
def _wide() -> pl.DataFrame:
    """Twenty columns of two or three values, alike in rows of one kind; an outcome that follows two of them."""
    rows = 300
    kinds = _drawn("kind of row", rows, range(30), 1.8)
    values = {f"q{a:02d}": _wide_column(a, kinds) for a in range(20)}
    at_risk = [values["q00"][row] != "no" or values["q05"][row] != "no" for row in range(rows)]
    outcome = ["ill" if risk or _number("outcome", row) < 0.2 else "well" for row, risk in enumerate(at_risk)]
    return pl.DataFrame({**values, "illness": _drawn("wide", rows, ["flu", "HIV", "cold", "burn"]), "outcome": outcome})


def _wide_column(a: int, kinds: Sequence[int]) -> list[str]:
    of_kind = _drawn(f"wide {a}", 30, ["no", "yes", "often"][: 2 + (a % 4 == 3)], 2 + a % 3)
    noise = _drawn(f"noise {a}", len(kinds), [False, True], 5.5 + 2 * (a % 5))
    return ["yes" if noisy else of_kind[kind] for kind, noisy in zip(kinds, noise, strict=True)]


@cache
def _flags() -> pl.DataFrame:
    """Twenty columns of two values in rows of fourteen kinds: a million recodings, of which the best is soon proven."""
    kinds = _drawn("kind of flags", 200, range(14), 2)
    of_kind = [_drawn(f"flags {a}", 14, ["no", "yes"], 2 + a % 3) for a in range(20)]
    values = {f"q{a:02d}": [of_kind[a][kind] for kind in kinds] for a in range(20)}
    return pl.DataFrame({**values, "illness": _drawn("flags", 200, ["flu", "HIV", "cold", "burn"])})


@cache
def _returns() -> pl.DataFrame:
    """Few persons who come again and again, in classes that get the same labels."""
    return pl.DataFrame(
        {
            "person": _drawn("who 0", 40, [f"p{number}" for number in range(16)]),
            "place": _drawn("q 0", 40, [f"v{number}" for number in range(9)]),
            "group": _drawn("r 0", 40, ["a", "b", "c"]),
            "illness": _drawn("d 0", 40, ["x", "y", "z"]),
        }
    )


@cache
def _adult() -> pl.DataFrame:
    return pl.read_csv(ADULT / "adult_complete.csv.gz")


@cache
def _adult_tenth() -> pl.DataFrame:
    return _adult().gather_every(10)


def _identifiers(*names: str) -> dict[str, shoal.Column]:
    return {name: shoal.identifier() for name in names}


def _adult_columns() -> dict[str, shoal.Column]:
    names = "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,capital-gain"
    rest = "capital-loss,hours-per-week,native-country,income"
    tree = {name: shoal.tree(str(ADULT / "hierarchies" / f"adult_hierarchy_{name}.csv")) for name in TREES}
    columns = {name: shoal.insensitive() for name in f"{names},{rest}".split(",")}
    columns |= {name: shoal.quasi(tree[name]) for name in TREES}
    return columns | {"occupation": shoal.sensitive(), "income": shoal.target()}


PATIENTS = Table(
    "patients",
    _patients,
    {
        **_identifiers("record_number", "name", "symptoms", "survival_months", "cost"),
        "birth_date": shoal.quasi(shoal.dates()),
        "sex": shoal.quasi(),
        "race": shoal.quasi(shoal.tree("race.csv")),
        "marital_status": shoal.quasi(shoal.tree("marital_status.csv")),
        "job": shoal.quasi(shoal.tree("job.csv")),
        "zip": shoal.quasi(shoal.prefixes(), type="text"),
        "diagnosis": shoal.sensitive(),
        "treatment": shoal.sensitive(),
        "stage": shoal.sensitive(),
        "transfused": shoal.target(),
    },
)
REGISTRY = Table(
    "registry",
    _registry,
    {
        "birth_date": shoal.quasi(shoal.dates("year", "decade", "century")),
        "gender": shoal.quasi(),
        "race": shoal.quasi(),
        "zip": shoal.quasi(shoal.prefixes(3, 2)),
        **{name: shoal.sensitive() for name in ("topography", "histology", "tumour_site", "recurrence_status")},
        **{name: shoal.sensitive(type="integer") for name in ("survival_years", "age_at_diagnosis", "tumour_size")},
        "diagnosis_date": shoal.sensitive(type="date"),
    },
)
VISITS = Table(
    "visits",
    _visits,
    {
        "patient": shoal.identifier(),
        "age": shoal.quasi(),
        "sex": shoal.quasi(),
        "town": shoal.quasi(shoal.tree("town.csv")),
        **_identifiers("weight", "admitted", "code", "diagnosis"),
        "illness": shoal.sensitive(),
        "drug": shoal.sensitive(),
        "days": shoal.sensitive(type="integer"),
        "ward": shoal.insensitive(),
        "died": shoal.target(),
    },
)
ODD = Table(
    "odd",
    _odd,
    {
        **{name: shoal.insensitive() for name in _odd().columns},
        "label": shoal.quasi(),
        "set": shoal.quasi(),
        ODD_RESULT: shoal.sensitive(),
    },
)
CLINIC = Table(
    "clinic",
    _clinic,
    {
        "age": shoal.quasi(shoal.intervals(6, 12, 36, origin=20)),
        "sex": shoal.quasi(),
        "town": shoal.quasi(shoal.tree("town.csv")),
        "ward": shoal.quasi(shoal.prefixes()),
        "illness": shoal.sensitive(),
        "drug": shoal.sensitive(),
        "stage": shoal.sensitive(),
        "died": shoal.target(),
    },
)
WIDE = Table(
    "wide",
    _wide,
    {
        **{f"q{a:02d}": shoal.quasi() for a in range(20)},
        "illness": shoal.sensitive(),
        "outcome": shoal.target(),
    },
)
FLAGS = Table(
    "flags",
    _flags,
    {
        **{f"q{a:02d}": shoal.quasi(weight=round(1 + _number("weight", a), 6)) for a in range(20)},
        "illness": shoal.sensitive(),
    },
)
"""Weights differ, so that hardly any two recodings cost the same."""
RETURNS = Table(
    "returns",
    _returns,
    {
        "person": shoal.identifier(),
        "place": shoal.quasi(),
        "group": shoal.quasi(),
        "illness": shoal.sensitive(),
    },
)
ADULT_WHOLE = Table("adult", _adult, _adult_columns(), shared=True)
ADULT_TENTH = Table("adult tenth", _adult_tenth, _adult_columns(), shared=True)
TABLES = (PATIENTS, REGISTRY, VISITS, CLINIC, ODD, WIDE, FLAGS, RETURNS, ADULT_WHOLE, ADULT_TENTH)


def changed(table: Table, **columns: Any) -> dict[str, shoal.Column]:
    """The roles of a table with some replaced."""
    unknown = set(columns) - set(table.columns)
    assert not unknown, unknown
    return {**table.columns, **columns}
