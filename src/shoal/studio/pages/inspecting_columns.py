"""What a release contains, drawn: columns before and after, the sizes of classes, and what attacks found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.counts import counted
from shoal.percent import percent
from shoal.studio.pages import parts
from shoal.studio.pages.parts import box, text

_FIRST = 8
"""Columns that are drawn at once; the others are drawn on demand."""


def columns(found: dict[str, Any]) -> None:
    """Every column: its most frequent values in the input, and its labels in the release."""
    listed = found.get("columns", [])
    order = sorted(listed, key=lambda column: column["role"] != "quasi-identifier")
    for column in order[:_FIRST]:
        _column(column)
    if len(order) > _FIRST:
        with parts.more(f"{counted(len(order) - _FIRST, 'more column', 'more columns')}"):
            for column in order[_FIRST:]:
                _column(column)


def _column(column: dict[str, Any]) -> None:
    with box("card", "section"):
        with box("titled"):
            text(column["name"], tag="h2")
            parts.mark(column["role"])
        with box("two"):
            with box("stack"):
                with box("line"):
                    text(f"Before: {counted(column['before']['distinct'], 'value', 'values')}", "soft small")
                    parts.private_mark()
                _bars(column["before"])
            with box("stack"):
                with box("line"):
                    text(f"After: {counted(column['after']['distinct'], 'label', 'labels')}", "soft small")
                    parts.public_mark()
                _bars(column["after"])


def _bars(counts: dict[str, Any]) -> None:
    """Bars of the most frequent values; values of few rows are counted together."""
    total = sum(rows for _, rows in counts["values"]) + counts["rows_of_others"]
    entries = [*counts["values"]]
    if counts["others"]:
        entries.append([f"{counted(counts['others'], 'other', 'others')}", counts["rows_of_others"]])
    most = max((rows for _, rows in entries), default=1)
    parts.bars(
        [(str(value), rows / max(most, 1), f"{rows:,}", percent(rows / max(total, 1))) for value, rows in entries]
    )


def classes(found: dict[str, Any]) -> None:
    """How many rows are in classes of which size."""
    sizes = [each for each in found.get("classes", []) if each["classes"]]
    with parts.card("How many people look alike", public=True):
        text("Each row counts the classes of a size: groups of rows with the same quasi-identifiers.", "soft")
        if not sizes:
            text("The release has no quasi-identifiers, so all rows are one class.")
            return
        most = max(each["rows"] for each in sizes)
        parts.bars(
            [
                (
                    f"{each['from']:,}" if each["from"] == each["to"] else f"{each['from']:,} to {each['to']:,}",
                    each["rows"] / most,
                    counted(each["rows"], "row", "rows"),
                    counted(each["classes"], "class", "classes"),
                )
                for each in sizes
            ],
            classes="wide",
        )


def attacks(found: dict[str, Any]) -> None:
    """What the attacks found, and the risk of being found."""
    prosecutor = found.get("prosecutor") or {}
    entries = [("Unique rows", f"{found.get('uniques', 0):,}", "rows that no other row resembles")]
    if prosecutor:
        entries += [
            ("Highest risk", percent(prosecutor["highest"]), "of finding a person who is in the table"),
            ("Average risk", percent(prosecutor["average"]), "over all rows"),
        ]
    parts.figures(entries)
    with parts.card("Attacks on the release", note="Each was run on the released files, as an intruder would."):
        heads = ("attack", "what was measured", "success", "by guessing", "allowed by the models", "")
        rows = [_attack(each) for each in found.get("attacks", [])]
        if rows:
            parts.table(heads, rows, numbers=heads[2:5], label="Attacks")
            with parts.more("What the intruder knows in each attack"):
                for sentence in _known(found["attacks"]):
                    text(sentence)
        else:
            text("No attack applies to this release.", "soft")
    parts.warnings(found.get("warnings", ()))


def _known(outcomes: Sequence[dict[str, Any]]) -> list[str]:
    """What each attack assumes, once for all of its outcomes that assume the same."""
    return list(dict.fromkeys(f"{each.get('kind')}: {each['knows']}" for each in outcomes if each.get("knows")))


def _attack(each: dict[str, Any]) -> tuple[str, ...]:
    bound = each.get("bound")
    holds = each.get("holds")
    return (
        " on ".join(filter(None, (str(each.get("kind", "")), each.get("column")))),
        str(each.get("measured") or each.get("case") or ""),
        "–" if each.get("success") is None else percent(each["success"]),
        "–" if each.get("baseline") is None else percent(each["baseline"]),
        "not bounded" if bound is None else f"at most {percent(bound)}",
        "no model covers it" if bound is None else "within the promise" if holds else "beyond the promise",
    )
