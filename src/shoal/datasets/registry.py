"""A synthetic cancer registry, generated from a seed: four quasi-identifiers and eight sensitive columns.

Its columns are those of the registry in the experiments of Gal, Chen and Gangopadhyay. Their distributions and
dependencies, which the paper does not describe, follow general knowledge of cancers: sites, cells, ages and prognoses.
"""

from __future__ import annotations

from datetime import date
from functools import cache
from importlib.resources import files

import numpy as np
import polars as pl

from shoal.arrays import Flags, Float64, Int64

FIRST_DIAGNOSIS, LAST_DIAGNOSIS = date(1991, 1, 1), date(2006, 12, 31)
OLDEST = 102
SENSITIVE = (
    "topography",
    "histology",
    "survival_years",
    "diagnosis_date",
    "age_at_diagnosis",
    "tumour_size",
    "tumour_site",
    "recurrence_status",
)
"""The sensitive columns; experiments with m sensitive columns use the first m."""

RACES = ("white", "black", "Asian or Pacific", "American Indian", "other", "unknown")
_ZIP_AREAS, _ZIPS_AN_AREA = 28, 30
_RECURRENCES = 31
_YEARS = 26


def registry(n: int = 72_194, seed: int = 0) -> pl.DataFrame:
    """A registry of n cancer patients, one row each; the same n and seed always give the same table.

    Columns: birth_date, gender, race, zip, and the sensitive columns: topography (ICD-O site code), histology (ICD-O
    cell code), survival_years, diagnosis_date, age_at_diagnosis, tumour_size (mm), tumour_site (a name for each kind
    of tumour) and recurrence_status (31 codes). No value is missing.

    >>> registry(3).columns[:6]
    ['birth_date', 'gender', 'race', 'zip', 'topography', 'histology']
    """
    rng = np.random.default_rng(seed)
    kinds = _kinds()
    kind = _draw(rng, kinds["weight"].to_numpy(), n)
    age = _ages(rng, kinds, kind)
    diagnosed, born = _days(rng, age)
    survival = _survival(rng, kinds, kind, age)
    area = _draw(rng, _falling(_ZIP_AREAS, 2), n)
    columns = {
        "birth_date": pl.Series(born, dtype=pl.Int32).cast(pl.Date),
        "gender": _named(("male", "female"), rng.random(n) < kinds["female"].to_numpy()[kind]),
        "race": _races(rng, area),
        "zip": _zips(rng, area),
        "topography": _codes(rng, kinds["topography"], kind),
        "histology": _codes(rng, kinds["histology"], kind),
        "survival_years": pl.Series(survival),
        "diagnosis_date": pl.Series(diagnosed, dtype=pl.Int32).cast(pl.Date),
        "age_at_diagnosis": pl.Series(age),
        "tumour_size": _sizes(rng, kinds, kind),
        "tumour_site": kinds["site"].gather(kind),
        "recurrence_status": _recurrences(rng, survival),
    }
    return pl.DataFrame({name: values.alias(name) for name, values in columns.items()})


@cache
def _kinds() -> pl.DataFrame:
    text = files("shoal.datasets").joinpath("tumours.csv").read_bytes()
    return pl.read_csv(text, schema_overrides={"age": pl.Float64, "female": pl.Float64, "survival": pl.Float64})


def _draw(rng: np.random.Generator, weights: Float64, n: int) -> Int64:
    """n random numbers; the probability of i is proportional to weights[i]."""
    shares = np.cumsum(weights, dtype=np.float64)
    drawn = np.searchsorted(shares / shares[-1], rng.random(n), side="right")
    return np.asarray(np.minimum(drawn, len(weights) - 1), np.int64)


def _falling(count: int, flat: float) -> Float64:
    """Weights that decrease like the sizes of towns; the larger `flat`, the smaller the differences."""
    return np.asarray(1.0 / (np.arange(count) + flat), np.float64)


def _named(names: tuple[str, ...], codes: Int64 | Flags) -> pl.Series:
    return pl.Series(names, dtype=pl.String).gather(codes.astype(np.int64))


