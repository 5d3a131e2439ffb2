"""The verdict on every model: what was required, what is achieved, how far that is beyond it, and for which rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from math import isfinite
from typing import Any, NamedTuple

from shoal import models
from shoal.errors import PlanError
from shoal.forms import Anatomy
from shoal.models.evidence import Verdict
from shoal.report.document import Block, Column, Table, Value, paragraphs
from shoal.report.numbers import number
from shoal.report.sections.base import Facts, ReportSection

_NAMED = ("column", "columns")
"""Parameters that name columns: the report shows them with the model."""
_OTHER_NAMES = {"support": "k", "confidence": "c"}
"""Achieved figures whose parameter has another name."""
_ROUNDED = 9
"""The decimal places of a margin: differences of shares are not exact."""

_MARGIN = (
    "The margin is how far the achieved figure is beyond the required one, in the direction of more privacy. At 0, "
    "some class is exactly at the threshold."
)
_NO_MARGIN = (
    "Figures about the input are rounded up, so that they reveal nothing about suppressed rows. They have no margin."
)
_BY_STEWARD = "by the steward"
_BY_STEWARD_NOTE = (
    f"“{_BY_STEWARD}” is no verdict of this report: the released files cannot show this figure. It was checked when "
    "the release was made, with data that is not published."
)
_UNCHECKED = "not checked"
"""What a model achieves where the files cannot show it."""
_IN_ROWS = (
    "The plan counts persons. These figures count released rows, because a table does not show which rows belong to "
    "the same person: in persons, they can be smaller. The promises were verified in persons when the release was made."
)
_EXACT = (
    "An anatomy publishes exact quasi-identifiers: anyone who knows them finds the row of an individual. The promises "
    "are about which sensitive values belong to that row."
)
_OF_INPUT = "_input"
"""The end of the names of figures about the input, which are rounded so that they reveal nothing about it."""


class Promises(ReportSection):
    """A row for every figure that a model achieves."""

    key = "promises"
    title = "Promises"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        verdicts = facts.manifest.models
        if not verdicts:
            return ()
        lines = [line for verdict in verdicts for line in _lines(verdict)]
        table = Table(_columns(lines), tuple(tuple(getattr(line, name) for name in _shown(lines)) for line in lines))
        notes = (
            *([_IN_ROWS] if any(verdict.checked for verdict in verdicts) else []),
            *([_EXACT] if facts.manifest.form == Anatomy.kind else []),
            *([_MARGIN] if any(line.margin is not None for line in lines) else []),
            *([_NO_MARGIN] if any(line.is_of_input for line in lines) else []),
            *([_BY_STEWARD_NOTE] if any(line.holds == _BY_STEWARD for line in lines) else []),
        )
        return (table, *paragraphs(notes))


class _Line(NamedTuple):
    """One figure of a model."""

    model: str
    holds: Value
    figure: str
    required: Value
    achieved: Value
    margin: Value
    failing: int
    where: str
    parameters: str
    scope: str
    is_of_input: bool


_HEADERS = {
    "model": Column("Model"),
    "holds": Column("Verdict", "verdict"),
    "figure": Column("Figure"),
    "required": Column("Required", "number"),
    "achieved": Column("Achieved", "number"),
    "margin": Column("Margin", "number"),
    "failing": Column("Failing classes", "count"),
    "where": Column("Where it is worst"),
    "parameters": Column("Other parameters"),
    "scope": Column("Rows that it covers"),
}
_OPTIONAL = ("where", "parameters")


def _shown(lines: Sequence[_Line]) -> list[str]:
    """The columns of the table; those that are empty in every row are left out."""
    return [name for name in _HEADERS if name not in _OPTIONAL or any(getattr(line, name) for line in lines)]


def _columns(lines: Sequence[_Line]) -> tuple[Column, ...]:
    return tuple(_HEADERS[name] for name in _shown(lines))


def _lines(verdict: Verdict) -> Iterator[_Line]:
    asked, largest = _asked(verdict), _largest(verdict.kind)
    figures = {name: value for name, value in verdict.achieved.items() if not _is_place(name, verdict.achieved)}
    matched = {name: parameter for name in figures if (parameter := _parameter(name, asked)) is not None}
    others = listed({name: value for name, value in asked.items() if name not in matched.values()})
    scope = "all rows" if verdict.scope is None else verdict.scope.words
    for name in figures or ("",):
        required, achieved = asked.get(matched.get(name, "")), figures.get(name)
        margin = _margin(required, achieved, largest=name in largest or matched.get(name) in largest)
        is_of_input = name.endswith(_OF_INPUT)
        if is_of_input:
            margin = None
        elif verdict.holds and isinstance(margin, int | float):
            margin = abs(margin)  # a figure that keeps its promise is never short of it, whatever its direction
        where = str(verdict.achieved.get(f"{name}_columns") or "")
        shown = _finite(achieved)
        yield _Line(
            model_name(verdict),
            _BY_STEWARD if achieved == _UNCHECKED else verdict.holds,
            name if " " in name else name.replace("_", " "),  # a figure of a column has its name, as it is written
            required,
            shown,
            margin,
            verdict.failing,
            where,
            others,
            scope,
            is_of_input,
        )


def bounded(verdict: Verdict) -> dict[str, float]:
    """The achieved figures of a model that one of its parameters bounds."""
    asked = _asked(verdict)
    return {
        name: value
        for name, value in verdict.achieved.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and _parameter(name, asked) is not None
    }


def model_name(verdict: Verdict) -> str:
    """The kind of a model with its columns."""
    named = verdict.parameters.get("column") or verdict.parameters.get("columns") or ()
    columns = named if isinstance(named, str) else ", ".join(map(str, named))
    return f"{verdict.kind} of {columns}" if columns else verdict.kind


def _is_place(name: str, achieved: Mapping[str, Any]) -> bool:
    """Whether a figure only names the columns of another one."""
    return name.endswith("_columns") and name.removesuffix("_columns") in achieved


def _parameter(figure: str, asked: Mapping[str, Any]) -> str | None:
    """The parameter that bounds an achieved figure: of the same name, of its first word, or by another name."""
    names = (figure, _OTHER_NAMES.get(figure, figure), figure.split("_")[0], figure.split(" ")[0])
    return next((name for name in names if _is_number(asked.get(name))), None)


def _margin(required: Any, achieved: Any, *, largest: bool) -> Value:
    """How far a figure is beyond what was required; None if one of them is no number."""
    if not (_is_number(required) and _is_number(achieved) and isfinite(achieved)):
        return None
    beyond = required - achieved if largest else achieved - required
    return round(beyond, _ROUNDED) if isinstance(beyond, float) else int(beyond)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _finite(value: Any) -> Value:
    """A figure as JSON has it; an infinite one in words."""
    infinite = isinstance(value, float) and not isfinite(value)
    return "unbounded" if infinite else value if isinstance(value, int | float | str | None) else number(value)


def _asked(verdict: Verdict) -> dict[str, Any]:
    """The parameters of a model without its columns, those with their default values included."""
    given = {key: value for key, value in verdict.parameters.items() if key not in _NAMED}
    return {**given, **{key: value for key, value in _defaults(verdict.kind).items() if key not in given}}


def _defaults(kind: str) -> dict[str, Any]:
    """The parameters that a manifest omits because they have their default values."""
    cls: Any = model_of(kind)
    if cls is None:
        return {}
    known = {item.name: item.default for item in fields(cls) if item.default not in (MISSING, None)}
    return {name: value for name, value in known.items() if name not in _NAMED}


def _largest(kind: str) -> tuple[str, ...]:
    """The achieved figures of a model that are better if they are lower."""
    cls = model_of(kind)
    return () if cls is None else cls.largest


def model_of(kind: str) -> type[models.ClassModel] | None:
    """The model of this kind; None if a manifest of another version names an unknown one."""
    try:
        return models.by_kind(kind)
    except PlanError:
        return None


def listed(parameters: Mapping[str, Any]) -> str:
    """Parameters as a text."""
    return ", ".join(f"{name} = {number(value)}" for name, value in parameters.items())
