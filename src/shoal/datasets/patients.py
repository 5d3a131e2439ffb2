"""A synthetic patient registry, generated from a seed, with skewed and dependent columns like a real one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files

import numpy as np
import polars as pl

from shoal.arrays import Float64, Int64

REGISTRY_DATE = date(2024, 12, 31)
SEXES = ("female", "male")
STAGES = ("I", "II", "III", "IV")
FOLLOW_UP_MONTHS = 180
OLDEST = 104

# The relative number of patients of each age, interpolated linearly between these points.
_AGE_POINTS = (0, 5, 15, 25, 35, 45, 55, 65, 75, 85, 95, OLDEST)
_AGE_WEIGHTS = (11, 6, 5, 9, 10, 11, 15, 18, 15, 8, 2, 0.1)

# Shares in percent, one row for each age group; the columns are in the order of MARITAL_STATUSES.
MARITAL_STATUSES = ("Married", "Partnered", "Never married", "Separated", "Divorced", "Widowed")
_MARITAL_AGES = (0, 18, 25, 35, 50, 65, 80)
_MARITAL = {
    "female": (
        (0, 0, 100, 0, 0, 0),
        (8, 14, 77, 0.5, 0.5, 0),
        (42, 16, 36, 2, 4, 0),
        (61, 8, 16, 3, 11, 1),
        (60, 5, 9, 2, 18, 6),
        (47, 3, 6, 1, 15, 28),
        (21, 1, 5, 0.5, 8, 64),
    ),
    "male": (
        (0, 0, 100, 0, 0, 0),
        (4, 11, 84.5, 0.3, 0.2, 0),
        (37, 17, 42, 1.5, 2.5, 0),
        (62, 9, 18, 2, 9, 0),
        (66, 6, 11, 2, 13, 2),
        (71, 4, 6, 1, 11, 7),
        (61, 2, 4, 0.5, 6, 26),
    ),
}

# The probability that the first, second, … symptom of a disease is recorded; the effects of the stages on survival,
# cost and transfusions.
_RECORDED = (0.85, 0.7, 0.55, 0.45, 0.35, 0.3)
_STAGE_LIFE = np.array([2.2, 1.4, 0.7, 0.25, 1.0])
_STAGE_COST = np.array([0.7, 0.95, 1.3, 1.6, 1.0])
_STAGE_TRANSFUSION = np.array([-0.5, 0.0, 0.6, 1.3, 0.0])
_NO_STAGE = len(STAGES)
_PALLIATIVE = 0.35
_MISSING = {"race": 0.03, "marital_status": 0.025, "job": 0.04}


def patients(n: int = 10_000, seed: int = 0) -> pl.DataFrame:
    """A registry of n patients, one row each; the same n and seed always give the same table.

    Columns: record_number, name, birth_date, sex, race, marital_status, job, zip, diagnosis (ICD-10-CM), treatment,
    symptoms (a set joined by `|`), stage, survival_months, cost, transfused. A few values of race, marital_status and
    job are null; stage is null if the disease has no stages, and symptoms is null if none was recorded.

    >>> patients(3).select("record_number", "zip", "diagnosis").shape
    (3, 3)
    """
    rng = np.random.default_rng(seed)
    sex = _draw(rng, np.array([[51.5, 48.5]]), np.zeros(n, np.int64))
    age = _draw(rng, _age_weights(), np.zeros(n, np.int64))
    area, zips = _homes(rng, n)
    ill = _illness(rng, sex, age)
    columns = {
        "record_number": _numbered(rng, n),
        "name": _names(rng, sex),
        "birth_date": _birth_dates(rng, age),
        "sex": _labels(SEXES, sex),
        "race": _races(rng, area),
        "marital_status": _labels(MARITAL_STATUSES, _draw(rng, *_marital_cells(sex, age))),
        "job": _labels(*_jobs(rng, sex, age)),
        "zip": zips,
        "diagnosis": _diseases()["code"].gather(ill.disease),
        "treatment": _treatments()["treatment"].gather(ill.treatment),
        "symptoms": _symptoms(rng, ill.disease),
        "stage": _labels((*STAGES, None), ill.stage),
        "survival_months": pl.Series(_survival(rng, ill, age)),
        "cost": pl.Series(_cost(rng, ill)),
        "transfused": _labels(("no", "yes"), _transfused(rng, ill, sex, age)),
    }
    frame = pl.DataFrame({name: values.alias(name) for name, values in columns.items()})
    return frame.with_columns(_with_gaps(rng, frame[name], share) for name, share in _MISSING.items())


def knowledge() -> pl.DataFrame:
    """Public medical knowledge: `label` (the code of a disease) and `item` (a possible symptom), one pair per row."""
    long = _diseases().select(label="code", item=pl.col("symptoms").str.split("|"))
    return long.explode("item")


def patient_hierarchies() -> Mapping[str, str]:
    """File name → text (`leaf;…;*`) of the hierarchies in the demo's plan."""
    return {name: _text(name) for name in ("job.csv", "race.csv", "marital_status.csv")}


