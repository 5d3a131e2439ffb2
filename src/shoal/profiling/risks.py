"""Risks of a table that need no plan: a missing header line, and spellings of one value in a sensitive column."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from shoal.table.header import seems_absent
from shoal.warnings import Warning
from shoal.warnings.header import ABSENT
from shoal.warnings.spelling import variants_in


def risks(names: Sequence[str], among_values: Collection[str], variants: Mapping[str, int]) -> Iterator[Warning]:
    """The warnings about a table with these column names.

    `among_values`: the names that are also values of their columns. `variants`: sensitive column → its number of values
    that differ from another only in spelling.
    """
    if seems_absent(names, lambda name: name in among_values):
        yield Warning(ABSENT, serious=True)
    for name, count in variants.items():
        if count:
            yield Warning(variants_in(name, count), serious=True)
