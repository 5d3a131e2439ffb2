"""Risks of a table that need no plan: a missing header line, and spellings of one value in a sensitive column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from shoal.table.header import seems_absent
from shoal.warnings import Warning
from shoal.warnings.header import ABSENT
from shoal.warnings.spelling import count_variants, variants_in


def risks(frame: pl.DataFrame, sensitive: Sequence[str]) -> Iterator[Warning]:
    """The warnings about a table of which these columns may be sensitive."""
    if seems_absent(frame.columns, lambda name: frame[name].dtype == pl.String and bool((frame[name] == name).any())):
        yield Warning(ABSENT, serious=True)
    for name in sensitive:
        if variants := count_variants(frame[name]):
            yield Warning(variants_in(name, variants), serious=True)
