"""How well a knowledge table fits the items of a column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Flags
from shoal.roles.knowledge import Knowledge

_SPELLING = r"[\s_\-‐‑‒–—]+"


class Lines(NamedTuple):
    """The lines of the file in which a knowledge table should be corrected, ascending; empty if it has no file.

    `variants`: all spellings of a label or item that is written in several ways. `without_items`: labels without items.
    `respelled`: items of which the column has another spelling.
    """

    variants: tuple[int, ...]
    without_items: tuple[int, ...]
    respelled: tuple[int, ...]


@dataclass(frozen=True)
class KnowledgeCheck:
    """How well a knowledge table fits the items of a column, in counts and lines of its file, without any item.

    `unknown`: items of the column that no label has; a row with one of them links to nothing. `respelled`: those of
    them that differ from an item of the table only in case, spaces or hyphens. `unused`: items of the table that the
    column lacks. `without_items`: labels without items, to which only rows without items link. `repeated`: pairs that
    the table lists again. `variants`: labels and items of the table that differ from another one only in spelling.
    """

    labels: int
    items: int
    unknown: int
    respelled: int
    unused: int
    without_items: int
    repeated: int
    variants: int
    lines: Lines


def checked(knowledge: Knowledge, items: Sequence[str]) -> KnowledgeCheck:
    """Counts what may be wrong with a knowledge table for a column with these items.

    >>> checked(Knowledge.of({"flu": ["sore throat"], "cold": []}), ["Sore-Throat", "fever"]).respelled
    1
    """
    known = set(knowledge.items)
    unknown = sorted(set(items) - known)
    asked, plain, labels = _plain(unknown), set(_plain(knowledge.items)), set(_plain(knowledge.labels))
    return KnowledgeCheck(
        labels=knowledge.size,
        items=len(knowledge.items),
        unknown=len(unknown),
        respelled=sum(text in plain for text in asked),
        unused=len(known - set(items)),
        without_items=int(_is_empty(knowledge).sum()),
        repeated=knowledge.repeated,
        variants=len(knowledge.items) - len(plain) + knowledge.size - len(labels),
        lines=_lines(knowledge, set(asked)),
    )


def _lines(knowledge: Knowledge, asked: set[str]) -> Lines:
    """The lines to correct; `asked`: the items of the column that no label has, without what spellings differ in."""
    items = list(zip(_plain(knowledge.items), knowledge.item_lines, strict=False))  # no lines without a file
    labels = list(zip(_plain(knowledge.labels), knowledge.label_lines, strict=False))
    empty = zip(_is_empty(knowledge).tolist(), knowledge.label_lines, strict=False)
    return Lines(
        variants=_ascending([*_of_variants(items), *_of_variants(labels)]),
        without_items=_ascending(line for is_empty, line in empty if is_empty),
        respelled=_ascending(line for text, line in items if text in asked),
    )


def _of_variants(texts: list[tuple[str, int]]) -> list[int]:
    """The lines of texts that are not the only spelling."""
    spellings = Counter(text for text, _ in texts)
    return [line for text, line in texts if spellings[text] > 1]


def _is_empty(knowledge: Knowledge) -> Flags:
    """bool [labels]: whether a label has no items."""
    flags: Flags = np.diff(knowledge.offsets) == 0
    return flags


def _ascending(lines: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(lines)))


def _plain(texts: Sequence[str]) -> list[str]:
    """The texts without what spelling variants differ in: case, spaces and hyphens."""
    series = pl.Series(texts, dtype=pl.String).str.normalize("NFKC").str.to_lowercase()
    return series.str.replace_all(_SPELLING, "").to_list()
