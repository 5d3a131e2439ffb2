"""Counted rows: the distinct coded rows of a table with their numbers of occurrences; all that a search sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from shoal.arrays import Flags, Int32, Int64
from shoal.coded.domains import ItemDomain, QuasiDomain, SensitiveDomain, TargetDomain
from shoal.coded.keys import distinct_rows
from shoal.hierarchies.base import Hierarchy
from shoal.labels import MISSING
from shoal.roles.columns import Column


@dataclass(frozen=True)
class Counted:
    """Distinct rows as plain arrays, as an engine delivers them.

    `quasi` int32 [q, d]: the codes of the quasi-identifiers. `weight` int64 [d]: the number of input rows of each
    distinct row. `sensitive` and `items`: column → int32 [d], the codes of sensitive columns and of sets. `person`
    int32 [d] or None. `target` int32 [d] or None: the variable to be predicted. `reference`: sensitive column → int64
    [values], the number of rows (or persons) of the full table with each value. `rows_dropped`: the number of input
    rows dropped for a missing value; measures count them as lost. `covered` bool [d] or None: the rows that the
    promises cover, if not all.
    """

    quasi: Int32
    weight: Int64
    sensitive: Mapping[str, Int32] = field(default_factory=dict)
    items: Mapping[str, Int32] = field(default_factory=dict)
    person: Int32 | None = None
    target: Int32 | None = None
    reference: Mapping[str, Int64] = field(default_factory=dict)
    rows_dropped: int = 0
    covered: Flags | None = None

    def __len__(self) -> int:
        return len(self.weight)

    @cached_property
    def rows(self) -> int:
        """The total number of input rows."""
        return int(self.weight.sum())

    @cached_property
    def by_row(self) -> Int32:
        """int32 [d, q]: the quasi-identifiers row by row, for searches that read several columns of a row."""
        return np.ascontiguousarray(self.quasi.T)


class Joint(NamedTuple):
    """Several sensitive columns read as one.

    `codes` int32 [d]: the tuple of each row. `tuples` int32 [t, columns]: the tuples that occur, as codes of the
    columns, in ascending order.
    """

    codes: Int32
    tuples: Int32


@dataclass(frozen=True)
class Coded:
    """A table as integers: the meaning of the codes, and the distinct rows."""

    quasi: tuple[QuasiDomain, ...]
    sensitive: Mapping[str, SensitiveDomain]
    counted: Counted
    items: Mapping[str, ItemDomain] = field(default_factory=dict)
    target: TargetDomain | None = None
    _joint: dict[tuple[str, ...], Joint] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(domain.name for domain in self.quasi)

    @property
    def counts_persons(self) -> bool:
        """Whether classes count persons, who may have several rows, instead of rows."""
        return self.counted.person is not None

    def lacks(self, a: int, low: int, high: int) -> bool:
        """Whether no row has one of the codes low to high of quasi-identifier a, as may be so in a part of a table."""
        return bool(self._occurring[a][high + 1] == self._occurring[a][low])

    @cached_property
    def _occurring(self) -> list[Int64]:
        """Per quasi-identifier int64 [codes + 1]: how many of the codes before each occur."""
        found = []
        for domain, codes in zip(self.quasi, self.counted.quasi, strict=True):
            occurs = np.bincount(codes, minlength=domain.size) > 0
            found.append(np.concatenate([[0], np.cumsum(occurs)]))
        return found

    @property
    def in_scope(self) -> Coded:
        """The rows that the promises cover."""
        covered = self.counted.covered
        return self if covered is None else self.only(np.flatnonzero(covered))

    def only(self, rows: Int64) -> Coded:
        """The table with some of its distinct rows; domains and references stay those of the complete table."""
        counted = self.counted
        some = replace(
            counted,
            quasi=np.ascontiguousarray(counted.quasi[:, rows]),
            weight=counted.weight[rows],
            sensitive={name: codes[rows] for name, codes in counted.sensitive.items()},
            items={name: codes[rows] for name, codes in counted.items.items()},
            person=None if counted.person is None else counted.person[rows],
            target=None if counted.target is None else counted.target[rows],
            covered=None if counted.covered is None else counted.covered[rows],
        )
        return replace(self, counted=some)

    def joint(self, columns: tuple[str, ...]) -> Joint:
        """The tuples that these sensitive columns form together; computed once and cached."""
        if columns not in self._joint:
            codes = [self.counted.sensitive[column] for column in columns]
            ids, firsts, _ = distinct_rows(codes)
            tuples = np.ascontiguousarray(np.stack([column[firsts] for column in codes], axis=1))
            self._joint[columns] = Joint(ids, tuples)
        return self._joint[columns]


def reference_counts(codes: Int32, values: int, weight: Int64, person: Int32 | None) -> Int64:
    """int64 [values]: the number of all rows, or of all persons, with each value."""
    if person is None:
        counts = np.zeros(values, np.int64)
        np.add.at(counts, codes, weight)
        return counts
    _, firsts, _ = distinct_rows([codes, person])
    return np.bincount(codes[firsts], minlength=values).astype(np.int64)


def coded_values(
    columns: Mapping[str, Sequence[str]],
    weight: Sequence[int] | None = None,
    person: Sequence[int] | None = None,
    settings: Mapping[str, Column] | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
    trees: Mapping[str, Hierarchy] | None = None,
) -> Coded:
    """Rows with these sensitive values and no quasi-identifier, for examples and tests; empty text is missing.

    The leaves of a tree are the values in order.

    >>> coded = coded_values({"disease": ["flu", "HIV", "flu"]})
    >>> coded.sensitive["disease"].labels, coded.counted.sensitive["disease"].tolist()
    (('HIV', 'flu'), [1, 0, 1])
    """
    rows = len(next(iter(columns.values()))) if columns else len(weight or person or ())
    weights = np.ones(rows, np.int64) if weight is None else np.array(weight, np.int64)
    persons = None if person is None else np.array(person, np.int32)
    domains, codes, reference = {}, {}, {}
    for name, values in columns.items():
        tree = (trees or {}).get(name)
        labels = tuple(tree.leaves if tree else (order or {}).get(name) or sorted(set(values)))
        column = (settings or {}).get(name, Column(role="sensitive"))
        domains[name] = SensitiveDomain(name, labels, column, tree)
        place = {label: code for code, label in enumerate(labels)}
        codes[name] = np.array([place[value or MISSING] for value in values], np.int32)
        reference[name] = reference_counts(codes[name], len(labels), weights, persons)
    quasi = np.zeros((0, rows), np.int32)
    return Coded((), domains, Counted(quasi, weights, codes, person=persons, reference=reference))
