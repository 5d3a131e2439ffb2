"""The choice of k: what every tried k loses by generalization and by removed items, as a table and as a drawing.

The figures depend on the input, so they are for the steward only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from shoal.counts import counted
from shoal.percent import percent
from shoal.report.k_drawing import Curve, drawn

PRIVATE = "Private: these figures depend on the input. Nothing was released."
CANNOT = "cannot be met"
HEAD = ("k", "NCP", "item loss", "classes", "suppressed", "with removals", "proven", "")
"""The columns of the table: the losses, the classes, and those from which items must be removed."""

_CELL = "padding:2px 10px;text-align:right"


@dataclass(frozen=True)
class TriedK:
    """One k: the losses of the release that it leads to, or the reason why there is none.

    `ncp` and `item_loss`: as the steward's manifest of the release states them. `failing`: the classes from which items
    must be removed, once for every model that they fail. `proven`: how many of them lose no more than they must.
    `in_time`: whether the removal ended before the seconds of the models were over.
    """

    k: int
    ncp: float | None = None
    item_loss: float | None = None
    classes: int | None = None
    rows_suppressed: int | None = None
    failing: int | None = None
    proven: int | None = None
    in_time: bool | None = None
    reason: str = ""

    @property
    def met(self) -> bool:
        """Whether the models can be met with this k."""
        return not self.reason


@dataclass(frozen=True)
class KChoice:
    """What several k lose. `planned`: the k of the plan; None if its models have different ones."""

    rows: int
    planned: int | None
    tried: tuple[TriedK, ...]

    @property
    def met(self) -> tuple[TriedK, ...]:
        """The k with which the models can be met."""
        return tuple(each for each in self.tried if each.met)

    def surpassed(self, tried: TriedK) -> TriedK | None:
        """The largest k that protects more than this one and loses no more of either kind; None if there is none."""
        better = [each for each in self.met if tried.met and each.k > tried.k and _loses_no_more(each, tried)]
        return better[-1] if better else None

    def to_json(self) -> dict[str, Any]:
        """The choice as JSON values."""
        return {"rows": self.rows, "planned": self.planned, "tried": [self._as_dict(each) for each in self.tried]}

    def _as_dict(self, tried: TriedK) -> dict[str, Any]:
        surpassed = self.surpassed(tried)
        return {**asdict(tried), "met": tried.met, "surpassed_by": None if surpassed is None else surpassed.k}

    def table(self) -> list[tuple[str, ...]]:
        """The rows of the table below `HEAD`, one for every k."""
        return [self._row(each) for each in self.tried]

    def _row(self, tried: TriedK) -> tuple[str, ...]:
        figures = ("–",) * 6 if not tried.met else _figures(tried)
        return str(tried.k), *figures, "; ".join(self._remarks(tried))

    def _remarks(self, tried: TriedK) -> list[str]:
        surpassed = self.surpassed(tried)
        remarks = [
            "k of the plan" if tried.k == self.planned else "",
            "" if tried.met else CANNOT,
            "" if surpassed is None else f"k = {surpassed.k} loses no more",
            "out of time" if tried.in_time is False else "",
        ]
        return [remark for remark in remarks if remark]

    def sentences(self) -> list[str]:
        """What the table cannot show: its size, and why some k cannot be met."""
        start = (
            f"{counted(self.rows, 'row', 'rows')}, {counted(len(self.tried), 'value', 'values')} of k tried. "
            f"The models can be met with {len(self.met)} of them."
        )
        return [start, *(f"k = {each.k} {CANNOT}: {each.reason}" for each in self.tried if not each.met)]

    def svg(self) -> str:
        """A drawing of both losses by k, and of one against the other."""
        met = self.met
        curves = (
            Curve("generalization (NCP)", "ncp", [each.ncp or 0.0 for each in met]),
            Curve("removed items (item loss)", "items", [each.item_loss or 0.0 for each in met]),
        )
        missed = [each.k for each in self.tried if not each.met]
        return drawn([each.k for each in met], missed, self.planned, *curves, label=" ".join(self.sentences()))

    def __str__(self) -> str:
        return "\n".join([*self.sentences(), *_aligned([HEAD, *self.table()]), PRIVATE])

    def _repr_html_(self) -> str:
        head = "".join(f'<th style="{_CELL}">{header}</th>' for header in HEAD)
        rows = "".join(f"<tr>{''.join(_cell(text) for text in row)}</tr>" for row in self.table())
        sentences = "".join(f"<p>{escape(sentence)}</p>" for sentence in (*self.sentences(), PRIVATE))
        table = f'<table style="border-collapse:collapse"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        return f"<div>{table}{sentences}{self.svg()}</div>"


def _loses_no_more(one: TriedK, other: TriedK) -> bool:
    return (one.ncp or 0.0) <= (other.ncp or 0.0) and (one.item_loss or 0.0) <= (other.item_loss or 0.0)


def _figures(tried: TriedK) -> tuple[str, ...]:
    counts = (tried.classes, tried.rows_suppressed, tried.failing, tried.proven)
    return percent(tried.ncp or 0.0), percent(tried.item_loss or 0.0), *(f"{count or 0:,}" for count in counts)


def _cell(text: str) -> str:
    return f'<td style="{_CELL}">{escape(text)}</td>'


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
