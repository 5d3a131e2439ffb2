"""The local engine: it holds a table in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int64
from shoal.engines.columns import FrameColumns
from shoal.engines.stored import StoredEngine


class LocalEngine(StoredEngine):
    """A table in memory. Every column is dictionary-coded at most once, on first use."""

    kind: ClassVar[str] = "local"

    def __init__(self, frame: pl.DataFrame, input_rows: Int64 | None = None) -> None:
        super().__init__(FrameColumns(frame), input_rows)
        self._frame = frame

    def without(self, dropped: Mapping[str, Flags]) -> LocalEngine:
        keep = self.kept(dropped)
        if keep.all():
            return self
        return LocalEngine(self._frame.filter(pl.Series(keep)), self.input_rows(np.flatnonzero(keep)))

    def cells(self, columns: Sequence[str], rows: Int64 | None = None) -> pl.DataFrame:
        """Some columns as they were read, of all rows or of those with these numbers."""
        frame = self._frame.select(columns)
        return frame if rows is None else frame[rows]
