"""Prefixes: each level keeps fewer leading characters, as for ZIP codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import polars as pl

from shoal.errors import HierarchyError, PlanError
from shoal.hierarchies.base import Hierarchy, Level, text_of
from shoal.hierarchies.placing import Placed, by_meaning, empty
from shoal.labels import ANY, MISSING, Exactly, OneOf, exact, read

MOST_STEPS = 100
LONGEST = 32
"""The longest value for which `steps` is optional: longer values are rather prose than codes."""
MOST = 2**31 - 1
"""The largest number of characters of a prefix."""


@dataclass(frozen=True)
class Prefix:
    """Generalizes text to its leading characters: 12345 → 1234* → 123* → 12* → 1* → `*`.

    `steps` are the numbers of characters of each level; by default all numbers below the length of the longest value,
    down to one. `123*` means every value that begins with 123, including 123 itself. A level does not change values
    that are shorter than its prefix, so levels nest for values of any length.

    >>> Prefix(steps=(3, 1)).build(pl.Series(["12", "12345"])).path(1)
    ('12345', '123*', '1*', '*')
    """

    steps: tuple[int, ...] | None = None
    """The number of characters that each level keeps. By default, one level for every length. Allowed: a list of at
    most 100 whole numbers from 1, each smaller than the one before."""

    kind: ClassVar[str] = "prefix"

    def __post_init__(self) -> None:
        if self.steps is None:
            return
        object.__setattr__(self, "steps", tuple(self.steps))
        whole = all(isinstance(step, int) and not isinstance(step, bool) and 1 <= step <= MOST for step in self.steps)
        if len(self.steps) > MOST_STEPS:
            raise PlanError(f"Prefix steps may have at most {MOST_STEPS} levels; got {len(self.steps)}.")
        if not self.steps or not whole or any(above >= below for below, above in pairwise(self.steps)):
            raise PlanError(
                f"Prefix steps must be the numbers of characters of each level; got {self.steps!r}.",
                allowed=f"They are integers from 1 to {MOST}, each smaller than the one before.",
                hint="steps = [3, 1] generalizes 12345 to 123*, then 1*, then *.",
            )

    def build(self, values: pl.Series, counts: pl.Series | None = None) -> Hierarchy:
        _check_type(values)
        text = text_of(values)
        steps = _every_length(text) if self.steps is None else self.steps
        return Hierarchy.topped([Level.leaves(text), *(_level(text, step) for step in steps)])

    def placed(self, labels: Sequence[str], among: Sequence[str] | None = None) -> Placed:
        """The loss of a prefix is the share of hidden characters, of the longest label or of the first step."""
        lengths = [_length(label) for label in labels]
        longest = max((_length(label) for label in among or labels), default=1)
        steps = tuple(range(longest - 1, 0, -1)) if self.steps is None else self.steps
        length = max([longest, *(step + 1 for step in steps[:1]), 1])
        placed = empty(len(steps) + 2, labels)
        sets = by_meaning(labels, among or labels, bands=False).outside
        for place, label in enumerate(labels):
            if label in (ANY, MISSING):
                continue
            if isinstance(read(label), OneOf):
                placed.outside[place] = sets[place]
                continue
            kept = lengths[place] - 1
            if label.endswith(ANY) and kept in steps:
                placed.by_level[steps.index(kept) + 1, place] = (length - kept) / length
            else:  # a level does not change values that are shorter than its prefix
                unchanged = [0, *(number for number, step in enumerate(steps, 1) if step > lengths[place])]
                placed.by_level[unchanged, place] = 0.0
        return placed

    def paths(self, labels: Sequence[str]) -> list[tuple[str, ...]]:
        longest = max((_length(label) for label in labels), default=1)
        steps = tuple(range(longest - 1, 0, -1)) if self.steps is None else self.steps
        paths = []
        for label in labels:
            kept = _length(label) - 1 if label.endswith(ANY) else _length(label)
            shorter = [label[:step] + ANY for step in steps if step < kept or (step == kept and label[-1:] != ANY)]
            paths.append((label, *shorter, ANY) if label != ANY else (ANY,))
        return paths


def _length(label: str) -> int:
    """The number of characters of a label, in which a star stands for at least one; `*` has none."""
    if label == ANY:
        return 0
    meaning = read(label)
    if isinstance(meaning, OneOf):
        return max(map(len, meaning.values))
    return len(meaning.value if isinstance(meaning, Exactly) else label)


def _every_length(text: pl.Series) -> range:
    longest = int(text.str.len_chars().max() or 0)  # type: ignore[arg-type]
    if longest > LONGEST:
        raise HierarchyError(
            f"The longest value has {longest} characters, so the prefix hierarchy would have {longest} levels.",
            allowed=f"Without steps, values may have up to {LONGEST} characters.",
            hint="set the lengths of the prefixes, such as steps = [8, 4, 2].",
        )
    return range(longest - 1, 0, -1)


def _level(text: pl.Series, step: int) -> Level:
    """The first `step` characters and a star; a shorter value is unchanged, and escaped like any single value."""
    head = text.str.head(step).to_frame("head")
    star = pl.when(pl.col("head").str.len_chars() == step).then(pl.lit(ANY)).otherwise(pl.lit(""))
    level = Level.of(head.select(pl.col("head") + star).to_series())
    return Level(tuple(exact(label) for label in level.labels), level.of_leaf)


def _check_type(values: pl.Series) -> None:
    if values.dtype != pl.String and not values.dtype.is_integer():
        raise HierarchyError(
            "A prefix hierarchy needs text or whole numbers; the column has dates or real numbers.",
            hint='use kind = "date" for dates and kind = "intervals" for numbers, or set the column\'s type = "text".',
        )
