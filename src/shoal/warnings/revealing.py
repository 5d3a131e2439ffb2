"""Unchanged columns that reveal a quasi-identifier or a sensitive value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from shoal import forms
from shoal.arrays import Flags, Int64
from shoal.coded.keys import distinct_packed
from shoal.coded.recoding import alike, shown_columns
from shoal.counts import counted
from shoal.engines.base import Tally
from shoal.percent import percent
from shoal.warnings.base import GENERALIZE, Case, Warning
from shoal.warnings.dependence import Cells, Dependence, Sample, sampled
from shoal.warnings.narrowing import Narrowed, narrowed

_SHOWN = 5
_NAMED = 20
"""The pairs of columns that are named beyond those that are described."""
_IF_SENSITIVE = "Remove the column, or make the quasi-identifier coarser."


class _Dependent(NamedTuple):
    """An unchanged column, a quasi-identifier that it depends on, and the number of rows that both make unique."""

    unchanged: str
    quasi: str
    dependence: Dependence
    unique: int
    rows: int


def revealing_columns(case: Case) -> Iterator[Warning]:
    """Warns of columns that reveal a quasi-identifier or a sensitive value which the release should hide.

    An anatomy publishes exact quasi-identifiers, of which other columns cannot reveal more. But it separates sensitive
    values from the other columns, and a column that determines them links them again.
    """
    classes = case.classes()
    sample = sampled(case, classes, len(case.unchanged) * (len(case.coded.quasi) + len(case.plan.reads)))
    if forms.by_kind(case.plan.release.form).generalizes:
        if case.coded.quasi:
            yield from _revealed_quasi_identifiers(case, classes, sample)
        names = [name for name in case.unchanged if name not in case.plan.having("sensitive", "target")]
        yield from _revealed_sensitive(case, classes, sample, names, linked=True)
    else:
        names = [name for name in case.unchanged if name not in case.plan.sensitive]
        yield from _revealed_sensitive(case, classes, sample, [*names, *case.coded.names], linked=False)


def _revealed_quasi_identifiers(case: Case, classes: Int64, sample: Sample) -> Iterator[Warning]:
    """Warns of unchanged columns that are nearly a function of a quasi-identifier, determine it, or narrow it."""
    dependent = [found for found in _dependent(case, classes, sample) if found.unique or case.partition is None]
    for found in dependent[:_SHOWN]:
        yield _revealing(case, found)
    known = {found.unchanged for found in dependent}  # a copy of one column narrows what depends on that column, too
    pairs = [] if case.partition is None else narrowed(case, case.partition)
    others = [pair for pair in pairs if pair.unchanged not in known]
    for pair in others[:_SHOWN]:
        yield _narrowing(case, pair)
    more = [(pair.unchanged, pair.quasi) for pair in dependent[_SHOWN:]]
    more += [(pair.unchanged, pair.quasi) for pair in others[_SHOWN:]]
    if more:
        names = "; ".join(f"'{unchanged}' narrows '{quasi}'" for unchanged, quasi in more[:_NAMED])
        rest = f"; and {len(more) - _NAMED:,} more" if len(more) > _NAMED else ""
        yield Warning(
            f"In {counted(len(more), 'more pair', 'more pairs')} of columns, an unchanged column narrows a "
            f"quasi-identifier: {names}{rest}.",
            remedy="Make the unchanged columns quasi-identifiers, or remove them.",
        )


# -- quasi-identifiers --------------------------------------------------------------------------------------------


def _dependent(case: Case, classes: Int64, sample: Sample) -> list[_Dependent]:
    """The dependent pairs, those with the most unique rows first; one for every unchanged column."""
    counted = case.coded.counted
    pairs, seen, others = [], None, []
    for name in case.unchanged:
        value, row, times = case.engine.tally(name, sample.picked)
        if row is not seen:  # an engine usually tallies all columns in the same order of rows
            seen, others = row, [Cells(codes[row], times) for codes in counted.quasi]
        own = Cells(value, times)
        found = [own.dependence(other, sample.least) for other in others]
        pairs += [(name, *pair) for pair in zip(case.coded.names, found, strict=True) if any(pair[1])]
    shown = _shown_classes(case, classes) if pairs else classes
    measured = [_Dependent(*pair, *_unique_rows(case, shown, *pair)) for pair in pairs]
    measured.sort(key=lambda each: (-each.unique, each.unchanged, each.quasi))
    return list({each.unchanged: each for each in reversed(measured)}.values())[::-1]


def _shown_classes(case: Case, classes: Int64) -> Int64:
    """int64 [d]: the class of every distinct row as readers see it: classes with equal labels are one."""
    partition = case.partition
    if partition is None or not partition.classes:
        return classes
    shown = shown_columns(partition.recoding, case.coded, partition.members)
    return np.append(alike(list(shown.values())), -1)[classes]


def _unique_rows(case: Case, classes: Int64, name: str, quasi: str, depends: Dependence) -> tuple[int, int]:
    """How many rows become unique if their class is combined with what the column reveals, and of how many rows.

    An intruder who knows the quasi-identifier knows a column that is a function of it. A column that only determines it
    reveals no more than the quasi-identifier itself.
    """
    value, row, times = _values(case, name if depends.backward else quasi, classes >= 0)
    room = int(value.max(initial=0)) + 1
    keys = classes[row] * room + value
    ids = distinct_packed(keys, int(keys.max(initial=0)) + 1).ids
    return int((np.bincount(ids, times) == 1).sum()), int(times.sum())


def _revealing(case: Case, found: _Dependent) -> Warning:
    how = "nearly determines" if found.dependence.forward else "is nearly determined by"
    unique = f"{found.unique:,} of {found.rows:,} rows"
    if case.partition is None:
        effect = f"it divides every class with several values of '{found.quasi}'"
        effect += f", and {unique} have a unique value" if found.unique else ""
    else:
        effect = f"{unique} are unique if their class is combined with it"
    return Warning(
        f"{case.called(found.unchanged)} and {how} quasi-identifier '{found.quasi}': {effect}."
        f"{_advice(case, found.unchanged)}",
        serious=found.unique > 0,
        about=found.unchanged,
        rank=1,
        remedy=_advice(case, found.unchanged).strip() or _IF_SENSITIVE,
    )


def _narrowing(case: Case, pair: Narrowed) -> Warning:
    return Warning(
        f"{case.called(pair.unchanged)} and reveals more about quasi-identifier '{pair.quasi}': in "
        f"{percent(pair.share)} of the rows it narrows '{pair.quasi}' further than the released label does."
        f"{_advice(case, pair.unchanged)}",
        about=pair.unchanged,
        remedy=_advice(case, pair.unchanged).strip() or _IF_SENSITIVE,
    )


def _advice(case: Case, name: str) -> str:
    return "" if name in case.plan.sensitive else f" {GENERALIZE}"


# -- sensitive columns --------------------------------------------------------------------------------------------


def _revealed_sensitive(
    case: Case, classes: Int64, sample: Sample, names: Sequence[str], *, linked: bool
) -> Iterator[Warning]:
    """Warns of columns that nearly determine a sensitive one; `linked`: whether the release links the two anyway."""
    reads = case.plan.reads
    if not names or not reads:
        return
    for name in names:
        value, row, times = _values(case, name, sample.picked)
        own = Cells(value, times)
        for column in reads:
            codes = case.coded.counted.sensitive[column]
            if own.dependence(Cells(codes[row], times), sample.least).forward:
                known, rows = _revealed_rows(case, name, column, classes >= 0)
                effect = " to anyone who knows it" if linked else ", although the anatomy separates them"
                remedy = f"Remove '{name}', or make it sensitive."
                yield Warning(
                    f"Column '{name}' nearly determines sensitive column '{column}': it reveals the value of {known:,} "
                    f"of {rows:,} rows{effect}. {remedy}",
                    remedy=remedy,
                    serious=not linked,
                    about=name,
                    rank=1,
                )


def _revealed_rows(case: Case, name: str, column: str, released: Flags) -> tuple[int, int]:
    """The number of rows whose sensitive value another column reveals, and of all released rows.

    Only values that occur more than once count: nothing is learned from the others.
    """
    value, row, times = _values(case, name, released)
    codes, size = case.coded.counted.sensitive[column][row], case.coded.sensitive[column].size
    room = int(value.max(initial=0)) + 1
    ids, firsts, _ = distinct_packed(value * size + codes, room * size)
    most = np.zeros(room, np.int64)
    np.maximum.at(most, value[firsts], np.bincount(ids, times).astype(np.int64))
    repeated = np.bincount(value, times, minlength=room) > 1
    return int(most[repeated].sum()), int(times.sum())


def _values(case: Case, name: str, rows: Flags) -> Tally:
    """The codes of a released column in the chosen distinct rows."""
    if name not in case.coded.names:
        return case.engine.tally(name, rows)
    row = np.flatnonzero(rows).astype(np.int32)
    codes = case.coded.counted.quasi[case.coded.names.index(name)]
    return Tally(codes[row].astype(np.int64), row, case.coded.counted.weight[row])
