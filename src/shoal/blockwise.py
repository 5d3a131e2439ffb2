"""Searches in blocks: a table with more distinct rows than are searched at a time is divided first.

The first partition cuts the table on coarser domains into blocks that satisfy every model. Then the algorithm of the
plan searches each block by itself, with the reference distribution of the complete table. The classes of all blocks
together are the result. It depends on the plan and on the content of the table only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from shoal import algorithms
from shoal.algorithms.base import Algorithm
from shoal.arrays import Int32, Int64
from shoal.coded.counted import Coded, Counted
from shoal.coded.domains import TREE
from shoal.coded.partition import Partition
from shoal.coded.recoding import Boxes, Composed, Observed, Recoding
from shoal.coded.record import BlockRecord, SearchRecord
from shoal.engines.choosing import MOST_OF_MEMORY, memory
from shoal.errors import CannotBeMet, EngineError, PlanError
from shoal.models.base import ClassModel
from shoal.plan import Plan
from shoal.progress import Progress, silent
from shoal.search.blocks import require_start
from shoal.search.coarsening import Coarse, coarsened
from shoal.search.refinement import mean_loss

_FEW_GROUPS, _MANY_GROUPS = 16, 4096
"""Groups of codes of a column from which the first partition starts, and beyond which it looks for no further cut."""
_SAMPLE = 50_000
"""Distinct rows of the sample on which the extra loss is measured."""
_OF_CELL, _KEPT = 8, 60
"""Bytes of memory for each quasi-identifier of a row that is searched, and for every row of the table; measured."""

Each = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""Runs a task for each of several items, as the operation of an engine: results are in the order of the items."""


class Block(NamedTuple):
    """Distinct rows that are searched together, int64 ascending, and the box int32 [q, 2] that bounds their codes.

    Cuts of a column that is published as sets need not follow the order of codes: there, the box has no meaning.
    """

    rows: Int64
    box: Int32


@dataclass(frozen=True)
class Search:
    """The search of a plan in one block: called with counted rows, it returns their classes.

    `table`: the domains of the table; its rows are not those that are searched.
    """

    table: Coded
    algorithm: Algorithm
    models: tuple[ClassModel, ...]
    suppression: float
    seed: int
    progress: Progress = field(default=silent, compare=False)

    @classmethod
    def of(cls, coded: Coded, plan: Plan, progress: Progress = silent) -> Search:
        """The search of a plan in the blocks of a table."""
        domains = coded.only(np.zeros(0, np.int64))
        return cls(domains, plan.algorithm, tuple(plan.searched), plan.release.suppression, plan.seed, progress)

    def __call__(self, counted: Counted) -> Partition:
        coded = replace(self.table, counted=counted)
        return self.algorithm.partition(coded, self.models, self.suppression, self.seed, self.progress)

    def __reduce__(self) -> tuple[Any, ...]:
        """A search that is sent elsewhere reports no progress."""
        return type(self), (self.table, self.algorithm, self.models, self.suppression, self.seed)


