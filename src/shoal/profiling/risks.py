"""Risks of a table that need no plan: a missing header line, spellings of one value in a sensitive column, and a column
that seems to number individuals.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from shoal.table.header import seems_absent
from shoal.warnings import Warning
from shoal.warnings.header import ABSENT, ADD_HEADER
from shoal.warnings.spelling import ALIKE, variants_in


def risks(
    names: Sequence[str],
    among_values: Collection[str],
    variants: Mapping[str, int],
    repeating: Mapping[str, Sequence[str]] | None = None,
) -> Iterator[Warning]:
    """The warnings about a table with these column names.

    `among_values`: the names that are also values of their columns. `variants`: sensitive column → its number of values
    that differ from another only in spelling. `repeating`: column that is not released → the traits of individuals,
    such as age, that are the same in all rows with one of its values.
    """
    if seems_absent(names, lambda name: name in among_values):
        yield Warning(ABSENT, serious=True, remedy=ADD_HEADER)
    for name, count in variants.items():
        if count:
            yield Warning(variants_in(name, count), serious=True, remedy=ALIKE)
    for name, traits in (repeating or {}).items():
        remedy = "Set person under [data] to this column if it numbers individuals."
        yield Warning(_like_persons(name, traits), serious=True, remedy=remedy)


def _like_persons(name: str, traits: Sequence[str]) -> str:
    same = ", ".join(f"'{trait}'" for trait in traits)
    return (
        f"The values of '{name}' repeat, and rows with the same value agree in {same}. If it numbers individuals, set "
        "person under [data] to this column and give it the role identifier; else the rows of one individual count as "
        "several individuals."
    )
