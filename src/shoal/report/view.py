"""View: the content of a report as sentences and formatted numbers. Text and HTML only lay it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any

from shoal import measures, models
from shoal.counts import counted
from shoal.errors import PlanError
from shoal.manifest import Manifest, MissingEffect
from shoal.models.evidence import Verdict
from shoal.percent import percent
from shoal.report.disclosure import Disclosed, disclosed
from shoal.report.items import Items, items_of
from shoal.report.numbers import number
from shoal.report.risk import risk_lines
from shoal.report.steps import plot, steps_of
from shoal.report.summary import levels, outcome, suppressed
from shoal.report.verifying import verifying
from shoal.risks.showing import Line

_RATIO = "the same figure as a share of its largest possible value"
_COLUMNS = ("column", "columns")
"""Parameters that name columns: the report shows them in a separate column."""

UNSTOPPED = (
    (
        "Minimality attack",
        "The algorithm and the plan are public. An intruder who knows that the algorithm generalizes no more than "
        "necessary can sometimes infer which rows made the generalization necessary.",
    ),
    (
        "Other releases",
        "Each release is verified separately. An intruder who intersects two releases of the same individuals can "
        "obtain classes that are smaller than either release promises.",
    ),
    (
        "Additional knowledge",
        "Every model makes an assumption about what an intruder knows. An intruder who knows more, such as a symptom, "
        "a date or a relative's illness, may learn more.",
    ),
)
"""The risks that no class model covers, whatever its parameters: a name and a short description."""


@dataclass(frozen=True)
class Attacked:
    """The result of an attack on the release, in sentences."""

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
    scope: str = ""
    """The rows that the promise covers, in words; empty for all rows."""


@dataclass(frozen=True)
class Explanation:
    """What a kind of model promises, and what it does not protect against."""

    kind: str
    promise: str
    not_protected: str
    paper: str


@dataclass(frozen=True)
class MeasureLine:
    """One measure of the complete release."""

    label: str
    figure: str
    about: str
    goal: str


@dataclass(frozen=True)
class Bar:
    """A share from 0 to 1, drawn as a bar; None if the measure does not cover the column."""

    share: float | None

    @property
    def figure(self) -> str:
        return "–" if self.share is None else f"{self.share:.3f}"

    @property
    def width(self) -> str:
        return f"{100 * min(max(self.share or 0.0, 0.0), 1.0):.1f}%"


@dataclass(frozen=True)
class ColumnLine:
    """One quasi-identifier: what its labels are, a bar for every measure by column, and the level of its rows."""

    name: str
    published: str
    bars: tuple[Bar, ...]
    level: str


@dataclass(frozen=True)
class ColumnTable:
    """The measures by column. `measures` are the headers of the bars."""

    measures: tuple[MeasureLine, ...]
    lines: tuple[ColumnLine, ...]
    has_published: bool
    has_levels: bool


@dataclass(frozen=True)
class View:
    """The complete report."""

    verdict: str
    holds: bool
    serious: bool
    """Whether a serious warning stands or a threshold is exceeded, with which no release is plainly safe."""
    checked: str
    figures: tuple[tuple[str, str, str], ...]
    """Headline figures: name, figure, remark."""
    models: tuple[ModelLine, ...]
    explanations: tuple[Explanation, ...]
    measures: tuple[MeasureLine, ...]
    columns: ColumnTable
    outcome: tuple[str, ...]
    """What the columns and the search achieved, in sentences."""
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    steps: str
    """A plot of the steps, as SVG; empty if the algorithm records no steps."""
    attacks: tuple[Attacked, ...]
    disclosed: tuple[Disclosed, ...]
    risk: tuple[Line, ...]
    """The figures of risk, for the steward."""
    items: Items
    """What became of items, for the steward."""
    made: tuple[tuple[str, str], ...]
    """How the release was made: name, value."""
    timings: tuple[tuple[str, str], ...]
    unstopped: tuple[tuple[str, str], ...]
    check: str
    """The command that verifies the release."""
    check_help: str
    check_needs: str
    """What it needs besides the published files; empty if they are sufficient."""
    version: str
    private: bool
    """Whether it shows what only the steward may know."""

    @property
    def warnings_heading(self) -> str:
        """The heading of the warnings."""
        return f"{counted(len(self.warnings), 'risk', 'risks')} that no model covers"


def view_of(manifest: Manifest, digest: str | None = None, folder: str | None = None) -> View:
    """The view of a release's manifest; parts that the manifest does not contain are omitted.

    `digest` and `folder` are those of the saved release, if known. Published reports know neither.
    """
    lines = tuple(_model_line(model) for model in manifest.models)
    steps, exceeded = steps_of(manifest), len(manifest.risk.get("exceeded", ()))
    check = verifying(manifest, digest, folder)
    return View(
        verdict=_verdict(lines, manifest.serious_warnings, exceeded),
        holds=manifest.holds,
        serious=manifest.serious_warnings + exceeded > 0,
        checked=_checked(manifest),
        figures=_headline(manifest),
        models=lines,
        explanations=_explanations(lines),
        measures=tuple(_measure_lines(manifest.measures)),
        columns=_column_table(manifest),
        outcome=outcome(manifest),
        warnings=manifest.warnings,
        notes=(*manifest.notes, *_missing_notes(manifest.missing)),
        steps=plot(steps) if steps else "",
        attacks=tuple(Attacked(kind, tuple(sentences)) for kind, sentences in manifest.attacks.items()),
        disclosed=disclosed(manifest.disclosure),
        risk=risk_lines(manifest),
        items=items_of(manifest),
        made=_made(manifest),
        timings=tuple((step, f"{spent:.2f} s") for step, spent in manifest.timings.items()),
        unstopped=UNSTOPPED,
        check=check.command,
        check_help=check.help,
        check_needs=check.needs,
        version=manifest.shoal_version,
        private=bool(manifest.timings),
    )


# -- verdict and headline -----------------------------------------------------------------------------------------


def _verdict(lines: Sequence[ModelLine], serious: int, exceeded: int = 0) -> str:
    broken = sum(not line.holds for line in lines)
    if not lines:
        return "No promise has been verified"
    held = "Every promise holds" if not any(line.scope for line in lines) else "Every promise holds for some rows only"
    if not broken and exceeded:
        return f"{held}, but {counted(exceeded, 'threshold of the plan is', 'thresholds of the plan are')} exceeded"
    if not broken and serious:
        return f"{held}, but {counted(serious, 'serious warning stands', 'serious warnings stand')}"
    if not broken:
        return held
    return "A promise does not hold" if broken == 1 else f"{broken} promises do not hold"


def _checked(manifest: Manifest) -> str:
    promises = len(manifest.models)
    if not promises:
        return "The release contains no verified promise. Do not publish it."
    were = "was" if promises == 1 else "were"
    return (
        f"Verification regrouped the {number(manifest.rows_released)} released rows by their labels into "
        f"{counted(manifest.classes, 'class', 'classes')}. {counted(promises, 'promise', 'promises')} {were} checked "
        f"on these classes by code that is independent of the search."
    )


def _headline(manifest: Manifest) -> tuple[tuple[str, str, str], ...]:
    rows_in, released, classes = manifest.rows_in, manifest.rows_released, manifest.classes
    size = released / classes if classes else 0
    figures = [
        ("Rows released", number(released), f"of {number(rows_in)}"),
        ("Rows suppressed", number(manifest.rows_suppressed), suppressed(manifest)),
        ("Classes", number(classes), f"{number(size)} {'row' if size == 1 else 'rows'} on average" if classes else ""),
    ]
    if manifest.persons_released is not None:
        remark = f"of {number(manifest.persons_in)}; classes count persons, not rows"
        figures.insert(2, ("Persons released", number(manifest.persons_released), remark))
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
        scope="" if model.scope is None else model.scope.words,
    )


def folded(achieved: Mapping[str, Any]) -> dict[str, Any]:
    """The achieved figures, each followed by the columns in which it occurs.

    >>> folded({"support": 5, "support_columns": "age, zip", "confidence": 0.25, "confidence_columns": ""})
    {'support': '5 (age, zip)', 'confidence': 0.25}
    """
    figures: dict[str, Any] = {}
    for name, value in achieved.items():
        figure = name.removesuffix("_columns")
        if figure == name or figure not in figures:
            figures[name] = value
        elif value:
            number = figures[figure]
            figures[figure] = f"{number:.6g} ({value})" if isinstance(number, float) else f"{number} ({value})"
    return figures


def _defaults(kind: str) -> dict[str, Any]:
    """The parameters that a manifest omits because they have their default values."""
    cls: Any = _model(kind)
    if cls is None:
        return {}
    known = {item.name: item.default for item in fields(cls) if item.default not in (MISSING, None)}
    return {name: value for name, value in known.items() if name not in _COLUMNS}


def _model(kind: str) -> type[models.ClassModel] | None:
    """The model of this kind; None if a manifest of another version names an unknown one."""
    try:
        return models.by_kind(kind)
    except PlanError:
        return None


def _explanations(lines: Sequence[ModelLine]) -> tuple[Explanation, ...]:
    """One explanation per kind, in the order of the plan; it begins with the rows that are covered, if not all are."""
    explanations = []
    for kind, scope in {line.kind: line.scope for line in lines}.items():
        cls = _model(kind)
        if cls is not None:
            about = cls.about
            promise = f"{scope[0].upper()}{scope[1:]}: {about.promise}" if scope else about.promise
            explanations.append(Explanation(kind, promise, about.not_protected, about.paper))
    return tuple(explanations)


# -- measures -----------------------------------------------------------------------------------------------------


def _measure_lines(figures: Mapping[str, Any]) -> list[MeasureLine]:
    """A line for every computed measure, and one for its ratio to the largest possible value if there is one."""
    lines = []
    for cls in measures.ALL:
        for name, about in ((cls.name, cls.about), (f"{cls.name}_ratio", _RATIO)):
            if figures.get(name) is not None:
                lines.append(MeasureLine(_label(name), number(figures[name]), about, cls.goal))
    return lines


def _column_table(manifest: Manifest) -> ColumnTable:
    figures, by_name, published = manifest.measures, levels(manifest), manifest.published_as
    of_cells = [cls for cls in measures.ALL if cls is not measures.ItemLoss]  # set-valued columns have their own table
    computed = [cls for cls in of_cells if figures.get(f"{cls.name}_by_column")]
    shares = [figures[f"{cls.name}_by_column"] for cls in computed]
    names = dict.fromkeys(name for by_column in shares for name in by_column)
    lines = tuple(
        ColumnLine(
            name, published.get(name, "–"), tuple(Bar(each.get(name)) for each in shares), by_name.get(name, "–")
        )
        for name in names
    )
    heads = tuple(MeasureLine(_label(cls.name), "", cls.about, cls.goal) for cls in computed)
    return ColumnTable(heads, lines, bool(published), bool(by_name))


def _label(name: str) -> str:
    """A measure's name for display: abbreviations in capitals, words capitalized."""
    return name.upper() if len(name) <= 3 else name.replace("_", " ").capitalize()


