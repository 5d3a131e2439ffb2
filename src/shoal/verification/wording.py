"""Verdicts in words: what a model requires and achieves, and whether it holds, the same wherever they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal import models
from shoal.counts import counted
from shoal.markup import bullets, fragment, paragraphs, table, verdict
from shoal.models.evidence import Verdict

if TYPE_CHECKING:
    from shoal.verification.verdicts import Verification

HEADERS = ("model", "column", "required", "achieved", "")


def model_row(verdict: Verdict) -> tuple[str, str, str, str, str]:
    """The cells below HEADERS for a model."""
    column = str(verdict.parameters.get("column", ""))
    return verdict.kind, column, asked(verdict), listed(folded(verdict.achieved)), outcome(verdict)


def asked(verdict: Verdict) -> str:
    """The parameters of a verdict without the column, which is shown separately."""
    return listed({name: value for name, value in verdict.parameters.items() if name != "column"})


def outcome(verdict: Verdict) -> str:
    """Whether a promise holds; if not, the number of violating classes or combinations."""
    if verdict.holds:
        holds = "not re-checked" if verdict.achieved.get("persons") == "not checked" else "holds"
        return holds if verdict.scope is None else f"{holds}: {verdict.scope.words}"
    what = ("combination", "combinations") if models.by_kind(verdict.kind).judges_table else ("class", "classes")
    return f"DOES NOT HOLD in {counted(verdict.failing, *what)}"


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


def listed(values: Mapping[str, Any]) -> str:
    """Names and values as one readable line.

    >>> listed({"k": 5, "alpha": 1 / 3, "values": ["IV"], "c": None})
    'k = 5, alpha = 0.333333, values = [IV], c = –'
    """
    return ", ".join(f"{name} = {_readable(value)}" for name, value in values.items())


def _readable(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list | tuple) else str(value)


def conclusion(verification: Verification) -> str:
    """Whether the release is valid, for which rows, and how many rows and classes it has."""
    rows, classes = verification.rows, verification.classes
    counts = f"{counted(rows, 'row', 'rows')} in {counted(classes, 'class', 'classes')}." if classes else ""
    partly = " for the rows that its promises cover" if any(each.scope for each in verification.verdicts) else ""
    return f"The release is {f'valid{partly}' if verification.holds else 'NOT VALID'}. {counts}".rstrip()


def as_html(verification: Verification) -> str:
    """A verification as an HTML fragment."""
    models = [model_row(each) for each in verification.verdicts]
    unsure = [f"Not checked: {name}. It was checked when the release was made." for name in verification.not_checked]
    return fragment(
        verdict(conclusion(verification), holds=verification.holds),
        table(HEADERS, models) if models else "",
        bullets(verification.problems),
        paragraphs([*unsure, *(f"Note: {note}" for note in verification.notes)]),
    )
