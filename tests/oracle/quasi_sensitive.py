"""What the items of a row reveal about the labels of a knowledge table, written out from the definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from .counting import Row, Setting, Value, tally, written


def linked(cell: Value, knowledge: Mapping[str, Sequence[str]]) -> list[str]:
    """K of a row: the labels that have all of its items; every label for a row without items."""
    items = set((cell or "").split("|")) - {""}
    return [label for label, known in knowledge.items() if items <= set(known)]


def beliefs(rows: Sequence[Row], column: str, setting: Setting) -> dict[str, Fraction]:
    """β: the mean of 1/|K| over the rows, for every label; a row that links to nothing adds nothing."""
    knowledge, counts = setting.knowledge[column], tally(rows, column, setting)
    found = dict.fromkeys(knowledge, Fraction())
    for cell, count in counts.items():
        labels = linked(cell, knowledge)
        for label in labels:
            found[label] += Fraction(count, len(labels) * sum(counts.values()))
    return found


def is_diverse(
    members: Sequence[Row], whole: Sequence[Row], setting: Setting, *, column: str, c: float, l: int, budget: float = 0
) -> bool:
    """p1 <= c · (p_l + … + p_m), and m >= l unless the class links to nothing."""
    shares = sorted((share for share in beliefs(members, column, setting).values() if share), reverse=True)
    return not shares or (len(shares) >= l and shares[0] <= written(c) * sum(shares[l - 1 :]))


def is_close(
    members: Sequence[Row], whole: Sequence[Row], setting: Setting, *, column: str, t: float, budget: float = 0
) -> bool:
    """The Euclidean distance between β of the class and of the whole table is at most t."""
    own, prior = (beliefs(rows, column, setting) for rows in (members, whole))
    return sum((own[label] - prior[label]) ** 2 for label in own) <= written(t) ** 2
