"""Fixed tables and plans for `benchmarks.mutants`: every algorithm with every setting that a fault could spoil."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import shoal
from shoal.algorithms import Algorithm, Incognito, KMember, Mondrian, Optimal, Pais, Samarati, Scba
from shoal.errors import PlanError
from shoal.hierarchies import File, Flat, Intervals, Learned, Prefix
from shoal.models import ClassModel
from shoal.roles.columns import Column
from tests.contract.tables import JOBS, Row
from tests.fuzz.columns import CITIES, ODD, Quasi
from tests.fuzz.making import Made, trees
from tests.models.tables import COLUMNS

ALGORITHMS: tuple[Algorithm, ...] = (
    Mondrian(),
    Mondrian(cut="median"),
    Optimal(),
    Optimal(measure="discernibility"),
    Optimal(measure="entropy", local=True),
    Incognito(),
    Samarati(),
    Pais(),
    Pais(goal="classification", score="paper"),
)
CLUSTERING: tuple[Algorithm, ...] = (KMember(), KMember(bounded=True, refine=True), Mondrian(refine=True))
SCOPED: tuple[Algorithm, ...] = (
    Scba(column="disease", high=("HIV", "rash", "flu")),
    Scba(column="disease", high=("HIV", "rash", "flu"), inner="optimal", cover=0.5),
    Scba(column="months", high=("9.0", "10"), inner="k-member", cover=1.0),
)
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"ranges": "cut", "categories": "sets"},
    {"categories": "sets", "absent": 0.1},
    {"absent": 0.1, "drops": True, "ranges": "cut"},
    {"person": True},
    {"suppression": 0.2, "absent": 0.1},
    {"limited": True, "suppression": 0.0},
)
K, L = shoal.KAnonymity(k=3), shoal.LDiversity("disease", l=2)
MODELS: tuple[tuple[ClassModel, ...], ...] = (
    (K, L),
    (K, shoal.TCloseness("disease", t=0.6)),
    (K,),
    (shoal.PSensitive(p=2, k=3), shoal.AlphaK("disease", alpha=0.7, k=2)),
    (K, shoal.BetaLikeness("disease", beta=3)),
    (K, shoal.TCloseness("months", t=0.5, distance="ordered", reference="input")),
    (shoal.MultiSensitive(l=2, k=3),),
)
PROTECTING = (shoal.ExtendedPSensitive(p=2, k=3), shoal.ExtendedPSensitive(p=3, k=3, columns=("disease",)))
TABLE_MODELS = (shoal.LKC(l=2, k=3, c=0.8, column="disease"),)


def cases() -> Iterator[tuple[Made, shoal.Plan]]:
    """Tables with their plans, in a fixed order; plans whose parts do not fit are left out."""
    number = 0
    for settings in SETTINGS:
        for algorithm in ALGORITHMS:
            number += 1
            yield from _case(number, algorithm, settings, MODELS[number % len(MODELS)])
    for settings in SETTINGS:
        number += 1
        yield from _case(number, Mondrian(), {**settings, "form": "anatomy"}, (L, MODELS[number % 2 + 3][0]))
    for settings in (SETTINGS[0], SETTINGS[2], SETTINGS[4]):
        for algorithm in (Pais(), Optimal()):
            number += 1
            yield from _case(number, algorithm, settings, TABLE_MODELS)
    for settings in SETTINGS:
        for algorithm in CLUSTERING:
            number += 1
            tight = {name: value for name, value in settings.items() if name not in ("ranges", "suppression")}
            yield from _case(number, algorithm, tight, MODELS[number % len(MODELS)])
    for settings in SETTINGS[:6]:
        for algorithm in SCOPED:
            number += 1
            tight = {name: value for name, value in settings.items() if name != "ranges"}
            yield from _case(number, algorithm, tight, (K,))
    for settings in SETTINGS:
        for algorithm in (Mondrian(), Optimal(), KMember()):
            number += 1
            alone = {} if isinstance(algorithm, KMember) else settings
            yield from _case(number, algorithm, alone, (PROTECTING[number % 2],))
    for settings in SETTINGS[:5]:
        for algorithm in (Mondrian(), *CLUSTERING):
            number += 1
            clusters = algorithm != Mondrian()
            tight = {name: value for name, value in settings.items() if not clusters or name != "ranges"}
            yield from _case(number, algorithm, {**tight, "limit": 14}, MODELS[number % len(MODELS)])


def _case(
    number: int, algorithm: Algorithm, settings: dict[str, Any], models: tuple[ClassModel, ...]
) -> Iterator[tuple[Made, shoal.Plan]]:
    """The table and the plan, with weaker models where the stronger ones do not fit the algorithm."""
    made = _table(Random(number), settings)
    for chosen in (models, (K, L)):
        try:
            yield made, _plan(made, algorithm, settings, chosen)
            return
        except PlanError:
            continue


def _plan(made: Made, algorithm: Algorithm, settings: dict[str, Any], models: tuple[ClassModel, ...]) -> shoal.Plan:
    sensitive = {
        name: Column(
            role="sensitive",
            hierarchy=File(str(trees() / f"{name}.csv")),
            type="real" if name == "months" else None,
            protected=COLUMNS[name].protected,
        )
        for name in COLUMNS
    }
    release = {name: settings[name] for name in ("ranges", "categories", "suppression", "form") if name in settings}
    return shoal.Plan(
        data=shoal.Data(person="who" if made.person else None, missing_rows="drop" if made.drops else "keep"),
        columns={
            **{each.name: Column(role="quasi-identifier", **_limited(each, settings)) for each in made.quasi},
            **sensitive,
            "who": shoal.identifier(),
            "note": shoal.insensitive(),
            "goal": shoal.target(),
        },
        models=models,
        algorithm=algorithm,
        engine=shoal.EngineSettings.model_construct(distinct_limit=settings.get("limit", 50_000_000)),
        release=shoal.ReleaseSettings(**release),
    )


def _limited(quasi: Quasi, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of a column; if levels are limited, those of its hierarchy that may be published."""
    if not settings.get("limited") or not isinstance(quasi.settings.get("hierarchy"), Intervals | File):
        return dict(quasi.settings)
    return {**quasi.settings, "finest": 1, "coarsest": 2}


