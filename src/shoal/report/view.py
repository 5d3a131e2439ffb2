"""View: what a report says, in words and formatted numbers. Text and HTML only lay it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any

from shoal import measures, models
from shoal.errors import PlanError
from shoal.manifest import Manifest, MissingEffect
from shoal.models.evidence import Verdict
from shoal.percent import percent
from shoal.report.steps import plot, steps_of

_RATIO = "the same as a share of its largest possible value"
_COLUMNS = ("column", "columns")
"""Parameters that name columns: they stand in a column of their own."""

CHECK = "shoal verify DIR --digest DIGEST"

UNSTOPPED = (
    (
        "Knowing how it was made",
        "The algorithm and the plan are public. Who knows that nothing was coarsened without need can sometimes tell "
        "which rows forced it (the minimality attack).",
    ),
    (
        "Other releases",
        "Each release is judged alone. Two releases of the same persons can be intersected, and then classes get "
        "smaller than either promises.",
    ),
    (
        "Other knowledge",
        "Every model assumes what an intruder knows. Who knows more, such as a symptom, a date or a relative's "
        "illness, may learn more.",
    ),
)
"""What no class model stops, whatever its parameters: a name and a sentence or two."""


@dataclass(frozen=True)
class Attacked:
    """What an attack found in the release, in words."""

    kind: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class ModelLine:
    """One model of the plan and its verdict."""

    kind: str
    column: str
    asked: str
    achieved: str
    failing: str
    holds: bool


@dataclass(frozen=True)
class Explanation:
    """What a kind of model promises and what it does not."""

    kind: str
    promise: str
    not_protected: str
    paper: str


@dataclass(frozen=True)
class MeasureLine:
    """One measure over the whole release."""

    label: str
    figure: str
    about: str
    goal: str


@dataclass(frozen=True)
class Bar:
    """A share of 0 to 1 to draw; None where the measure does not cover the column."""

    share: float | None

    @property
    def figure(self) -> str:
        return "–" if self.share is None else f"{self.share:.3f}"

    @property
    def width(self) -> str:
        return f"{100 * min(max(self.share or 0.0, 0.0), 1.0):.1f}%"


@dataclass(frozen=True)
class ColumnLine:
    """One quasi-identifier: a bar for every measure that speaks of columns, and its level where all rows share one."""

    name: str
    bars: tuple[Bar, ...]
    level: str


@dataclass(frozen=True)
class ColumnTable:
    """What was given up, column by column. `measures` head the bars."""

    measures: tuple[MeasureLine, ...]
    lines: tuple[ColumnLine, ...]
    has_levels: bool


@dataclass(frozen=True)
class View:
    """The whole report."""

    verdict: str
    holds: bool
    checked: str
    figures: tuple[tuple[str, str, str], ...]
    """Headline figures: name, figure, remark."""
    models: tuple[ModelLine, ...]
    explanations: tuple[Explanation, ...]
    measures: tuple[MeasureLine, ...]
    columns: ColumnTable
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    steps: str
    """A drawing of the steps, as SVG; empty where the release was not made in steps."""
    attacks: tuple[Attacked, ...]
    made: tuple[tuple[str, str], ...]
    """How the release was made: name, value."""
    timings: tuple[tuple[str, str], ...]
    unstopped: tuple[tuple[str, str], ...]
    check: str
    version: str


def view_of(manifest: Manifest) -> View:
    """The view of a release's manifest; what the manifest does not say is left out."""
    lines = tuple(_model_line(model) for model in manifest.models)
    steps = steps_of(manifest)
    return View(
        verdict=_verdict(lines),
        holds=manifest.holds,
        checked=_checked(manifest),
        figures=_headline(manifest),
        models=lines,
        explanations=_explanations(lines),
        measures=tuple(_measure_lines(manifest.measures)),
        columns=_column_table(manifest.measures, _levels(manifest)),
        warnings=manifest.warnings,
        notes=(*manifest.notes, *_missing_notes(manifest.missing)),
        steps=plot(steps) if steps else "",
        attacks=tuple(Attacked(kind, tuple(said)) for kind, said in manifest.attacks.items()),
        made=_made(manifest),
        timings=_timings(manifest.timings),
        unstopped=UNSTOPPED,
        check=CHECK,
        version=manifest.shoal_version,
    )


