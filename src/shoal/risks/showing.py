"""The risk of a table in readable form: as rows of a table, as text and as an HTML fragment."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from shoal.counts import counted
from shoal.percent import percent
from shoal.risks import ALL

if TYPE_CHECKING:
    from shoal.attacks.base import Outcome
    from shoal.risks.measuring import Risk

_SHARES = frozenset(
    ("highest", "average", "success", "share", "share_of_uniques", "lowest", "distinction", "separation")
)
_CELL = "padding:2px 10px;text-align:left;vertical-align:top"
_SETS_SHOWN = 5

FIGURE_HEADERS = ("measure", "figure", "value", "accepted", "")
ATTACK_HEADERS = ("attack", "column", "success", "95 % interval", "guessing", "bound", "")
COLUMN_HEADERS = ("column", "distinction", "separation", "unique alone", "unique without it", "share of SUDA scores")


class Line(NamedTuple):
    """One figure of a measure: its name, its value, what the steward accepts, and whether that is exceeded."""

    measure: str
    figure: str
    value: str
    accepted: str
    verdict: str


def figure_lines(risk: Risk) -> list[Line]:
    """Every single figure of all measures, in their order."""
    lines = []
    for measure in ALL:
        limits = {limit.figure: key for key, limit in measure.limits.items()}
        for name, figure in risk.figures.get(measure.name, {}).items():
            if isinstance(figure, int | float | str):
                lines.append(_line(risk, measure.name, name, figure, limits.get(name)))
    return lines


def _line(risk: Risk, measure: str, name: str, figure: Any, key: str | None) -> Line:
    accepted = risk.thresholds.get(key) if key is not None else None
    too_large = any(each.threshold == key for each in risk.exceeded)
    verdict = "" if accepted is None else "EXCEEDED" if too_large else "accepted"
    shown = "" if accepted is None else _shown(name, accepted)
    return Line(measure.replace("_", " "), name.replace("_", " "), _shown(name, figure), shown, verdict)


def _shown(name: str, figure: Any) -> str:
    if isinstance(figure, str):
        return figure
    if name in _SHARES:
        return percent(figure)
    return f"{figure:,.6g}" if isinstance(figure, float) else f"{figure:,}"


def attack_lines(risk: Risk) -> list[tuple[str, ...]]:
    """Every attack with its success, its interval, the success of guessing, and its bound."""
    return [_attack_line(outcome) for outcome in risk.attacks]


def _attack_line(outcome: Outcome) -> tuple[str, ...]:
    interval = f"{percent(outcome.low)} to {percent(outcome.high)}"
    bound = "" if outcome.bound is None else percent(outcome.bound)
    verdict = "" if outcome.bound is None else "holds" if outcome.holds else "BEATEN"
    success, baseline = percent(outcome.success), percent(outcome.baseline)
    return outcome.kind, outcome.column or "", success, interval, baseline, bound, verdict


def attack_sentences(risk: Risk) -> list[str]:
    """What the success of each attack means, in the order of the attacks."""
    return list(dict.fromkeys(f"{outcome.kind}: {outcome.measured}" for outcome in risk.attacks))


def column_lines(risk: Risk) -> list[tuple[str, ...]]:
    """The contribution of every quasi-identifier, the most separating first."""
    single = risk.figures.get("columns", {}).get("single", [])
    scores = risk.figures.get("special_uniques", {}).get("columns", {})
    ordered = sorted(single, key=lambda each: -each["separation"])
    return [
        (
            each["columns"][0],
            percent(each["distinction"]),
            percent(each["separation"]),
            f"{each['uniques']:,}",
            f"{each['uniques_without']:,}",
            percent(scores.get(each["columns"][0], 0.0)),
        )
        for each in ordered
    ]


def sentences(risk: Risk) -> list[str]:
    """The result in sentences: what was counted, what was not computed, what exceeds a threshold or a bound."""
    what = ("individual is", "individuals are") if risk.individuals else ("row is", "rows are")
    share = risk.figures["sample_uniques"]["share"]
    lines = [
        f"{counted(risk.rows, 'row', 'rows')} in {counted(risk.classes, 'class', 'classes')} by "
        f"{counted(len(risk.columns), 'quasi-identifier', 'quasi-identifiers')}; "
        f"{counted(risk.uniques, *what)} unique ({percent(share)})."
    ]
    if risk.by_overlap:
        names = ", ".join(name.replace("_", " ") for name in risk.by_overlap)
        lines.append(
            f"Compared by overlap with the {counted(risk.reference_rows or 0, 'row', 'rows')} of the reference table: "
            f"{names}. All other figures compare rows by equality."
        )
    lines += [f"Not computed: {name.replace('_', ' ')}. {reason}" for name, reason in risk.not_measured.items()]
    lines += [f"Not checked: the threshold '{key}' of the plan." for key in risk.unchecked]
    lines += [f"Note: {note}" for note in risk.notes]
    lines += [f"Warning: {warning}" for warning in risk.warnings]
    return [*lines, _verdict(risk)]


def _verdict(risk: Risk) -> str:
    """Whether the risk is accepted, in one sentence that claims no more than was judged."""
    if not risk.is_judged:
        return "The plan states no threshold, and no attack has a bound: nothing was judged."
    if not risk.holds:
        return _excess(risk)
    if not any(outcome.bound is not None for outcome in risk.attacks):
        return "No threshold of the plan is exceeded."
    thresholds = "No threshold of the plan is exceeded" if risk.thresholds else "The plan states no threshold"
    return f"{thresholds}, and no attack beats what the models promise."


def _excess(risk: Risk) -> str:
    beaten = sum(not outcome.holds for outcome in risk.attacks)
    parts = [counted(len(risk.exceeded), "threshold is exceeded", "thresholds are exceeded")] if risk.exceeded else []
    parts += [counted(beaten, "attack beats", "attacks beat") + " what the models promise"] if beaten else []
    return f"The risk is larger than accepted: {' and '.join(parts)}."


def set_sentences(risk: Risk) -> list[str]:
    """The column sets that make the most rows unique without any smaller set, in sentences."""
    sets = risk.figures.get("special_uniques", {}).get("sets", [])[:_SETS_SHOWN]
    return [f"{each['msu']:,} rows are first unique on: {', '.join(each['columns'])}." for each in sets]


def _all_sentences(risk: Risk) -> list[str]:
    return [*attack_sentences(risk), *set_sentences(risk), *sentences(risk)]


def as_text(risk: Risk) -> str:
    """The risk as plain lines."""
    blocks = [_aligned(FIGURE_HEADERS, figure_lines(risk))]
    if risk.attacks:
        blocks.append(_aligned(ATTACK_HEADERS, attack_lines(risk)))
        blocks.append("\n".join(attack_sentences(risk)))
    if lines := column_lines(risk):
        blocks.append(_aligned(COLUMN_HEADERS, lines))
    blocks.append("\n".join([*set_sentences(risk), *sentences(risk)]))
    return "\n\n".join(blocks)


def _aligned(headers: tuple[str, ...], rows: list[Any]) -> str:
    widths = [max(len(row[place]) for row in [headers, *rows]) for place in range(len(headers))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in [headers, *rows]]
    return "\n".join(line.rstrip() for line in lines)


def as_html(risk: Risk) -> str:
    """The risk as an HTML fragment. Names are escaped: they come from the table."""
    parts = [_html_table(FIGURE_HEADERS, figure_lines(risk))]
    parts += [_html_table(ATTACK_HEADERS, attack_lines(risk))] if risk.attacks else []
    parts += [_html_table(COLUMN_HEADERS, column_lines(risk))]
    texts = "".join(f"<p>{escape(text)}</p>" for text in _all_sentences(risk))
    return f"<div>{''.join(parts)}{texts}</div>"


def _html_table(headers: tuple[str, ...], rows: list[Any]) -> str:
    head = "".join(f'<th style="{_CELL}">{escape(header)}</th>' for header in headers)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in row) + "</tr>" for row in rows
    )
    return f'<table style="border-collapse:collapse"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
