"""Saved releases of every algorithm and form, with sets, many columns and hostile names, to look at their reports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import shoal
from shoal.hierarchies import Icd10Cm

HOSTILE = "<script>alert('x')</script> & \"long\" " + "name" * 12
ROWS = 400


def _patients() -> pl.DataFrame:
    rng = np.random.default_rng(7)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 90, ROWS),
            "zip": rng.integers(10_000, 10_060, ROWS).astype(str),
            "sex": rng.choice(["female", "male"], ROWS),
            "diagnosis": rng.choice(["E11.9", "I10", "J45.909", "C50.911", "B20"], ROWS, p=[0.3, 0.3, 0.2, 0.15, 0.05]),
            "cost": rng.integers(100, 9_000, ROWS),
            "readmitted": rng.choice(["yes", "no"], ROWS, p=[0.2, 0.8]),
        }
    )


def _columns(**changed: shoal.Column) -> dict[str, shoal.Column]:
    return {
        "age": shoal.quasi(shoal.intervals(5, 10, 20)),
        "zip": shoal.quasi(shoal.prefixes()),
        "sex": shoal.quasi(),
        "diagnosis": shoal.sensitive(Icd10Cm(), protected=("C00-D49",)),
        "cost": shoal.drop(),
        "readmitted": shoal.insensitive(),
        **changed,
    }


_MODELS = (shoal.KAnonymity(k=5), shoal.LDiversity("diagnosis", l=2), shoal.TCloseness("diagnosis", t=0.6))


def _by(algorithm: object, *models: object, **parts: object) -> shoal.Release:
    columns = _columns(readmitted=shoal.target()) if isinstance(algorithm, shoal.Pais) else _columns()
    given = {"columns": columns, "models": models or _MODELS, "algorithm": algorithm, **parts}
    return shoal.anonymize(_patients(), shoal.Plan(**given))  # type: ignore[arg-type]


def _several_sensitive() -> shoal.Release:
    columns = _columns(readmitted=shoal.sensitive())
    return shoal.anonymize(_patients(), shoal.Plan(columns=columns, models=_MODELS))


def _anatomy() -> shoal.Release:
    columns = _columns(cost=shoal.sensitive())
    models = (shoal.LDiversity("diagnosis", l=2), shoal.PSensitive(p=2, k=4))
    settings = shoal.ReleaseSettings(form="anatomy")
    return shoal.anonymize(_patients(), shoal.Plan(columns=columns, models=models, release=settings))


def _sets() -> shoal.Release:
    rng = np.random.default_rng(3)
    drugs = np.array(["aspirin", "insulin", "statin", "steroid", "opioid"])
    taken = ["|".join(sorted(rng.choice(drugs, rng.integers(1, 4), replace=False))) for _ in range(ROWS)]
    frame = _patients().select("age", "sex").with_columns(pl.Series("drugs", taken))
    columns = {"age": shoal.quasi(), "sex": shoal.quasi(), "drugs": shoal.quasi_sensitive(items="|")}
    models = (shoal.KAnonymity(k=5), shoal.KmAnonymity("drugs", k=15, m=2))
    return shoal.anonymize(frame, shoal.Plan(columns=columns, models=models))


def _wide() -> shoal.Release:
    rng = np.random.default_rng(5)
    names = [f"laboratory_value_{n:02}" for n in range(40)]
    frame = pl.DataFrame({name: rng.integers(0, 6, ROWS) for name in names})
    plan = shoal.Plan(columns={name: shoal.quasi() for name in names}, models=[shoal.KAnonymity(k=10)])
    return shoal.anonymize(frame, plan)


def _hostile() -> shoal.Release:
    names = {"age": HOSTILE, "diagnosis": f"{HOSTILE}2"}
    columns = {names.get(name, name): column for name, column in _columns().items()}
    models = (shoal.KAnonymity(k=5), shoal.LDiversity(names["diagnosis"], l=2))
    return shoal.anonymize(_patients().rename(names), shoal.Plan(columns=columns, models=models))


RELEASES: dict[str, Callable[[], shoal.Release]] = {
    "mondrian": lambda: _by(shoal.Mondrian()),
    "optimal": lambda: _by(shoal.Optimal(), release=shoal.ReleaseSettings(suppression=0.05)),
    "incognito": lambda: _by(shoal.Incognito()),
    "samarati": lambda: _by(shoal.Samarati()),
    "pais": lambda: _by(shoal.Pais(), shoal.KAnonymity(k=5), shoal.LDiversity("diagnosis", l=2)),
    "k-member": lambda: _by(shoal.KMember(), risk=shoal.RiskSettings(highest=0.1)),
    "scba": lambda: _by(shoal.Scba("diagnosis", high=("B20", "C50.911")), shoal.KAnonymity(k=5)),
    "several": _several_sensitive,
    "anatomy": _anatomy,
    "sets": _sets,
    "wide": _wide,
    "hostile": _hostile,
}
"""Name → a release with something special to show."""


def saved(folder: Path, name: str) -> Path:
    """The folder of a release, which is made if it is not there."""
    place = folder / name
    if not place.is_dir():
        RELEASES[name]().save(place)
    return place