def patients_plan_toml() -> str:
    """A commented plan for the registry; it reads `patients.csv` and the hierarchies in the same folder."""
    return _text("patients.toml")


@dataclass(frozen=True)
class _Illness:
    """For each patient: the row of `_diseases()`, the row of `_treatments()`, the index in STAGES (or _NO_STAGE)."""

    disease: Int64
    treatment: Int64
    stage: Int64


def _draw(rng: np.random.Generator, weights: Float64, cell: Int64) -> Int64:
    """One random value per row, with the weights [cells, values] of the row's cell.

    The cumulative shares of cell c are mapped to the interval from c to c + 1, so one binary search serves all rows.
    """
    shares = np.cumsum(weights, axis=1)
    cells, values = shares.shape
    cumulative = shares / shares[:, -1:] + np.arange(cells)[:, None]
    position = np.searchsorted(cumulative.ravel(), cell + rng.random(len(cell)), side="right")
    return np.asarray(np.minimum(position - cell * values, values - 1), np.int64)


def _labels(labels: Sequence[str | None], codes: Int64) -> pl.Series:
    return pl.Series(labels, dtype=pl.String).gather(codes)


def _zipf(count: int) -> Float64:
    """Weights [1, count] that decrease like the frequencies of names: the first is common, the last rare."""
    return np.asarray(1.0 / (np.arange(count)[None, :] + 8.0), np.float64)


def _numbered(rng: np.random.Generator, n: int) -> pl.Series:
    """Distinct record numbers, in an order that reveals nothing about the other columns."""
    numbers = pl.Series(rng.permutation(n))
    return "R" + numbers.cast(pl.String).str.zfill(8)


def _age_weights() -> Float64:
    return np.interp(np.arange(OLDEST + 1), _AGE_POINTS, _AGE_WEIGHTS)[None, :]


def _birth_dates(rng: np.random.Generator, age: Int64) -> pl.Series:
    """Random birth dates with which patients have exactly this age on the registry's date."""
    days = np.floor((age + rng.random(len(age))) * 365.25).astype(np.int64)
    born = (REGISTRY_DATE - date(1970, 1, 1)).days - days
    return pl.Series(born, dtype=pl.Int32).cast(pl.Date)


def _names(rng: np.random.Generator, sex: Int64) -> pl.Series:
    by_sex = dict(_table("first_names.csv").iter_rows())
    first = [by_sex[name].split("|") for name in SEXES]
    last = _table("last_names.csv")["names"].item().split("|")
    weights = np.concatenate([_zipf(len(first[0])), _zipf(len(first[1]))])
    given = _labels([name for names in first for name in names], _draw(rng, weights, sex) + sex * len(first[0]))
    return given + " " + _labels(last, _draw(rng, _zipf(len(last)), np.zeros(len(sex), np.int64)))