# -- verdict and headline -----------------------------------------------------------------------------------------


def _verdict(lines: Sequence[ModelLine]) -> str:
    broken = sum(not line.holds for line in lines)
    if not lines:
        return "Nothing has been verified"
    if not broken:
        return "Every promise holds"
    return "A promise does not hold" if broken == 1 else f"{broken} promises do not hold"


def _checked(manifest: Manifest) -> str:
    promises = len(manifest.models)
    if not promises:
        return "The release makes no promise that was checked. Do not publish it."
    return (
        f"The {number(manifest.rows_released)} released rows were regrouped by their published labels into "
        f"{_counted(manifest.classes, 'class', 'classes')}, and {_counted(promises, 'promise', 'promises')} checked on "
        f"them by code that shares nothing with the search."
    )


def _headline(manifest: Manifest) -> tuple[tuple[str, str, str], ...]:
    rows_in, released, classes = manifest.rows_in, manifest.rows_released, manifest.classes
    share = f"{percent(manifest.rows_suppressed / rows_in)} of all" if rows_in else ""
    figures = [
        ("Rows released", number(released), f"of {number(rows_in)}"),
        ("Rows suppressed", number(manifest.rows_suppressed), share),
        ("Classes", number(classes), f"{number(released / classes)} rows on average" if classes else ""),
    ]
    ncp = manifest.measures.get("ncp")
    if ncp is not None:
        figures.append(("Information loss", percent(ncp), "NCP, mean over all cells"))
    return tuple(figures)


# -- models -------------------------------------------------------------------------------------------------------


def _model_line(model: Verdict) -> ModelLine:
    named = model.parameters.get("column") or model.parameters.get("columns") or ()
    given = {key: value for key, value in model.parameters.items() if key not in _COLUMNS}
    asked = {**given, **{key: value for key, value in _defaults(model.kind).items() if key not in given}}
    return ModelLine(
        kind=model.kind,
        column=named if isinstance(named, str) else ", ".join(named),
        asked=_listed(asked),
        achieved=_listed(folded(model.achieved)),
        failing=number(model.failing),
        holds=model.holds,
    )


def folded(achieved: Mapping[str, Any]) -> dict[str, Any]:
    """What was achieved, with the columns where it was behind the number.

    >>> folded({"support": 5, "support_columns": "age, zip", "confidence": 0.25, "confidence_columns": ""})
    {'support': '5 (age, zip)', 'confidence': 0.25}
    """
    found: dict[str, Any] = {}
    for name, value in achieved.items():
        what = name.removesuffix("_columns")
        if what == name or what not in found:
            found[name] = value
        elif value:
            number = found[what]
            found[what] = f"{number:.6g} ({value})" if isinstance(number, float) else f"{number} ({value})"
    return found


def _defaults(kind: str) -> dict[str, Any]:
    """The parameters a manifest leaves out because they are at their defaults."""
    cls: Any = _model(kind)
    if cls is None:
        return {}
    known = {item.name: item.default for item in fields(cls) if item.default not in (MISSING, None)}
    return {name: value for name, value in known.items() if name not in _COLUMNS}


def _model(kind: str) -> type[models.ClassModel] | None:
    """The model of that kind; a manifest of another version may name one that this version does not have."""
    try:
        return models.by_kind(kind)
    except PlanError:
        return None


def _explanations(lines: Sequence[ModelLine]) -> tuple[Explanation, ...]:
    """Each kind explained once, in the order of the plan."""
    found = []
    for kind in dict.fromkeys(line.kind for line in lines):
        cls = _model(kind)
        if cls is not None:
            about = cls.about
            found.append(Explanation(kind, about.promise, about.not_protected, about.paper))
    return tuple(found)


