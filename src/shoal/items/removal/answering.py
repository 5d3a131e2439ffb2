"""The first answers for many classes at once: the greedy removals, in compiled code on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Flags, Int64
from shoal.items.removal.classes import ClassItems, Rows
from shoal.items.removal.greedy import greedy
from shoal.items.removal.result import Removal
from shoal.items.rules import Rule

if TYPE_CHECKING:
    from shoal.kernels import first_answers as kernels

CHUNK = 500
"""The classes that a thread answers at a time."""


def first_answers(classes: Sequence[ClassItems], rule: Rule, budget: int, threads: int = 1) -> Iterator[Removal]:
    """The greedy removals of the classes, in their order; each is the same as that of the class alone.

    `budget`: the most removals that are tried in a class. A class that satisfies the rule loses nothing.
    """
    chunks = [classes[low : low + CHUNK] for low in range(0, len(classes), CHUNK)]
    pool = ThreadPoolExecutor(threads)
    try:
        for removals in pool.map(lambda chunk: answered([Rows.of(each) for each in chunk], rule, budget), chunks):
            yield from removals
    finally:
        pool.shutdown(cancel_futures=True)


def answered(classes: Sequence[Rows], rule: Rule, budget: int) -> list[Removal]:
    """The greedy removals of classes with the same labels."""
    from shoal.kernels import first_answers as kernels

    many = _many(classes, rule)
    ends = many.starts[many.first]
    kept, nodes = np.ones(int(ends[-1]), np.bool_), np.zeros(len(classes), np.int64)
    status = np.zeros(len(classes), np.int8)
    most_rows, most_terms = int(np.diff(many.first).max()), int(np.diff(ends).max())
    room, starts = classes[0].room(most_rows, most_terms), np.empty(most_rows + 1, np.int64)
    kernels.answers(many, 0, len(classes), budget, room, starts, kept, nodes, status)
    parts = zip(classes, np.split(kept, ends[1:-1]), nodes.tolist(), status.tolist(), strict=True)
    return [
        _removal(rows, part, tried) if ended == kernels.ANSWERED else first_answer(rows, rule, budget)
        for rows, part, tried, ended in parts
    ]


def first_answer(rows: Rows, rule: Rule, budget: int) -> Removal:
    """The greedy removal of one class."""
    untouched = np.ones(rows.terms, np.bool_)
    if rows.satisfy(rule, untouched):
        return _removal(rows, untouched, 0)
    allowed = max(budget, rows.terms)
    kept, nodes = greedy(rows, rule, allowed)
    return Removal.of(rows, kept, rows.least, nodes, is_hasty=nodes >= allowed)


def _removal(rows: Rows, kept: Flags, nodes: int) -> Removal:
    return Removal.of(rows, kept, 0.0 if kept.all() else rows.least, nodes)


def _many(classes: Sequence[Rows], rule: Rule) -> kernels.Many:
    from shoal.kernels import first_answers as kernels

    first = _ends([len(each.weights) for each in classes])
    lengths = np.concatenate([each.lengths for each in classes])
    items = np.concatenate([each.items for each in classes])
    weights = np.concatenate([each.weights for each in classes])
    has, everything, labels = classes[0].labels_of.bits, classes[0].everything, classes[0].labels_of.labels
    return kernels.Many(first, _ends(lengths), items, weights, has, everything, labels, rule.kernel)


def _ends(lengths: Sequence[int] | Int64) -> Int64:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