# -- notes, making, timings ---------------------------------------------------------------------------------------


def _missing_notes(missing: MissingEffect | None) -> list[str]:
    """The effect of missing values on class sizes, in sentences."""
    if missing is None:
        return []
    columns = ", ".join(f"'{name}'" for name in missing.columns)
    sentence = (
        f"Missing values count as a separate value. {percent(missing.share_of_rows)} of the rows lack the value of a "
        f"quasi-identifier ({columns})."
    )
    shown, others = missing.smallest_class_showing_missing, missing.smallest_other_class
    if shown is None:
        return [f"{sentence} No class shows a missing value."]
    rest = f"; the smallest other class has {number(others)}" if others is not None else ""
    return [f"{sentence} The smallest class that shows a missing value has {number(shown)} members{rest}."]


def _made(manifest: Manifest) -> tuple[tuple[str, str], ...]:
    search = manifest.search
    known = (
        ("Algorithm", manifest.algorithm or None),
        ("Form", manifest.form or None),
        ("Proven optimal", search.proven_optimal),
        ("Lower bound", search.lower_bound),
        ("Cost", search.cost),
        ("Cost of the best full-domain recoding", search.full_domain_cost),
        ("Measure", search.measure),
        ("Shoal", manifest.shoal_version or None),
    )
    return tuple((label, number(value)) for label, value in known if value is not None)


def _listed(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {number(value)}" for name, value in parameters.items())