def _homes(rng: np.random.Generator, n: int) -> tuple[Int64, pl.Series]:
    """Each patient's area (row of areas.csv) and ZIP code; areas and their ZIP codes differ much in size."""
    areas = _table("areas.csv")
    codes = [
        (row, zip3 + end)
        for row, zip3, ends in areas.with_row_index().select("index", "zip3", "zips").iter_rows()
        for end in ends.split("|")
    ]
    area_of = np.array([row for row, _ in codes], np.int64)
    order_within = np.array([place - np.searchsorted(area_of, row) for place, row in enumerate(area_of)])
    spread = 1.0 / (1.0 + 7 * order_within % 11)  # an order that differs from that of the codes
    within = np.bincount(area_of, weights=spread)
    weights = areas["weight"].to_numpy()[area_of] * spread / within[area_of]
    home = _draw(rng, weights[None, :], np.zeros(n, np.int64))
    return area_of[home], _labels([code for _, code in codes], home)


def _races(rng: np.random.Generator, area: Int64) -> pl.Series:
    shares = _table("areas.csv").drop("state", "zip3", "weight", "zips")
    return _labels(shares.columns, _draw(rng, shares.to_numpy(), area))


def _marital_cells(sex: Int64, age: Int64) -> tuple[Float64, Int64]:
    band = np.searchsorted(_MARITAL_AGES, age, side="right") - 1
    weights = np.array([_MARITAL[name] for name in SEXES], np.float64).reshape(-1, len(MARITAL_STATUSES))
    return weights, sex * len(_MARITAL_AGES) + band


def _jobs(rng: np.random.Generator, sex: Int64, age: Int64) -> tuple[list[str], Int64]:
    """Occupations by age and sex, including students, retired and unemployed patients."""
    jobs = _table("jobs.csv")
    ages = np.arange(OLDEST + 1)[:, None]
    held = (ages >= jobs["start"].to_numpy()) & (ages <= jobs["end"].to_numpy())
    by_sex = [jobs["weight"].to_numpy() * share for share in _shares_by_sex(jobs["female"].to_numpy())]
    employed = np.stack([held * weights for weights in by_sex])
    total = np.maximum(employed.sum(axis=2, keepdims=True), 1e-9)
    outside = np.stack([_outside_work(ages[:, 0], female) for female in (True, False)])
    at_work = np.clip(1 - outside.sum(axis=2, keepdims=True), 0, 1)
    weights = np.concatenate([employed / total * at_work, outside], axis=2).reshape(2 * len(ages), -1)
    names = [*jobs["job"].to_list(), "Child", "Student", "Homemaker", "Unemployed", "Retired"]
    return names, _draw(rng, weights, sex * len(ages) + age)


def _outside_work(ages: Int64, female: bool) -> Float64:
    """The shares [ages, 5] of children, students, homemakers, unemployed and retired patients."""
    child = np.where(ages < 6, 1.0, 0.0)
    student = np.interp(ages, [5.5, 6, 15, 17, 22, 27, 32], [0, 1, 1, 0.8, 0.35, 0.06, 0]) * (ages >= 6)
    retired = np.interp(ages, [55, 61, 64, 67, 70, 76, 82], [0, 0.1, 0.3, 0.7, 0.86, 0.96, 1])
    adult = np.clip(1 - student - retired, 0, 1) * (ages >= 16)
    homemaker = (0.13 if female else 0.015) * adult
    return np.stack([child, student, homemaker, 0.06 * adult, retired], axis=1)


def _shares_by_sex(female: Float64) -> tuple[Float64, Float64]:
    return female, 1 - female


def _illness(rng: np.random.Generator, sex: Int64, age: Int64) -> _Illness:
    """Diseases, treatments and stages: the disease depends on age and sex, stage and treatment on the disease."""
    diseases = _diseases()
    disease = _draw(rng, _disease_weights(diseases), sex * (OLDEST + 1) + age)
    stages = [_numbers(row) if row else [0, 0, 0, 0, 1] for row in diseases["stages"]]
    stage = _draw(rng, np.array([[*row, 0][: _NO_STAGE + 1] for row in stages], np.float64), disease)
    treatment = _draw(rng, _treatment_weights(diseases), disease)
    is_palliative = (stage == STAGES.index("IV")) & (rng.random(len(age)) < _PALLIATIVE)
    palliative = _treatments()["treatment"].to_list().index("Palliative care")
    return _Illness(disease, np.where(is_palliative, palliative, treatment), stage)