# -- measures -----------------------------------------------------------------------------------------------------


def _measure_lines(figures: Mapping[str, Any]) -> list[MeasureLine]:
    """A line for every measure that was taken, and one for its ratio to the largest possible, where there is one."""
    found = []
    for cls in measures.ALL:
        for name, about in ((cls.name, cls.about), (f"{cls.name}_ratio", _RATIO)):
            if figures.get(name) is not None:
                found.append(MeasureLine(_label(name), number(figures[name]), about, cls.goal))
    return found


def _column_table(figures: Mapping[str, Any], levels: Mapping[str, Any]) -> ColumnTable:
    taken = [cls for cls in measures.ALL if figures.get(f"{cls.name}_by_column")]
    shares = [figures[f"{cls.name}_by_column"] for cls in taken]
    names = dict.fromkeys(name for by_column in shares for name in by_column)
    lines = tuple(
        ColumnLine(name, tuple(Bar(by_column.get(name)) for by_column in shares), str(levels.get(name, "–")))
        for name in names
    )
    heads = tuple(MeasureLine(_label(cls.name), "", cls.about, cls.goal) for cls in taken)
    return ColumnTable(heads, lines, bool(levels))


def _levels(manifest: Manifest) -> dict[str, str]:
    """The level of every column that has one, or the levels that its rows have."""
    several = {name: f"{min(rows, key=int)} to {max(rows, key=int)}" for name, rows in manifest.rows_by_level.items()}
    return {**several, **{name: str(level) for name, level in manifest.levels.items()}}


def _label(name: str) -> str:
    """A measure's name as people write it: abbreviations large, words with a capital."""
    return name.upper() if len(name) <= 3 else name.replace("_", " ").capitalize()


# -- notes, making, timings ---------------------------------------------------------------------------------------


def _missing_notes(missing: MissingEffect | None) -> list[str]:
    """What missing values did to class sizes."""
    if missing is None:
        return []
    columns = ", ".join(f"'{name}'" for name in missing.columns)
    sentence = (
        f"Missing values count as a value of their own. {percent(missing.share_of_rows)} of the rows lack a "
        f"quasi-identifier ({columns})"
    )
    shown, others = missing.smallest_class_showing_missing, missing.smallest_other_class
    if shown is None:
        return [f"{sentence}; no class shows it."]
    rest = f", the smallest other class {number(others)}" if others is not None else ""
    return [f"{sentence}. The smallest class that shows a missing value has {number(shown)} members{rest}."]


def _made(manifest: Manifest) -> tuple[tuple[str, str], ...]:
    search = manifest.search
    known = (
        ("Algorithm", manifest.algorithm or None),
        ("Form", manifest.form or None),
        ("Proven optimal", search.proven_optimal),
        ("Lower bound", search.lower_bound),
        ("Cost found", search.cost),
        ("Cost of the best full-domain recoding", search.full_domain_cost),
        ("Measure", search.measure),
        ("Shoal", manifest.shoal_version or None),
    )
    return tuple((label, number(value)) for label, value in known if value is not None)


def _timings(seconds: Mapping[str, float]) -> tuple[tuple[str, str], ...]:
    return tuple((step, f"{spent:.2f} s") for step, spent in seconds.items())


# -- numbers for people -------------------------------------------------------------------------------------------


def number(value: Any) -> str:
    """A figure for people to read.

    >>> number(1234567), number(0.123456), number(True), number(None), number(["a", "b"])
    ('1,234,567', '0.1235', 'yes', '–', 'a, b')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"
    if isinstance(value, int):
        return f"{value:,}"
    return ", ".join(number(item) for item in value) if isinstance(value, list | tuple) else str(value)


def _listed(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {number(value)}" for name, value in parameters.items())


def _counted(count: int, one: str, many: str) -> str:
    return f"{number(count)} {one if count == 1 else many}"
