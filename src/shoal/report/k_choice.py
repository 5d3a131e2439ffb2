"""The choice of k: what every tried k loses by generalization and by removed items, as a table and as a drawing.

The figures depend on the input, so they are for the steward only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from shoal import markup
from shoal.coded.record import ItemRemoval
from shoal.counts import counted
from shoal.percent import percent
from shoal.report.k_drawing import Curve, drawn

PRIVATE = "Private: these figures depend on the input. Nothing was released."
CANNOT = "cannot be met"


@dataclass(frozen=True)
class TriedK:
    """One k: the losses of the release that it leads to, or the reason why there is none.

    `ncp` and `item_loss`: as the steward's manifest of the release states them. `with_item_loss`: the classes in which
    items were removed or generalized. `removals`: for each model of items, the classes that failed it, and how many of
    them lose no more than they must. `in_time`: whether the removal ended before the seconds of the models were over.
    """

    k: int
    ncp: float | None = None
    item_loss: float | None = None
    item_loss_by_column: Mapping[str, float] | None = None
    classes: int | None = None
    rows_suppressed: int | None = None
    with_item_loss: int | None = None
    removals: tuple[ItemRemoval, ...] = ()
    in_time: bool | None = None
    reason: str = ""

    @property
    def met(self) -> bool:
        """Whether the models can be met with this k."""
        return not self.reason

    @property
    def proven(self) -> str:
        """In how many of the failing classes the cost is proven to be the least; empty if nothing proves it."""
        known = [each for each in self.removals if each.proven is not None]
        one = len(self.removals) == 1
        return ", ".join(f"{'' if one else f'{each.column} '}{each.proven:,} of {each.classes:,}" for each in known)


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

    @property
    def head(self) -> tuple[str, ...]:
        """The headers of the table: the losses, the classes, those with lost items, and what is proven, if anything."""
        by_column = (f"of {name}" for name in self._columns)
        proven = ("proven",) if self._proves else ()
        return "k", "NCP", "item loss", *by_column, "classes", "suppressed", "with item loss", *proven, ""

    @property
    def _columns(self) -> tuple[str, ...]:
        """The set-valued columns, if there are several."""
        names = tuple(dict.fromkeys(name for each in self.met for name in each.item_loss_by_column or ()))
        return names if len(names) > 1 else ()

    @property
    def _proves(self) -> bool:
        return any(each.proven for each in self.met)

    def table(self) -> list[tuple[str, ...]]:
        """The rows of the table below `head`, one for every k."""
        return [self._row(each) for each in self.tried]

    def _row(self, tried: TriedK) -> tuple[str, ...]:
        figures = self._figures(tried) if tried.met else ("–",) * (len(self.head) - 2)
        return str(tried.k), *figures, "; ".join(self._remarks(tried))

    def _figures(self, tried: TriedK) -> tuple[str, ...]:
        of_column = tried.item_loss_by_column or {}
        losses = (tried.ncp, tried.item_loss, *(of_column.get(name) for name in self._columns))
        counts = (tried.classes, tried.rows_suppressed, tried.with_item_loss)
        proven = (tried.proven or "–",) if self._proves else ()
        return *(percent(loss or 0.0) for loss in losses), *(f"{count or 0:,}" for count in counts), *proven

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
        missed = (f"k = {each.k} {CANNOT}: {each.reason}" for each in self.tried if not each.met)
        return [start, *self._unaffected(), *missed]

    def _unaffected(self) -> list[str]:
        """Which losses do not depend on k."""
        if len(self.met) < 2 or not _equal([each.item_loss or 0.0 for each in self.met]):
            return []
        if _equal([each.ncp or 0.0 for each in self.met]):
            return ["Both losses are the same with every k that can be met."]
        return ["The item loss is the same with every k that can be met: k changes only the NCP."]

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
        return "\n".join([*self.sentences(), *_aligned([self.head, *self.table()]), PRIVATE])

    def _repr_html_(self) -> str:
        table = markup.table(self.head, self.table(), numbers=self.head[:-1])
        return markup.fragment(table, markup.paragraphs([*self.sentences(), PRIVATE]), self.svg())


def _loses_no_more(one: TriedK, other: TriedK) -> bool:
    return (one.ncp or 0.0) <= (other.ncp or 0.0) and (one.item_loss or 0.0) <= (other.item_loss or 0.0)


def _equal(figures: Sequence[float]) -> bool:
    return all(math.isclose(each, figures[0], rel_tol=1e-9) for each in figures)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
