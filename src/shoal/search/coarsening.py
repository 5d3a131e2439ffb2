"""Coarsening: a table on coarser domains, with far fewer distinct rows, on which a first partition can be found.

The codes of a column are grouped: adjacent codes become the highest code of their group. So a cut between two groups is
a cut of the table itself, and the domains and their losses stay the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from shoal.arrays import Int32, Int64
from shoal.coded.counted import Coded, Counted
from shoal.coded.domains import TREE, QuasiDomain
from shoal.coded.keys import distinct_by


class Coarse(NamedTuple):
    """A coarser table: `of_row` int32 [d] is the coarse row of each row, `size` int64 [coarse rows] their number."""

    coded: Coded
    of_row: Int32
    size: Int64


def coarsened(coded: Coded, groups: int, *, trees: bool = True) -> Coarse:
    """The table with about `groups` codes in each column; a group stays inside what 'coarsest' allows in one label.

    Columns with fewer codes keep them. Without `trees`, columns that are published as tree nodes are not told apart.
    """
    counted = coded.counted
    highest = []
    for domain, codes in zip(coded.quasi, counted.quasi, strict=True):
        most = groups if trees or domain.published != TREE else 1
        highest.append(highest_codes(domain, np.bincount(codes, counted.weight, domain.size).astype(np.int64), most))
    others = _others(counted)
    sizes = [*(domain.size for domain in coded.quasi), *(int(codes.max(initial=0)) + 1 for codes in others)]

    def codes_of(a: int, rows: slice) -> Int32:
        if a < len(highest):
            return highest[a][counted.quasi[a, rows]]
        return others[a - len(highest)][rows]

    of_row, firsts, size = distinct_by(sizes, len(counted), codes_of)
    some = coded.only(firsts).counted
    quasi = np.stack([of_code[codes] for of_code, codes in zip(highest, some.quasi, strict=True)])
    weight = np.bincount(of_row, counted.weight, len(size)).astype(np.int64)
    return Coarse(replace(coded, counted=replace(some, quasi=quasi, weight=weight)), of_row, size)


def _others(counted: Counted) -> list[Int32]:
    """What models and cuts read besides the quasi-identifiers, which a coarse row has in common."""
    columns = [*counted.sensitive.values(), *counted.items.values()]
    return [*columns, *(each for each in (counted.person, counted.target) if each is not None)]


def highest_codes(domain: QuasiDomain, rows: Int64, groups: int) -> Int32:
    """int32 [codes]: the highest code of the group of each code; rows [codes] is the number of rows of each.

    Codes of a tree are grouped by the lowest level with at most so many nodes; all others into groups of about equally
    many rows, with missing values apart.
    """
    occurs = rows > 0
    if np.count_nonzero(occurs) <= groups:
        return np.arange(domain.size, dtype=np.int32)
    if domain.published == TREE:
        levels = domain.tree.levels[: domain.coarsest + 1]
        group = next((each.of_leaf for each in levels if len(np.unique(each.of_leaf[occurs])) <= groups), None)
        group = levels[-1].of_leaf if group is None else group
    else:
        before = np.cumsum(rows) - rows
        group = before * groups // rows.sum() + 1
        group[0] = 0 if domain.has_missing else group[0]
    last = np.flatnonzero(np.diff(group, append=-1) != 0)
    return last[np.searchsorted(last, np.arange(domain.size))].astype(np.int32)
