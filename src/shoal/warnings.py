"""What a steward must see before publishing, by column name and share of rows, never by a value.

A warning is one function from a `Case` to sentences, and one line in `ALL`. `missing_effect` is no warning but a fact
for the manifest: a table with missing values is nothing to refuse.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.encode import Encoded, QuasiColumn, dictionary
from shoal.partition import Int32, Int64, Partition
from shoal.plan import Plan
from shoal.prepare import Prepared
from shoal.table import typed

Bins = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Masks = NDArray[np.uint64]

_NOTEWORTHY = 0.01
"""The least share of rows that is worth a warning."""


class Case(NamedTuple):
    """Everything a warning may look at."""

    prepared: Prepared
    encoded: Encoded
    partition: Partition
    plan: Plan


def find_warnings(prepared: Prepared, encoded: Encoded, partition: Partition, plan: Plan) -> tuple[str, ...]:
    """Everything about this release that no model of the plan takes care of."""
    case = Case(prepared, encoded, partition, plan)
    return tuple(sentence for warning in ALL for sentence in warning(case))


def unguarded_sensitive(case: Case) -> Iterator[str]:
    """A sensitive column that no model names."""
    for name in case.plan.sensitive:
        if name not in case.plan.reads:
            yield f"Sensitive column '{name}' is named by no model: it is released unguarded."


def absent_values(case: Case) -> Iterator[str]:
    """A model that names values which no row has: written otherwise, they would go unguarded."""
    for model in case.plan.enforced:
        for name in model.reads if model.names_values else ():
            absent = set(model.names_values) - set(case.encoded.rows.sensitive[name].labels)
            if absent:
                yield (
                    f"Of the {len(model.names_values)} values of '{name}' that '{model.kind}' names, no row has "
                    f"{len(absent)}. Check how they are written: it guards no other values."
                )


# -- repeated persons ---------------------------------------------------------------------------------------------

_PAIRS_COMPARED = 10_000
_ALIKE = 0.5
_FEW_COLUMNS = 4
_SCATTERING = np.uint64(11400714819323198485)


class _Repeats(NamedTuple):
    """How an identifier repeats: how many values it has, and the share of rows whose value is not theirs alone.

    `pairs` int64 [2, pairs]: some rows that have the same value.
    """

    name: str
    distinct: int
    share: float
    pairs: Int64


def repeated_persons(case: Case) -> Iterator[str]:
    """Identifiers that repeat although the plan names no person.

    The identifier that tells most rows apart is taken at its word. Of the others many repeat among different persons,
    as names do: they count only where rows with the same value are also alike in the quasi-identifiers.
    """
    if case.plan.data.person is not None:
        return
    found = [_repeats(case, name) for name in case.plan.having("identifier")]
    finest = max((each.distinct for each in found), default=0)
    for each in found:
        believed = each.distinct == finest or (each.share >= _NOTEWORTHY and _same_persons(case, each.pairs))
        if each.share > 0 and believed:
            yield (
                f"Identifier '{each.name}' repeats: {_percent(each.share)} of the rows share its value with another "
                f"row. Classes count rows, not persons, so one person may fill a class. If it stands for a person, set "
                f'person = "{each.name}" under [data].'
            )


def _repeats(case: Case, name: str) -> _Repeats:
    column = case.prepared.frame[name]
    present = column.is_not_null()
    if column.dtype == pl.String:
        present &= ~column.is_in(case.plan.data.missing)
    rows = np.flatnonzero(present.to_numpy())
    hashes = column.hash(0).to_numpy()[rows]
    ordered = np.sort(hashes)
    again = ordered[1:] == ordered[:-1]
    repeated = ordered[1:][again]
    runs = np.count_nonzero(np.diff(again, prepend=False) & again)  # values that occur more than once
    shared = len(repeated) + runs
    return _Repeats(name, len(rows) - len(repeated), shared / max(len(rows), 1), _pairs(hashes, repeated, rows))


def _pairs(hashes: NDArray[np.uint64], repeated: NDArray[np.uint64], rows: Int64) -> Int64:
    """int64 [2, pairs]: rows with equal hashes, of the smallest repeated ones only, so that little is sorted.

    Not neighbours in the table: where it is sorted by patient, those with the same name are often the same person.
    """
    if not len(repeated):
        return np.empty((2, 0), np.int64)
    few = np.flatnonzero(hashes <= repeated[:_PAIRS_COMPARED][-1])
    few = few[np.lexsort((few.astype(np.uint64) * _SCATTERING, hashes[few]))]
    left = np.flatnonzero(hashes[few[1:]] == hashes[few[:-1]])
    return rows[np.stack([few[left], few[left + 1]])]


def _same_persons(case: Case, pairs: Int64) -> bool:
    """Whether rows that share an identifier agree in their quasi-identifiers far more often than chance has it.

    Of many columns the better half counts: a person's stays and laboratory values differ from visit to visit.
    """
    encoded = case.encoded
    left, right = (encoded.columns[:, encoded.row_of[side]] for side in pairs)
    agreeing = (left == right).mean(axis=1)
    by_chance = np.array([_agreement_by_chance(encoded, a) for a in range(len(encoded.quasi))])
    telling = by_chance < 1  # a column of one value says nothing
    beyond = (agreeing[telling] - by_chance[telling]) / (1 - by_chance[telling])
    steady = np.sort(beyond)[-max(len(beyond) // 2, _FEW_COLUMNS) :]
    return len(steady) > 0 and float(steady.mean()) >= _ALIKE


def _agreement_by_chance(encoded: Encoded, a: int) -> float:
    """How likely two rows drawn at random agree in quasi-identifier a."""
    counts = np.bincount(encoded.columns[a], weights=encoded.rows.weight)
    return float((counts**2).sum() / counts.sum() ** 2)


# -- sensitive numbers for which counting values says nothing -------------------------------------------------------

_LABELS_LOOKED_AT = 1_000


def near_continuous_sensitive(case: Case) -> Iterator[str]:
    """Sensitive numbers so fine that models which count values are met by any class, however alike its values."""
    for name in case.plan.reads:
        kinds = [model.kind for model in case.plan.enforced if name in model.reads and model.counts_values]
        counts = case.encoded.rows.whole(name)
        if kinds and _hardly_repeats(counts) and _is_number(case, name):
            yield (
                f"Sensitive column '{name}' holds nearly continuous numbers: {len(counts)} different values. "
                f"{' and '.join(sorted(set(kinds)))} counts them as different however close they are, and so promises "
                f'next to nothing. t-closeness with distance = "ordered" fits such a column.'
            )


def _hardly_repeats(counts: Int64) -> bool:
    """Whether more than half the rows would do to show every value, or two rows hardly ever agree."""
    rows = int(counts.sum())
    return 2 * len(counts) > rows or float((counts / rows) @ (counts / rows)) < _NOTEWORTHY


def _is_number(case: Case, name: str) -> bool:
    settings = case.plan.columns[name]
    if settings.type is not None or settings.hierarchy is not None:  # codes in a tree are no numbers
        return settings.type in ("integer", "real", "date") and settings.hierarchy is None
    labels = case.encoded.rows.sensitive[name].labels
    sample = pl.Series(labels[:: len(labels) // _LABELS_LOOKED_AT + 1], dtype=pl.String)
    return typed(sample, type=None, missing=("",)).type != "text"


# -- unchanged columns that narrow a quasi-identifier ---------------------------------------------------------------
#
# A value u of an unchanged column and a value x of a quasi-identifier exclude each other when they should meet in many
# rows if the columns were independent, and hardly ever do. A row is narrowed when its u excludes an x that others of
# its class have: whoever reads the row knows that it is not one of those. Both columns are binned, since single dates
# or amounts are too rare to tell.

_ROWS_LOOKED_AT = 100_000
_CLASSES_LOOKED_AT = 1_000
_BINS = 64  # so that the values of a class fit one mask
_FEW = 8  # values that need no order to be told apart
_ROWS_A_CELL = 25
_HARDLY = 0.01
_FALSE_ALARM = 0.001
_SHOWN = 5


class _Sample(NamedTuple):
    """Rows of every so many-th class: a sample that does not depend on the order of the rows.

    `rows` int64: places in the table, `kind` int32 the distinct row of each. Of every distinct row `class_of` int64
    from 0 (only of those in the sample it means anything), `quasi` uint8 [d, q]: bins of quasi-identifiers.
    """

    rows: Int64
    kind: Int32
    class_of: Int64
    quasi: Bins
    classes: int


class _Narrowed(NamedTuple):
    """A pair of columns and the share of rows in which the first narrows the second."""

    share: float
    unchanged: str
    quasi: str


def narrowed_quasi_identifiers(case: Case) -> Iterator[str]:
    """Unchanged columns that rule out quasi-identifier values inside classes: education-num beside education."""
    unchanged = [name for name in case.prepared.published.columns if name not in case.encoded.names]
    if not unchanged or not case.partition.classes:
        return
    sample = _sample(case)
    cells = len(unchanged) * len(case.encoded.quasi) * _BINS**2
    least = math.log(cells / _FALSE_ALARM)  # P(0 | e expected) <= exp(-e), so all cells together: _FALSE_ALARM
    found = [each for name in unchanged for each in _narrowed_by(case, sample, name, least)]
    found.sort(key=lambda each: (-each.share, each.unchanged, each.quasi))
    yield from (_narrowing(case, each) for each in found[:_SHOWN])
    if len(found) > _SHOWN:
        yield f"And {len(found) - _SHOWN} more pairs of an unchanged column and a quasi-identifier that it narrows."


def _narrowing(case: Case, found: _Narrowed) -> str:
    sensitive = found.unchanged in case.plan.sensitive
    what = "Sensitive column" if sensitive else "Column"
    advice = "" if sensitive else " Make it a quasi-identifier, or leave it out."
    return (
        f"{what} '{found.unchanged}' is released unchanged and narrows quasi-identifier '{found.quasi}': in "
        f"{_percent(found.share)} of the rows it rules out what others of the same class have.{advice}"
    )


def _sample(case: Case) -> _Sample:
    encoded, partition = case.encoded, case.partition
    every = max(min(-(-len(encoded.row_of) // _ROWS_LOOKED_AT), partition.classes // _CLASSES_LOOKED_AT), 1)
    picked = (partition.class_of >= 0) & (partition.class_of % every == 0)
    rows = np.flatnonzero(picked[encoded.row_of])
    weight = np.where(picked, encoded.rows.weight, 0)
    bins = np.empty((len(weight), len(encoded.quasi)), np.uint8)
    for a, column in enumerate(encoded.quasi):
        counts = np.bincount(encoded.columns[a], weight, minlength=column.size).astype(np.int64)
        bins[:, a] = _quasi_bins(column, counts, len(rows))[encoded.columns[a]]
    classes = -(-partition.classes // every)
    return _Sample(rows, encoded.row_of[rows], partition.class_of // every, bins, classes)


def _narrowed_by(case: Case, sample: _Sample, name: str, least: float) -> Iterator[_Narrowed]:
    """The quasi-identifiers that one unchanged column narrows in enough rows."""
    column = case.prepared.published[name]
    if len(sample.rows) < len(column):
        column = column.gather(sample.rows)
    own = _unchanged_bins(column, case.plan.data.missing, _bins_for(len(column)))
    for a, excluded in enumerate(_excluded(own, sample, least)):
        if not excluded.any():
            continue
        class_of = sample.class_of[sample.kind]
        shown = np.zeros((sample.classes, _BINS), np.bool_)
        shown[class_of, sample.quasi[sample.kind, a]] = True
        narrowed = _as_masks(shown)[class_of] & _as_masks(excluded)[own]
        share = float(np.count_nonzero(narrowed)) / len(narrowed)
        if share >= _NOTEWORTHY:
            yield _Narrowed(share, name, case.encoded.names[a])


def _excluded(own: Bins, sample: _Sample, least: float) -> Flags:
    """bool [q, own bins, bins]: which bin of each quasi-identifier (last) a bin of the column excludes.

    Only bins that occur are counted: on wide tables of few values the rest would be nearly all of the work.
    """
    from shoal.kernels.counting import meetings

    met = meetings(own, sample.kind, sample.quasi, int(own.max()) + 1, int(sample.quasi.max()) + 1)
    expected = met.sum(axis=2)[:, :, None] * (met.sum(axis=1)[:, None, :] / len(own))
    return np.asarray((expected >= least) & (met <= _HARDLY * expected))


def _as_masks(flags: Flags) -> Masks:
    """uint64 [n] of bool [n, up to 64]."""
    whole = np.zeros((len(flags), _BINS), np.bool_)
    whole[:, : flags.shape[1]] = flags
    return np.packbits(whole, axis=1).view(np.uint64)[:, 0]


def _quasi_bins(column: QuasiColumn, counts: Int64, rows: int) -> Bins:
    """The bin of every code. Codes of a tree stand depth-first, so neighbours are alike and may share a bin."""
    if column.type == "text" and (column.hierarchy is None or column.size <= _BINS):
        return _frequency_bins(counts)
    return _quantile_bins(counts, column.values.is_null().to_numpy(), _bins_for(rows))


def _unchanged_bins(column: pl.Series, missing: Sequence[str], bins: int) -> Bins:
    """The bin of every row of a column that is released as it is."""
    coded = dictionary(column)
    counts = np.bincount(coded.codes, minlength=len(coded.distinct))
    values = _ordered(coded.distinct, missing) if len(counts) > max(bins, _FEW) else None
    if values is None:
        return _frequency_bins(counts)[coded.codes]
    order = values.arg_sort().to_numpy()
    of_value = np.empty(len(order), np.uint8)
    of_value[order] = _quantile_bins(counts[order], values.is_null().to_numpy()[order], bins)
    return of_value[coded.codes]


def _ordered(values: pl.Series, missing: Sequence[str]) -> pl.Series | None:
    """The values as numbers or dates, null where missing; None where they are neither."""
    if values.dtype.is_numeric() or values.dtype.is_temporal():
        return values
    found = typed(values, type=None, missing=missing)
    return None if found.type == "text" else found.values


def _quantile_bins(counts: Int64, missing: Flags, bins: int) -> Bins:
    """Bins of about equally many rows over ordered values; missing ones have a bin of their own."""
    present = np.where(missing, 0, counts)
    middles = np.cumsum(present) - present / 2
    places = np.floor(middles * (bins / max(int(present.sum()), 1))).astype(np.uint8)
    places[missing] = bins
    return places


def _frequency_bins(counts: Int64) -> Bins:
    """A bin for each of the most frequent values, and one for all the others."""
    places = np.empty(len(counts), np.uint8)
    places[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(len(counts)), _BINS - 1)
    return places


def _bins_for(rows: int) -> int:
    """How many bins for ordered values leave enough rows where two of them meet."""
    return min(max(math.isqrt(rows // _ROWS_A_CELL), 2), _BINS - 1)


# -- what a search was asked for in vain ----------------------------------------------------------------------------


def pointless_target(case: Case) -> Iterator[str]:
    """A target that is the same in every row guides nothing."""
    if case.encoded.target is not None and len(case.encoded.target) and not case.encoded.target.any():
        yield f"Target '{case.plan.guide}' has a single value: nothing in the table can help to predict it."


def missed_target(case: Case) -> Iterator[str]:
    """A search that was to end at a measure and did not get there."""
    wanted, steps = getattr(case.plan.algorithm, "stop_at", None), case.partition.facts.get("steps")
    if not isinstance(wanted, Mapping) or steps is None:
        return
    name, value = next(iter(wanted.items()))
    reached = steps[-1][name] if steps else 1.0
    if reached > value:
        yield f"The search was to stop at {name} = {value:g} and ended before, at {reached:.3g}: no step was left."


ALL: tuple[Callable[[Case], Iterable[str]], ...] = (
    unguarded_sensitive,
    absent_values,
    near_continuous_sensitive,
    repeated_persons,
    narrowed_quasi_identifiers,
    pointless_target,
    missed_target,
)


# -- missing values -------------------------------------------------------------------------------------------------


def missing_effect(encoded: Encoded, partition: Partition) -> dict[str, Any]:
    """What missing quasi-identifiers do to class sizes, under the key `missing`; empty where none is missing.

    A class shows a missing value where all its rows lack it; elsewhere it is hidden under a wider label. Sizes count
    persons where the plan does.
    """
    columns = [(a, column) for a, column in enumerate(encoded.quasi) if column.has_missing]
    if not columns:
        return {}
    kept = partition.class_of >= 0
    class_of, weight = partition.class_of[kept], encoded.rows.weight[kept]
    lacks_any = np.zeros(len(weight), np.bool_)
    shows = np.zeros(partition.classes, np.bool_)
    for a, column in columns:
        lacks = column.values.is_null().to_numpy()[encoded.columns[a, kept]]
        lacks_any |= lacks
        alone = np.bincount(class_of, weights=~lacks, minlength=partition.classes) == 0
        shows |= alone & _tells_missing(column, partition, a)
    sizes = partition.stats(encoded.rows).sizes
    return {
        "missing": {
            "columns": [column.name for _, column in columns],
            "share_of_rows": round(float(weight[lacks_any].sum() / weight.sum()), 3),
            "smallest_class_showing_missing": _smallest(sizes[shows]),
            "smallest_other_class": _smallest(sizes[~shows]),
        }
    }


def _tells_missing(column: QuasiColumn, partition: Partition, a: int) -> Flags | bool:
    """Which classes publish a missing value as missing: where all are recoded alike, it may be hidden under `*`."""
    if partition.recoded is not None:
        low, high = partition.recoded[a][int(np.flatnonzero(column.values.is_null().to_numpy())[0])]
        return bool(low == high)
    if partition.levels is not None and column.hierarchy is not None:
        found: Flags = partition.levels[:, a] < column.hierarchy.height
        return found
    return True


def _smallest(sizes: Int64) -> int | None:
    return int(sizes.min()) if len(sizes) else None


def _percent(share: float) -> str:
    """A share for people to read: whole percents, one digit below ten of them.

    >>> _percent(0.254), _percent(0.0123), _percent(0.0002)
    ('25 %', '1.2 %', 'less than 0.1 %')
    """
    if share < 0.001:
        return "less than 0.1 %"
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.1f} %"