def _ages(rng: np.random.Generator, kinds: pl.DataFrame, kind: Int64) -> Int64:
    """Ages at diagnosis in years, around the typical age of each kind, skewed towards young ages."""
    drawn = rng.gamma(9.0, 1 / 3.0, len(kind)) - 3.0  # skewed, mean 0, deviation 1
    years = kinds["age"].to_numpy()[kind] - kinds["spread"].to_numpy()[kind] * drawn
    return np.clip(np.floor(years), 0, OLDEST).astype(np.int64)


def _days(rng: np.random.Generator, age: Int64) -> tuple[Int64, Int64]:
    """The day of diagnosis, more frequent in later years, and a day of birth that gives exactly this age."""
    epoch = date(1970, 1, 1)
    first, days = (FIRST_DIAGNOSIS - epoch).days, (LAST_DIAGNOSIS - FIRST_DIAGNOSIS).days + 1
    diagnosed = first + np.floor(days * rng.random(len(age)) ** 0.85).astype(np.int64)
    lived = np.floor((age + rng.random(len(age))) * 365.25).astype(np.int64)
    return diagnosed, diagnosed - lived


def _survival(rng: np.random.Generator, kinds: pl.DataFrame, kind: Int64, age: Int64) -> Int64:
    """Complete years of survival: fewer for aggressive kinds and old patients, limited by the follow-up."""
    mean = kinds["survival"].to_numpy()[kind] * np.interp(age, [40, 65, 85], [1.3, 1.0, 0.55])
    return np.minimum(np.floor(rng.gamma(0.9, mean / 0.9)), _YEARS - 1).astype(np.int64)


def _races(rng: np.random.Generator, area: Int64) -> pl.Series:
    """Races by area; the first areas, which are towns, have more minorities."""
    white = np.where(area < 3, 0.80, 0.955)
    others = 1 + _draw(rng, np.array([80.0, 8, 3, 4, 5]), len(area))
    return _named(RACES, np.where(rng.random(len(area)) < white, 0, others))


def _zips(rng: np.random.Generator, area: Int64) -> pl.Series:
    within = _draw(rng, _falling(_ZIPS_AN_AREA, 6), len(area))
    place = (within * 7 + area) % 100  # an order that differs from that of their sizes
    return pl.Series(40_000 + area * 100 + place).cast(pl.String)


def _codes(rng: np.random.Generator, written: pl.Series, kind: Int64) -> pl.Series:
    """A random code for every row, from the `code:weight|…` of its kind."""
    drawn = np.empty(len(kind), np.int64)
    names: list[str] = []
    for number, text in enumerate(written):
        pairs = [part.split(":") for part in text.split("|")]
        rows = np.flatnonzero(kind == number)
        drawn[rows] = len(names) + _draw(rng, np.array([float(weight) for _, weight in pairs]), len(rows))
        names += [code for code, _ in pairs]
    return _named(tuple(names), drawn)


def _sizes(rng: np.random.Generator, kinds: pl.DataFrame, kind: Int64) -> pl.Series:
    """Sizes in millimetres, mostly rounded to multiples of five; 0 if a tumour has no size."""
    typical = kinds["size"].to_numpy()[kind]
    size = np.clip(np.round(typical * np.exp(rng.normal(-0.1, 0.6, len(kind)))), 1, 250)
    heaped = np.where(rng.random(len(kind)) < 0.6, np.maximum(5 * np.round(size / 5), 1), size)
    return pl.Series(np.where(typical == 0, 0, heaped).astype(np.int64))


def _recurrences(rng: np.random.Generator, survival: Int64) -> pl.Series:
    """Codes of two digits: mostly no recurrence, often never free of disease after short survival, a long tail."""
    late = _draw(rng, np.concatenate([[55.0, 8.0], 40 * _falling(_RECURRENCES - 2, 1) / 4]), len(survival))
    soon = _draw(rng, np.concatenate([[20.0, 45.0], 40 * _falling(_RECURRENCES - 2, 1) / 4]), len(survival))
    code = np.where(survival < 2, soon, late)
    return _named(tuple(f"{3 * number:02d}" for number in range(_RECURRENCES)), code)