def one_by_one(task: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """Runs a task for one item after the other."""
    return map(task, items)


# -- before the search --------------------------------------------------------------------------------------------


def needs_blocks(coded: Coded, plan: Plan) -> bool:
    """Whether a table has more distinct rows than the plan searches at a time, and is searched at all."""
    return bool(coded.quasi and plan.models) and len(coded.counted) > plan.engine.distinct_limit


def require_searchable(coded: Coded, plan: Plan) -> None:
    """Raises if a table has too many distinct rows for its plan, or for the memory of the machine."""
    if needs_blocks(coded, plan):
        _require_blocks(coded, plan)
    if coded.quasi and plan.searched and plan.algorithm.works_in_blocks:
        _require_memory(coded, plan, min(len(coded.counted), plan.engine.distinct_limit))


def _require_blocks(coded: Coded, plan: Plan) -> None:
    """Raises if the algorithm or a model cannot search in blocks."""
    rows = f"The table has {len(coded.counted):,} distinct rows, and the plan searches {plan.engine.distinct_limit:,} "
    hint = "raise distinct_limit under [engine], or make rows less distinct with 'finest', or drop columns."
    if not plan.algorithm.works_in_blocks:
        able = [cls.kind for cls in algorithms.ALL if cls.works_in_blocks]
        raise PlanError(
            f"{rows}at a time. Algorithm '{plan.algorithm.kind}' cannot search in blocks.",
            allowed=f"Algorithms that can: {', '.join(able)}.",
            hint=hint,
        )
    for model in plan.enforced:
        if model.judges_table or model.removes_items:
            raise PlanError(
                f"{rows}at a time. Model '{model.kind}' judges more than one class at a time, so blocks cannot be "
                "searched by themselves.",
                allowed="Blocks are searched with models of classes, such as k-anonymity, l-diversity and t-closeness.",
                hint=hint,
            )


def _require_memory(coded: Coded, plan: Plan, at_once: int) -> None:
    """Raises if the search, of so many rows at once, would take more than a share of the memory of the machine."""
    rows = len(coded.counted)
    needed = rows * _KEPT + at_once * (plan.algorithm.row_bytes + _OF_CELL * len(coded.quasi))
    if needed > MOST_OF_MEMORY * memory():
        raise EngineError(
            f"The search of {rows:,} distinct rows, {at_once:,} at a time, needs about {needed / 2**30:,.1f} GB.",
            allowed=f"It may take half of the memory of the machine, {MOST_OF_MEMORY * memory() / 2**30:,.1f} GB.",
            hint="lower distinct_limit under [engine], make rows less distinct with 'finest', or drop columns.",
        )


# -- the search ---------------------------------------------------------------------------------------------------


def partition(coded: Coded, plan: Plan, progress: Progress, each: Each = one_by_one) -> Partition:
    """The classes of all blocks; `each` runs the search for every block, one after the other or elsewhere."""
    require_start(coded, plan.searched, plan.algorithm.kind)
    search, limit = Search.of(coded, plan, progress), plan.engine.distinct_limit
    blocks = blocks_of(coded, search, limit)
    largest = max(len(block.rows) for block in blocks)
    _require_memory(coded, plan, largest)
    found = classes(coded, search, blocks, each)
    record = BlockRecord(
        blocks=len(blocks),
        distinct_rows=len(coded.counted),
        distinct_limit=limit,
        largest=largest,
        sample=sample_size(coded, limit),
        extra_loss=extra_loss(coded, replace(search, progress=lambda step, _: progress(step, 1.0)), limit),
    )
    return replace(found, record=replace(found.record, blocks=record))


def classes(coded: Coded, search: Search, blocks: Sequence[Block], each: Each = one_by_one) -> Partition:
    """The classes of all blocks of a table, after a search in each of them."""
    overall = _Overall(search.progress, len(coded.counted))
    items = (coded.only(overall.begun(block.rows)).counted for block in blocks)
    return joined(coded, blocks, list(each(replace(search, progress=overall), items)))


class _Overall:
    """The progress of all blocks, of `rows` rows in total, from that of the search in one block after the other."""

    def __init__(self, progress: Progress, rows: int) -> None:
        self._progress, self._rows, self._done, self._now = progress, rows, 0, 0

    def begun(self, rows: Int64) -> Int64:
        """The rows of the block that is searched next."""
        self._done, self._now = self._done + self._now, len(rows)
        return rows

    def __call__(self, step: str, share: float) -> None:
        self._progress(step, (self._done + share * self._now) / self._rows)


def blocks_of(coded: Coded, search: Search, most: int) -> list[Block]:
    """Blocks of at most `most` distinct rows that satisfy every model; more, where no cut is valid."""
    whole = np.array([[0, domain.size - 1] for domain in coded.quasi], np.int32)
    waiting, done = [Block(np.arange(len(coded.counted)), whole)], list[Block]()
    while waiting:
        block = waiting.pop()
        parts = _cut(coded, block, search, most) if len(block.rows) > most else []
        if len(parts) > 1:
            waiting += reversed(parts)
        else:
            done.append(block)
    return done


def _cut(coded: Coded, block: Block, search: Search, most: int) -> list[Block]:
    """The parts of a block, cut at the boundaries of coarser domains; itself if no such cut is valid."""
    here = coded if len(block.rows) == len(coded.counted) else coded.only(block.rows)
    for coarse in _coarser(here, search.models, most):
        parts = search.algorithm.divided(coarse.coded, search.models, coarse.size, most)
        if parts.classes > 1:
            return _blocks(parts, coarse, block)
    return [block]


def _coarser(coded: Coded, models: Sequence[ClassModel], most: int) -> Iterator[Coarse]:
    """Coarser tables: the finest with at most `most` rows, but not the coarsest, and after it finer and finer ones.

    Classes of different blocks must not look alike, if they might not pass as the one class that a reader sees. Labels
    of tree nodes may be equal on both sides of a cut, so these columns are then not cut.
    """
    trees = all(model.monotone.merges(coded.counts_persons) for model in models)
    values = [domain.size for domain in coded.quasi if trees or domain.published != TREE]
    last = min(_MANY_GROUPS, max(values, default=0))
    groups, coarse = _FEW_GROUPS, coarsened(coded, _FEW_GROUPS, trees=trees)
    while groups < last:
        finer = coarsened(coded, 2 * groups, trees=trees)
        if len(finer.size) > most:
            break
        groups, coarse = 2 * groups, finer
    yield coarse
    while groups < last:
        groups *= 2
        yield coarsened(coded, groups, trees=trees)


def _blocks(parts: Partition, coarse: Coarse, block: Block) -> list[Block]:
    """The parts of a coarser table as blocks of the table."""
    assert isinstance(parts.recoding, Boxes)
    part_of = np.empty(len(parts.row), np.int32)
    part_of[parts.row] = parts.class_of
    part = part_of[coarse.of_row]
    order = np.argsort(part, kind="stable")
    edges = np.searchsorted(part[order], np.arange(parts.classes + 1))
    return [
        Block(block.rows[order[edges[p] : edges[p + 1]]], clipped(parts.recoding.boxes[p], block.box))
        for p in range(parts.classes)
    ]


def clipped(boxes: Int32, box: Int32) -> Int32:
    """Boxes int32 [..., q, 2] as far as they lie inside of another one, int32 [q, 2]."""
    low = np.maximum(boxes[..., 0], box[:, 0])
    return np.stack([low, np.minimum(boxes[..., 1], box[:, 1])], axis=-1)


# -- the result ---------------------------------------------------------------------------------------------------


def joined(coded: Coded, blocks: Sequence[Block], parts: Sequence[Partition]) -> Partition:
    """The classes of all blocks as one partition of the table."""
    entries = np.cumsum([0, *(len(part.row) for part in parts)])
    offsets = [part.offsets[:-1] + before for part, before in zip(parts, entries, strict=False)]
    return Partition(
        row=np.concatenate([block.rows[part.row] for block, part in zip(blocks, parts, strict=True)]),
        offsets=np.append(np.concatenate(offsets), entries[-1]).astype(np.int64),
        weight=np.concatenate([part.weight for part in parts]),
        recoding=_recoding(blocks, parts),
        record=_record(coded, blocks, parts),
    )


def _recoding(blocks: Sequence[Block], parts: Sequence[Partition]) -> Recoding:
    """How the classes of all blocks are published: boxes end at the boundaries of their block."""
    each = [_inside(part.recoding, block.box) for block, part in zip(blocks, parts, strict=True)]
    boxes = [recoding.boxes for recoding in each if isinstance(recoding, Boxes)]
    if len(boxes) == len(each):
        return Boxes(np.concatenate(boxes))
    if not boxes and all(isinstance(recoding, Observed) for recoding in each):
        return Observed()
    ends = np.cumsum([part.classes for part in parts])
    numbers = [np.arange(end - part.classes, end) for part, end in zip(parts, ends, strict=True)]
    return Composed(tuple(zip(numbers, each, strict=True)))


def _inside(recoding: Recoding, box: Int32) -> Recoding:
    return Boxes(clipped(recoding.boxes, box)) if isinstance(recoding, Boxes) else recoding


def _record(coded: Coded, blocks: Sequence[Block], parts: Sequence[Partition]) -> SearchRecord:
    """What the searches of all blocks record together."""
    cuts = [part.record.by_cuts for part in parts]
    saved = [part.record.refined_by for part in parts]
    return SearchRecord(
        by_cuts=True if all(cuts) else None,
        refined_by=_refined_by(coded, blocks, parts) if any(saved) else None,
    )


def _refined_by(coded: Coded, blocks: Sequence[Block], parts: Sequence[Partition]) -> float:
    """The share of the information loss of all blocks that refinement saved."""
    before = after = 0.0
    for block, part in zip(blocks, parts, strict=True):
        lost = mean_loss(coded.only(block.rows), part) * float(part.rows.sum())
        after += lost
        before += lost / (1 - (part.record.refined_by or 0.0)) if part.record.refined_by != 1 else 0.0
    return 1 - after / before if before else 0.0


# -- what blocks cost ---------------------------------------------------------------------------------------------


def sample_size(coded: Coded, most: int) -> int:
    """The number of distinct rows of the sample on which the extra loss is measured."""
    return min(len(coded.counted), most, _SAMPLE)


def extra_loss(coded: Coded, search: Search, most: int) -> float | None:
    """The share by which blocks raise the information loss, measured on a sample; None if it cannot be measured.

    The sample takes distinct rows at equal distances in the order of their content. It is searched in one piece, and in
    blocks that are smaller in the same proportion.
    """
    rows = len(coded.counted)
    size = sample_size(coded, most)
    sample = coded.only(np.arange(size, dtype=np.int64) * rows // size)
    try:
        whole = mean_loss(sample, search(sample.counted))
        blocks = blocks_of(sample, search, max(1, most * size // rows))
        in_blocks = mean_loss(sample, classes(sample, search, blocks))
    except CannotBeMet:
        return None
    return in_blocks / whole - 1 if whole else None
