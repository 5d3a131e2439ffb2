"""The risk of a table in readable form: as rows of a table, as text and as an HTML fragment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from shoal import markup
from shoal.counts import counted
from shoal.percent import percent
from shoal.risks import ALL
from shoal.risks.describing import LEVEL_HEADERS, NODE_HEADERS, level_lines, meaning, node_lines, sentences
from shoal.risks.noting import quoted

if TYPE_CHECKING:
    from shoal.attacks.base import Outcome
    from shoal.risks.measuring import Risk

SHARES = frozenset(
    ("highest", "average", "success", "share", "share_of_uniques", "lowest", "distinction", "separation")
)
_SETS_SHOWN = 5
_OVERLAPPING = (
    "A row can be unique on several sets of columns, and a set has several columns: these rows, and the SUDA scores of "
    "all columns, add up to more than the table has."
)

FIGURE_HEADERS = ("measure", "figure", "value", "accepted", "")
ATTACK_HEADERS = ("attack", "case", "column", "success", "95 % interval", "baseline", "bound", "")
COLUMN_HEADERS = ("column", "distinction", "separation", "unique alone", "unique without it", "SUDA scores with it")


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
    judged = "not checked" if key in risk.unchecked else "accepted"
    verdict = "" if accepted is None else "EXCEEDED" if too_large else judged
    shown = "" if accepted is None else _shown(name, accepted)
    return Line(measure.replace("_", " "), name.replace("_", " "), _shown(name, figure), shown, verdict)


def _shown(name: str, figure: Any) -> str:
    if isinstance(figure, str):
        return figure
    if name in SHARES:
        return percent(figure)
    return f"{figure:,.6g}" if isinstance(figure, float) else f"{figure:,}"


def attack_lines(risk: Risk) -> list[tuple[str, ...]]:
    """Every attack with its success, its interval, its baseline, and its bound."""
    return [_attack_line(outcome) for outcome in risk.attacks]


def _attack_line(outcome: Outcome) -> tuple[str, ...]:
    interval = f"{percent(outcome.low)} to {percent(outcome.high)}"
    bound = "" if outcome.bound is None else percent(outcome.bound)
    verdict = "" if outcome.bound is None else "holds" if outcome.holds else "BEATEN"
    success, baseline = percent(outcome.success), percent(outcome.baseline)
    return outcome.kind, outcome.case, outcome.column or "", success, interval, baseline, bound, verdict


def attack_sentences(risk: Risk) -> list[str]:
    """What the intruder of each attack knows, and what its success means, in the order of the attacks."""
    found = []
    for kind, knows in dict.fromkeys((outcome.kind, outcome.knows) for outcome in risk.attacks):
        alike = [each for each in risk.attacks if (each.kind, each.knows) == (kind, knows)]
        cases = ", ".join(dict.fromkeys(each.case for each in alike if each.case))
        means = dict.fromkeys(each.measured for each in alike)
        found.append(f"{kind}{f' ({cases})' if cases else ''}: {' '.join(means)} The intruder knows: {knows}")
    return found


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


def summary(risk: Risk) -> list[str]:
    """The result in a few sentences, the verdict first."""
    return [_verdict(risk), _counts(risk), *_reidentification(risk), *sentences(_disclosure(risk))]


def disclosure_tables(risk: Risk) -> list[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """Headers and lines of the disclosure audit: by level, and by protected node. Tables without lines are left out."""
    figures = _disclosure(risk)
    tables = [(LEVEL_HEADERS, level_lines(figures)), (NODE_HEADERS, node_lines(figures))]
    return [(headers, lines) for headers, lines in tables if lines]


def _disclosure(risk: Risk) -> Mapping[str, Any]:
    return risk.figures.get("disclosure", {})


def _counts(risk: Risk) -> str:
    what = ("individual is", "individuals are") if risk.individuals else ("row is", "rows are")
    share = risk.figures["sample_uniques"]["share"]
    return (
        f"{counted(risk.rows, 'row', 'rows')} in {counted(risk.classes, 'class', 'classes')} by "
        f"{counted(len(risk.columns), 'quasi-identifier', 'quasi-identifiers')}; "
        f"{counted(risk.uniques, *what)} unique ({percent(share)})."
    )


def _reidentification(risk: Risk) -> Iterator[str]:
    """What prosecutor and journalist risk mean, and why they differ."""
    own = risk.figures["prosecutor"]
    yield (
        f"Whoever knows that an individual is in the table finds its row with a probability of up to "
        f"{percent(own['highest'])} (prosecutor risk), {percent(own['average'])} on average."
    )
    if (other := risk.figures.get("journalist")) is not None:
        reason = ""
        if other["highest"] < own["highest"]:
            none = ", or none" if other["rows_without_candidates"] else ""
            reason = f", which is lower because more individuals match a row there{none}"
        yield (
            "Whoever looks a row up in the reference table names its individual with a probability of up to "
            f"{percent(other['highest'])} (journalist risk){reason}."
        )


def meanings(risk: Risk) -> list[str]:
    """What each computed measure measures, in a line."""
    return [f"{each.name.replace('_', ' ')}: {each.about}." for each in ALL if each.name in risk.figures]


def notes(risk: Risk) -> list[str]:
    """How rows were compared, what was not computed or not checked, and what else must be known of the figures."""
    lines = []
    if risk.by_overlap:
        names = ", ".join(name.replace("_", " ") for name in risk.by_overlap)
        lines.append(
            f"Compared by overlap with the {counted(risk.reference_rows or 0, 'row', 'rows')} of the reference table: "
            f"{names}. All other figures compare rows by equality."
        )
    lines += [f"Not computed: {name.replace('_', ' ')}. {reason}" for name, reason in risk.not_measured.items()]
    lines += [f"Not checked: the threshold '{key}' of the plan." for key in risk.unchecked]
    return lines + [f"Note: {note}" for note in risk.notes]


def _warnings(risk: Risk) -> list[str]:
    return [f"Warning: {warning}" for warning in risk.warnings]


def _verdict(risk: Risk) -> str:
    """Whether the risk is accepted, in one sentence that claims no more than was judged."""
    if not risk.is_judged:
        attacks = "no attack has a bound" if risk.attacks else "no attack was run"
        return f"The plan states no threshold, and {attacks}: nothing was judged."
    if not risk.holds:
        return _excess(risk)
    parts = ["No threshold of the plan is exceeded" if risk.thresholds else "The plan states no threshold"]
    if any(outcome.bound is not None for outcome in risk.attacks):
        parts.append("and no attack beats what the models promise")
    if risk.unchecked:
        parts.append(f"but {counted(len(risk.unchecked), 'threshold', 'thresholds')} could not be checked")
    if risk.unattacked:
        parts.append(f"but {counted(len(risk.unattacked), 'column', 'columns')} could not be attacked")
    return ", ".join(parts) + "."


def _excess(risk: Risk) -> str:
    """What exceeds a threshold or a bound; without thresholds, nobody said which risk is accepted."""
    beaten = sum(not outcome.holds for outcome in risk.attacks)
    attacks = counted(beaten, "attack beats", "attacks beat")
    if not risk.thresholds:
        return f"The table does not satisfy the models yet: {attacks} what they promise."
    parts = [counted(len(risk.exceeded), "threshold is exceeded", "thresholds are exceeded")] if risk.exceeded else []
    parts += [f"{attacks} what the models promise"] if beaten else []
    return f"The risk is larger than accepted: {' and '.join(parts)}."


def set_sentences(risk: Risk) -> list[str]:
    """The column sets that make the most rows unique without any smaller set, in sentences."""
    sets = risk.figures.get("special_uniques", {}).get("sets", [])[:_SETS_SHOWN]
    lines = [
        f"{counted(each['msu'], 'row is', 'rows are')} unique on {quoted(each['columns'])}, and on no part of this set."
        for each in sets
    ]
    return [*lines, _OVERLAPPING] if lines else []


def as_text(risk: Risk) -> str:
    """The risk as plain lines: the verdict, the attacks, all figures, the columns, and the notes."""
    blocks = ["\n".join([*summary(risk), *_warnings(risk)])]
    if risk.attacks:
        blocks.append(_aligned(ATTACK_HEADERS, attack_lines(risk)))
        blocks.append("\n".join(attack_sentences(risk)))
    blocks.append(_aligned(FIGURE_HEADERS, figure_lines(risk)))
    blocks.append("\n".join(meanings(risk)))
    if lines := column_lines(risk):
        blocks.append(_aligned(COLUMN_HEADERS, lines))
    blocks += [_aligned(headers, lines) for headers, lines in disclosure_tables(risk)]
    blocks += [meaning(_disclosure(risk))] if disclosure_tables(risk) else []
    blocks += ["\n".join(lines) for lines in (set_sentences(risk), notes(risk)) if lines]
    return "\n\n".join(blocks)


def _aligned(headers: tuple[str, ...], rows: list[Any]) -> str:
    widths = [max(len(row[place]) for row in [headers, *rows]) for place in range(len(headers))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in [headers, *rows]]
    return "\n".join(line.rstrip() for line in lines)


def as_html(risk: Risk) -> str:
    """The risk as an HTML fragment, in the order of the text. Names are escaped: they come from the table."""
    parts = [markup.paragraphs([*summary(risk), *_warnings(risk)])]
    if risk.attacks:
        attacked = markup.table(ATTACK_HEADERS, attack_lines(risk), numbers=ATTACK_HEADERS[3:7])
        parts += [attacked, markup.paragraphs(attack_sentences(risk))]
    figures = markup.table(FIGURE_HEADERS, figure_lines(risk), numbers=FIGURE_HEADERS[2:4])
    parts += [figures, markup.paragraphs(meanings(risk))]
    if lines := column_lines(risk):
        parts.append(markup.table(COLUMN_HEADERS, lines, numbers=COLUMN_HEADERS[1:]))
    parts += [markup.table(headers, lines) for headers, lines in disclosure_tables(risk)]
    parts += [markup.paragraphs([meaning(_disclosure(risk))])] if disclosure_tables(risk) else []
    return markup.fragment(*parts, markup.paragraphs([*set_sentences(risk), *notes(risk)]))