def _disease_weights(diseases: pl.DataFrame) -> Float64:
    """Weights [sexes · ages, diseases]: each disease has a typical age, a spread around it and a share of women."""
    ages = np.arange(OLDEST + 1)[:, None]
    distance = (ages - diseases["age"].to_numpy()) / diseases["spread"].to_numpy()
    at_age = diseases["weight"].to_numpy() * np.exp(-(distance**2) / 2)
    return np.concatenate([at_age * share for share in _shares_by_sex(diseases["female"].to_numpy())])


def _treatment_weights(diseases: pl.DataFrame) -> Float64:
    place = {name: number for number, name in enumerate(_treatments()["treatment"])}
    weights = np.zeros((len(diseases), len(place)))
    for disease, options in enumerate(diseases["treatments"]):
        for option in options.split("|"):
            name, _, weight = option.partition(":")
            weights[disease, place[name]] = float(weight)
    return weights


def _symptoms(rng: np.random.Generator, disease: Int64) -> pl.Series:
    """The recorded symptoms, a random subset of those of the disease; the text of every subset is built once."""
    known = [row.split("|") for row in _diseases()["symptoms"]]
    count = np.array([len(row) for row in known])[disease]
    recorded = np.zeros(len(disease), np.int64)
    for bit, probability in enumerate(_RECORDED):
        recorded |= ((rng.random(len(disease)) < probability) & (bit < count)).astype(np.int64) << bit
    subsets = 1 << len(_RECORDED)
    texts = [
        "|".join(name for bit, name in enumerate(row) if chosen >> bit & 1)
        for row in known
        for chosen in range(subsets)
    ]
    return _labels([text or None for text in texts], disease * subsets + recorded)


def _survival(rng: np.random.Generator, ill: _Illness, age: Int64) -> Int64:
    """Complete months from diagnosis to death or to the end of follow-up, whichever comes first."""
    usual = _diseases()["months"].to_numpy()[ill.disease] * _STAGE_LIFE[ill.stage] * np.clip(1.7 - age / 80, 0.3, 1.5)
    alive = usual * rng.standard_exponential(len(age)) ** 0.8
    followed = rng.random(len(age)) * np.minimum(FOLLOW_UP_MONTHS, 12 * age + 6)
    return np.asarray(np.ceil(np.minimum(alive, followed)), np.int64)


def _cost(rng: np.random.Generator, ill: _Illness) -> Float64:
    usual = _diseases()["cost"].to_numpy()[ill.disease] * _treatments()["cost"].to_numpy()[ill.treatment]
    amount = usual * _STAGE_COST[ill.stage] * np.exp(0.45 * rng.standard_normal(len(ill.stage)))
    return np.asarray(np.round(amount, 2), np.float64)


def _transfused(rng: np.random.Generator, ill: _Illness, sex: Int64, age: Int64) -> Int64:
    """Whether the patient was transfused, by a logistic model of disease, treatment, stage, age and sex."""
    logit = (
        -2.3
        + 1.3 * _diseases()["transfusion"].to_numpy()[ill.disease]
        + 1.2 * _treatments()["transfusion"].to_numpy()[ill.treatment]
        + _STAGE_TRANSFUSION[ill.stage]
        + 0.03 * (age - 55)
        + np.where(sex == 0, 0.25, -0.25)
    )
    return np.asarray(rng.random(len(age)) < 1 / (1 + np.exp(-logit)), np.int64)


def _with_gaps(rng: np.random.Generator, column: pl.Series, share: float) -> pl.Series:
    known = pl.Series(rng.random(len(column)) >= share)
    return column.zip_with(known, pl.Series(column.name, [None], dtype=pl.String))


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split("|")]


def _diseases() -> pl.DataFrame:
    return _table("diseases.csv")


def _treatments() -> pl.DataFrame:
    return _table("treatments.csv")


@cache
def _table(name: str) -> pl.DataFrame:
    return pl.read_csv(_text(name).encode(), separator=";", schema_overrides={"zip3": pl.String})


def _text(name: str) -> str:
    return (files("shoal.datasets") / name).read_text("utf-8")