def _table(rng: Random, settings: dict[str, Any]) -> Made:
    """Forty-eight patients with three quasi-identifiers of different kinds."""
    quasi = tuple(replace(each, name=f"q{place}") for place, each in enumerate(rng.sample(_kinds(trees()), 3)))
    absent, persons = settings.get("absent", 0.0), 24 if settings.get("person") else 1000
    rows = tuple(_row(rng, quasi, absent, persons) for _ in range(48))
    return Made(
        rows,
        quasi,
        person=bool(settings.get("person")),
        drops=bool(settings.get("drops")),
        missing_counts=frozenset(),
        extra=False,
        kind="text",
    )


def _row(rng: Random, quasi: tuple[Quasi, ...], absent: float, persons: int) -> Row:
    row: Row = {each.name: None if rng.random() < absent else rng.choice(each.values) for each in quasi}
    row |= {name: rng.choice(list(column.paths)) for name, column in COLUMNS.items()}
    row["who"] = f"p{rng.randrange(persons)}"
    return row | {"note": str(rng.randrange(100)), "goal": rng.choice(("yes", "no"))}


def _kinds(folder: Path) -> list[Quasi]:
    """Few values each, so that classes are more than one and less than all rows."""

    def coded(value: str) -> str:
        return str(min(max(int(value), 22), 40))

    ages = tuple(str(age) for age in range(18, 46, 3))
    huge = tuple(str(2**60 + n) for n in range(6))
    groups = [f"group {i + 1} of {n}" for n in range(2, 41) for i in range(n)]
    return [
        Quasi("", ages, "integer", {}),
        Quasi("", ages, "integer", {"top": 40, "bottom": 22}, coded=coded),
        Quasi("", ages, "integer", {"hierarchy": Intervals((5, 10, 20)), "weight": 3.0}),
        Quasi("", huge, "integer", {}),
        Quasi("", ("0.1", "0.25", "0.3", "1.5", "2.75", "-3.75"), "real", {"type": "real"}),
        Quasi("", ("1950-01-31", "1950-02-01", "1981-12-31", "2000-02-29"), "date", {}),
        Quasi("", ODD[:8], "text", {"type": "text", "hierarchy": Learned(2), "weight": 0.5}),
        Quasi("", ODD[8:14], "text", {"type": "text", "hierarchy": Flat()}),
        Quasi(
            "",
            ("02139", "02138", "02144", "10001", "1000"),
            "text",
            {"type": "text", "hierarchy": Prefix()},
            lambda value: [value[:n] + "*" for n in range(1, len(value) + 1)],
        ),
        Quasi("", tuple(JOBS)[:5], "text", {"hierarchy": File(str(folder / "jobs.csv"))}, lambda value: JOBS[value]),
        Quasi("", CITIES[:24], "text", {"hierarchy": Learned(2)}, lambda _value: groups),
    ]
