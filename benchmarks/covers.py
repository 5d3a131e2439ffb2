"""LKC with covering labels instead of equal ones: what it would save, and what it would promise (decision 0043).

Classes of Mondrian with fewer than K rows are merged until every cell of at most L known values is matched by K rows.
Three rules say which rows match: those whose labels cover the cell, those with equal labels, and those with labels that
lie within the label. Then an intruder who knows two values weighs the rows that cover them.

usage: python -m benchmarks.covers          about ten minutes
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

import shoal
from benchmarks import diabetes
from benchmarks.tables import SHARED
from shoal.algorithms import Mondrian
from shoal.coded.counted import Coded
from shoal.coded.domains import RANGE, QuasiDomain
from shoal.pipeline import fitted
from shoal.progress import silent

RESULTS = Path(__file__).parent / "results" / "covers.json"
ADULT = SHARED / "data" / "adult" / "adult_complete.csv.gz"
ROWS, K, SEED = 10_000, 20, 1
MERGED_AT_ONCE = 0.34
"""The share of the failing classes that are merged before the cells are counted again."""


class Table(NamedTuple):
    """A table and what its plan says of it."""

    name: str
    frame: pl.DataFrame
    quasi: list[str]
    sensitive: str
    listed: tuple[str, ...]


def tables() -> Iterator[Table]:
    """Adult with 12 quasi-identifiers, and diabetes130 with 20 and one row per patient."""
    adult = pl.read_csv(gzip.decompress(ADULT.read_bytes()), infer_schema=False).sample(ROWS, seed=SEED)
    others = ("fnlwgt", "marital-status", "income")
    quasi = [name for name in adult.columns if name not in others]
    yield Table("adult", adult, quasi, "marital-status", ("Divorced", "Separated"))
    stays = pl.read_csv(gzip.decompress(diabetes.SOURCE.read_bytes()), infer_schema=False)
    patients = stays.unique("patient_nbr", keep="first", maintain_order=True).sample(ROWS, seed=SEED)
    yield Table("diabetes130", patients, list(diabetes.QUASI), "readmitted", ("<30",))


def model(table: Table, k: int, c: float) -> Any:
    """What every class keeps: k rows, and the confidence C if it is bounded."""
    return shoal.AlphaK(table.sensitive, c, k, table.listed) if c < 1 else shoal.KAnonymity(k=k)


def coded_table(table: Table, c: float) -> Coded:
    """The table as integers, with ranges for numbers and sets for texts."""
    plan = shoal.Plan(
        columns={**{name: shoal.quasi() for name in table.quasi}, table.sensitive: shoal.sensitive()},
        models=[model(table, 2, c)],
        algorithm=Mondrian(),
        release=shoal.ReleaseSettings(categories="sets"),
    )
    return fitted(table.frame.select(*table.quasi, table.sensitive), plan).coded


# -- classes and their labels -----------------------------------------------------------------------------------------


@dataclass
class Classes:
    """Labels as the values that they cover.

    `labels`: per column bool [classes, values]. `rows` [classes]: the number of rows of each class. `member` [entries]:
    the class of each entry of the table. `codes`: per column the value of each entry. `weight` [entries]: its rows.
    """

    domains: tuple[QuasiDomain, ...]
    labels: list[Any]
    rows: Any
    member: Any
    codes: list[Any]
    weight: Any

    def losses(self) -> Any:
        """[classes]: the loss of a row of each class, over all columns."""
        return sum(_loss(domain, label) for domain, label in zip(self.domains, self.labels, strict=True))

    def ncp(self) -> float:
        """The mean loss of a cell."""
        return float((self.losses() * self.rows).sum() / self.rows.sum() / len(self.labels))

    def covered(self) -> list[Any]:
        """Per column bool [classes, cells]: the labels, with the whole numbers between two values as cells, too."""
        return [
            np.concatenate([label, label[:, gaps] & label[:, gaps + 1]], axis=1)
            for label, gaps in zip(self.labels, map(_gaps, self.domains), strict=True)
        ]


def _ends(label: Any) -> tuple[Any, Any]:
    return label.argmax(1), label.shape[1] - 1 - label[:, ::-1].argmax(1)


def _loss(domain: QuasiDomain, label: Any) -> Any:
    low, high = _ends(label)
    if domain.published == RANGE:
        return domain.position[high] - domain.position[low]
    return (label.sum(1) - 1) / max(domain.leaves - 1, 1)


def _gaps(domain: QuasiDomain) -> Any:
    """The codes after which values are missing that a range covers."""
    if domain.published != RANGE:
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.diff(domain.values.cast(pl.Float64).to_numpy()) > 1)


def _filled(domain: QuasiDomain, label: Any) -> Any:
    """What a class publishes: the range from the smallest to the largest value, or the set of values."""
    if domain.published != RANGE:
        return label
    low, high = _ends(label)
    every = np.arange(label.shape[1])
    return (every >= low[:, None]) & (every <= high[:, None])


def grouped(coded: Coded, member: Any, codes: list[Any], weight: Any) -> Classes:
    """The classes to which `member` assigns the entries."""
    labels = []
    for domain, column in zip(coded.quasi, codes, strict=True):
        label = np.zeros((int(member.max()) + 1, domain.size), np.bool_)
        label[member, column] = True
        labels.append(_filled(domain, label))
    rows = np.bincount(member, weight).astype(np.int64)
    return Classes(coded.quasi, labels, rows, member, codes, weight)


def searched(coded: Coded, table: Table, k: int, c: float, refine: bool) -> Classes:
    """The classes of Mondrian."""
    partition = Mondrian(refine=refine).partition(coded, [model(table, k, c)], 0.0, 0, silent)
    codes = [column[partition.row] for column in coded.counted.quasi]
    return grouped(coded, partition.class_of.astype(np.int64), codes, partition.weight)


def starred(coded: Coded) -> Classes:
    """K rows generalized to `*` in every column, and all others as they are."""
    weight = coded.counted.weight
    chosen = np.cumsum(weight) - weight < K
    member = np.unique(np.where(chosen, 0, np.arange(len(weight))), return_inverse=True)[1].reshape(-1)
    classes = grouped(coded, member, list(coded.counted.quasi), weight)
    for label in classes.labels:
        label[0] = True
    return classes


# -- which cells fail -------------------------------------------------------------------------------------------------


class Failing(NamedTuple):
    """How many cells there are, how many fail, and [classes] how many of these each class covers."""

    cells: int
    failing: int
    of_class: Any


def by_covering(classes: Classes, known: int) -> Failing:
    """The cells of `known` columns that a label covers, but the labels of fewer than K rows do.

    Cells of fewer columns need no check: whatever covers a cell covers its part.
    """
    columns = sorted((_distinct(cells) for cells in classes.covered()), key=lambda column: len(column[1]))
    cells, failing, of_class = 0.0, 0.0, np.zeros(len(classes.rows))
    for *first, left, right in combinations(columns, known):
        for among, times in _fixed(first, len(classes.rows)):
            a, b, rows = left[0][among], right[0][among], classes.rows[among].astype(np.float32)
            matching = (a * rows[:, None]).T @ b
            times_each = times * left[1][:, None] * right[1]
            short = (matching > 0) & (matching < K)
            cells += times_each[matching > 0].sum()
            failing += times_each[short].sum()
            if short.any():
                of_class[among] += ((a @ (short * times_each).astype(np.float32)) * b).sum(1)
    return Failing(int(cells), int(failing), of_class)


def _distinct(cells: Any) -> tuple[Any, Any]:
    """Cells of one column that the same labels cover are counted once: float32 [classes, distinct], [distinct]."""
    _, first, times = np.unique(np.packbits(cells, axis=0), axis=1, return_index=True, return_counts=True)
    return cells[:, first].astype(np.float32), times.astype(np.float64)


def _fixed(columns: list[tuple[Any, Any]], classes: int) -> Iterator[tuple[Any, float]]:
    """The classes that cover each cell of no or one column, and how often the cell occurs."""
    if not columns:
        yield np.arange(classes), 1.0
        return
    [(cover, times)] = columns
    for cell in range(cover.shape[1]):
        yield np.flatnonzero(cover[:, cell]), float(times[cell])


def by_labels(classes: Classes, known: int, *, within: bool) -> Failing:
    """The labels of `known` columns that fewer than K rows have, or, with `within`, in which those of fewer lie."""
    relations = []
    for label in classes.labels:
        inside = (~label).astype(np.float32) @ label.T.astype(np.float32) == 0  # [of, label]: the label lies in `of`
        relations.append(inside if within else inside & inside.T)
    of_class, rows = np.zeros(len(classes.rows)), classes.rows.astype(np.float32)
    for chosen in combinations(relations, known):
        of_class += np.logical_and.reduce(chosen).astype(np.float32) @ rows < K
    return Failing(len(rows) * len(list(combinations(relations, known))), int(of_class.sum()), of_class)


# -- merging classes until none fails ---------------------------------------------------------------------------------


def repaired(classes: Classes, check: Callable[[Classes], Failing]) -> tuple[Classes, Failing]:
    """Classes of which none fails, and what failed before. Classes of K rows match their own cells often enough."""
    found = before = check(classes)
    while found.failing:
        worst = np.argsort(-found.of_class, kind="stable")
        worst = worst[(found.of_class[worst] > 0) & (classes.rows[worst] < K)]
        classes = _merged(classes, worst[: int(np.ceil(len(worst) * MERGED_AT_ONCE))])
        found = check(classes)
    return classes, before


def _merged(classes: Classes, order: Any) -> Classes:
    """Merges each of these classes, in this order, with the class at which this loses least."""
    into, free = np.arange(len(classes.rows)), np.ones(len(classes.rows), np.bool_)
    for part in np.array_split(order, len(order) // 256 + 1):
        added = _added(classes, part)
        for i, costs in zip(part, added, strict=True):
            costs[i] = np.inf
            j = int(np.argmin(np.where(free, costs, np.inf)))
            if free[i] and free[j] and i != j:
                into[i], free[i], free[j] = j, False, False
    number = np.unique(into, return_inverse=True)[1].reshape(-1)
    labels = []
    for domain, label in zip(classes.domains, classes.labels, strict=True):
        union = np.zeros((number.max() + 1, label.shape[1]), np.bool_)
        np.logical_or.at(union, number, label)
        labels.append(_filled(domain, union))
    rows = np.bincount(number, classes.rows).astype(np.int64)
    return Classes(classes.domains, labels, rows, number[classes.member], classes.codes, classes.weight)


def _added(classes: Classes, some: Any) -> Any:
    """[some, classes]: what merging two classes adds to the loss."""
    together = np.zeros((len(some), len(classes.rows)))
    for domain, label in zip(classes.domains, classes.labels, strict=True):
        if domain.published == RANGE:
            low, high = (domain.position[end] for end in _ends(label))
            together += np.maximum.outer(high[some], high) - np.minimum.outer(low[some], low)
        else:
            size, cover = label.sum(1), label.astype(np.float32)
            union = np.add.outer(size[some], size) - cover[some] @ cover.T
            together += (union - 1) / max(domain.leaves - 1, 1)
    rows, loss = classes.rows, classes.losses() * classes.rows
    return together * np.add.outer(rows[some], rows) - np.add.outer(loss[some], loss)


# -- an intruder who weighs -------------------------------------------------------------------------------------------


def attacked(classes: Classes) -> dict[str, Any]:
    """How often an intruder is right who knows two values of a person and how frequent the values of a column are.

    The values of a row are taken to be independent, so a row counts in proportion to 1 / frequency of its labels. The
    intruder names a row of the class that counts most, and speaks only if the row has more than 2/K or 4/K of the sum.
    """
    entries, total = len(classes.weight), classes.weight.sum()
    rarity = []
    for label, codes in zip(classes.labels, classes.codes, strict=True):
        rarity.append(1 / (label @ (np.bincount(codes, classes.weight, label.shape[1]) / total)))
    spoken = {bound: np.zeros(3) for bound in (2, 4)}  # cases, of these right, and the highest certainty
    persons = {bound: np.zeros(entries, np.bool_) for bound in spoken}
    for a, b in combinations(range(len(rarity)), 2):
        best, certainty = _weighed(classes, a, b, rarity[a] * rarity[b])
        right = (best == classes.member) / classes.rows[best]
        for bound, tally in spoken.items():
            speaks = certainty > bound / K
            weight = classes.weight[speaks]
            tally[:2] += weight.sum(), (weight * right[speaks]).sum()
            tally[2] = max(tally[2], certainty.max())
            persons[bound] |= speaks
    return {
        f"above {bound}/K": {
            "cases": int(cases),
            "persons": round(float(classes.weight[persons[bound]].sum() / total), 4),
            "right": round(float(right / cases), 4) if cases else None,
        }
        for bound, (cases, right, _) in spoken.items()
    } | {"most certain": round(float(spoken[2][2]), 3)}


def _weighed(classes: Classes, a: int, b: int, weight: Any) -> tuple[Any, Any]:
    """[entries]: the class whose rows count most for the two values of each entry, and the share of one of its rows."""
    left, right = classes.labels[a], classes.labels[b]
    best = np.zeros((left.shape[1], right.shape[1]), np.int64)
    for i in np.argsort(weight, kind="stable"):
        best[np.ix_(left[i], right[i])] = i
    total = (left * (weight * classes.rows)[:, None]).T @ right.astype(np.float64)
    cell = classes.codes[a], classes.codes[b]
    return best[cell], weight[best[cell]] / total[cell]


# -- all settings -----------------------------------------------------------------------------------------------------


class Rule(NamedTuple):
    """Which rows match, and the settings in which this is measured: the classes to start with, and L."""

    check: Callable[[Classes, int], Failing]
    starts: tuple[int, ...]
    known: tuple[int, ...]


RULES = {
    "covers": Rule(by_covering, (10, 5, 2), (2, 3)),
    "labels": Rule(lambda classes, known: by_labels(classes, known, within=False), (10, 5), (2,)),
    "within": Rule(lambda classes, known: by_labels(classes, known, within=True), (10, 5), (2,)),
}


def measured(table: Table, c: float) -> Iterator[dict[str, Any]]:
    """The loss of every setting, and how an intruder fares with two known values."""
    coded = coded_table(table, c)
    facts = {"table": table.name, "c": c}
    if c == 1:
        classes = starred(coded)
        failing = by_covering(classes, 2).failing
        yield {**facts, "starred": K, "failing": failing, "ncp": round(classes.ncp(), 4), **attacked(classes)}
    for refine in (False, True):
        plain = searched(coded, table, K, c, refine)
        yield {**facts, "refine": refine, "class": K, "ncp": round(plain.ncp(), 4), **attacked(plain)}
        for matching, rule in RULES.items():
            for k, l in product(rule.starts, rule.known) if c == 1 or matching == "covers" else ():
                start = searched(coded, table, k, c, refine)
                classes, before = repaired(start, lambda each, rule=rule, l=l: rule.check(each, l))
                line = {**facts, "refine": refine, "class": k, "matching": matching, "l": l}
                line |= {"cells": before.cells, "failing": before.failing, **_compared(start, classes, plain)}
                yield line | (attacked(classes) if matching == "covers" and l == 2 else {})


def _compared(start: Classes, classes: Classes, plain: Classes) -> dict[str, Any]:
    """The loss before and after merging, and the change against classes of K rows."""
    return {
        "ncp before": round(start.ncp(), 4),
        "ncp": round(classes.ncp(), 4),
        "change": round(classes.ncp() / plain.ncp() - 1, 3),
        "classes": len(classes.rows),
        "classes below K": int((classes.rows < K).sum()),
    }


def main() -> None:
    """Prints and writes all figures."""
    found = []
    for table in tables():
        for c in (1, 0.2):
            for line in measured(table, c):
                found.append(line)
                print(line, flush=True)
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
