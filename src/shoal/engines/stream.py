"""The stream engine: it reads files batch by batch and keeps their columns on disk, so that rows need no memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from typing import ClassVar

from shoal.arrays import Flags, Int64
from shoal.engines.choosing import MOST_OF_MEMORY, memory
from shoal.engines.fitting import published_columns, require_columns
from shoal.engines.scratch import explained, scratch_folder
from shoal.engines.spool import SpooledColumns, spooled
from shoal.engines.stored import StoredEngine
from shoal.errors import PlanError
from shoal.plan import Plan
from shoal.table import require_rows, with_set_texts
from shoal.table.batches import read_batches


class StreamEngine(StoredEngine):
    """A table on disk, as codes of its distinct values. Memory holds these values and the distinct rows."""

    kind: ClassVar[str] = "stream"

    def __init__(self, columns: SpooledColumns, input_rows: Int64 | None = None) -> None:
        super().__init__(columns, input_rows)
        self._spooled = columns

    def without(self, dropped: Mapping[str, Flags]) -> StreamEngine:
        keep = self.kept(dropped)
        if keep.all():
            return self
        with explained():
            return StreamEngine(self._spooled.picked(keep), self.input_rows(self._spooled.kept_rows(keep)))


@contextmanager
def streamed(plan: Plan) -> Iterator[StreamEngine]:
    """The table that the plan names as its source, in a private folder that is removed afterwards.

    Of columns that are not released, only hashes are stored, apart from the persons that the plan counts.
    """
    if (source := plan.data.source) is None:
        raise PlanError("The plan names no source to read.", hint='set source = "…" under [data].')
    batches = read_batches(source, separator=plan.data.separator, header=plan.data.header)
    first = next(batches)
    plan = plan.for_table(first.columns)
    require_columns(first.columns, plan)
    needed = {*published_columns(first.columns, plan), plan.data.person}
    texts = (with_set_texts(batch, plan.separators) for batch in chain([first], batches))
    with scratch_folder() as folder:
        with explained():
            columns = spooled(texts, folder, lambda name: name not in needed, int(MOST_OF_MEMORY * memory()))
        if not columns.rows:
            require_rows(first)
        yield StreamEngine(columns)
