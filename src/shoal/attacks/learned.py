"""Learned attack: a classifier predicts the sensitive value from everything else that is released of a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Float64, Int64
from shoal.attacks.base import Attack, Outcome, of_share
from shoal.attacks.target import Target, as_labels
from shoal.hierarchies.placing import extents, meanings, number_of
from shoal.labels import ANY, MISSING
from shoal.progress import Progress, silent

_ROWS_TRIED = 5_000
_MOST_VALUES = 20
_MOST_CATEGORIES = 250
_BINS = 10
_PARTS = 3
_ROUNDS = 20
_SMALLEST_LEAF = 2
_LARGEST = 1e300


@dataclass(frozen=True)
class Learned(Attack):
    """Trains gradient boosting on the released rows, and guesses the sensitive value of each.

    The intruder knows the quasi-identifiers and all unchanged columns. The baseline is the same attack on rows whose
    class is left out of the training: what it learns holds for everyone, whether in the table or not. What exceeds it
    is learned from the individual's own class. Numbers with many values are guessed by bins with equally many rows; of
    other columns, the most frequent values are guessed. Requires the extra `learn`.
    """

    kind: ClassVar[str] = "learned"
    about: ClassVar[str] = "predicts sensitive values with a classifier that was trained on the release"
    against: ClassVar[str] = ""
    knows: ClassVar[str] = "All quasi-identifiers of an individual, and all values that are released unchanged."

    def applies(self, target: Target) -> str:
        if find_spec("sklearn") is None:
            return "scikit-learn is not installed. It comes with the extra 'learn'."
        if target.is_anatomy:
            return "An anatomy has no row with a sensitive value."
        if not target.sensitive or not _known(target):
            return "The table has no sensitive column, or no other."
        return "" if len(target.classes) >= _PARTS else f"The table has fewer than {_PARTS} classes."

    def attack(self, target: Target, progress: Progress = silent) -> tuple[Outcome, ...]:
        rows = _sampled(target)
        features = _features(target.main.rows[rows], target)
        outcomes = []
        for place, column in enumerate(target.sensitive):
            progress(column, place / len(target.sensitive))
            truth = _classes(target.values(column)[rows])
            tried = np.flatnonzero(truth >= 0)
            if len(np.unique(truth[tried])) < 2:
                continue
            groups = target.classes.of_run[rows][tried]
            right, apart = _right(features[tried], truth[tried], groups, target.seed)
            outcomes.append(
                of_share(
                    self,
                    right,
                    len(tried),
                    baseline=apart / len(tried),
                    bound=None,
                    measured=f"{_guessed(target.values(column)[rows])}; the baseline is that of the same classifier "
                    "without the row's own class.",
                    column=column,
                    sampled=len(tried) < target.rows,
                )
            )
        return tuple(outcomes)


def _known(target: Target) -> list[str]:
    """The columns that the intruder knows."""
    return [name for name in target.published if name not in target.sensitive]


def _sampled(target: Target) -> Int64:
    """The run of every row of all classes, or of a sample of classes: a class must stay complete."""
    classes = target.classes
    order = np.random.default_rng(target.seed).permutation(len(classes))
    most = max(int(np.searchsorted(np.cumsum(classes.sizes[order]), _ROWS_TRIED, side="right")), _PARTS)
    drawn = np.zeros(len(classes), np.bool_)
    drawn[order[:most]] = True
    runs = np.flatnonzero(drawn[classes.of_run])
    return np.repeat(runs, classes.times[runs])


def _features(rows: pl.DataFrame, target: Target) -> Float64:
    """float64 [rows, features]: both ends of every number or range, and the ranks of other labels by frequency."""
    features = []
    for name in _known(target):
        texts = as_labels(rows[name], target.plan.data.absent)
        distinct = texts.unique(maintain_order=True)
        ends = extents(meanings(distinct.to_list()))
        numeric = ~np.isnan(ends[:, 0]) | distinct.is_in([ANY, MISSING]).to_numpy()
        codes = texts.replace_strict(distinct, pl.Series(range(len(distinct)), dtype=pl.Int64)).to_numpy()
        if numeric.all():
            features += [_finite(ends[:, 0])[codes], _finite(ends[:, 1])[codes]]
        else:
            counts = np.bincount(codes, minlength=len(distinct))
            ranks = np.argsort(np.argsort(-counts, kind="stable"), kind="stable")
            features.append(np.minimum(ranks, _MOST_CATEGORIES)[codes].astype(np.float64))
    return np.stack(features, axis=1)


def _finite(ends: Float64) -> Float64:
    """The ends of labels, with those of labels that name none below all others."""
    bounded = np.clip(ends, -_LARGEST, _LARGEST)
    known = bounded[~np.isnan(bounded)]
    return np.where(np.isnan(bounded), known.min(initial=0.0) - 1, bounded)


def _classes(values: pl.Series) -> Int64:
    """int64 [rows]: the number of what is guessed, -1 for rows that are not tried."""
    distinct = _by_frequency(values)
    if _are_binned(distinct):
        of_value = pl.Series(_numbers(distinct))
        amounts = values.replace_strict(distinct, of_value, default=None, return_dtype=pl.Float64)
        share = (amounts.rank("average") - 1) / max(amounts.count(), 1)
        return (share * _BINS).floor().fill_null(-1).cast(pl.Int64).to_numpy()
    places = {value: place for place, value in enumerate(distinct[:_MOST_VALUES])}
    return values.replace_strict(places, default=-1, return_dtype=pl.Int64).fill_null(-1).to_numpy()


def _by_frequency(values: pl.Series) -> list[str]:
    """The distinct values, the most frequent first."""
    counts = values.drop_nulls().alias("value").value_counts(name="rows")
    return counts.sort("rows", "value", descending=[True, False])["value"].to_list()


def _are_binned(distinct: Sequence[str]) -> bool:
    """Whether values are numbers of which there are too many to guess each."""
    return len(distinct) > _MOST_VALUES and not np.isnan(_numbers(distinct)).any()


def _numbers(texts: Sequence[str]) -> Float64:
    return np.array([float(number_of(text)) for text in texts])


def _guessed(values: pl.Series) -> str:
    """What is guessed of the values, in the words of an outcome."""
    distinct = _by_frequency(values)
    if _are_binned(distinct):
        return f"The share of rows whose number is guessed to the right one of {_BINS} bins with equally many rows"
    if len(distinct) > _MOST_VALUES:
        return f"The share of rows whose value is guessed, of those with one of the {_MOST_VALUES} most frequent values"
    return "The share of rows whose sensitive value is guessed"


def _right(features: Float64, truth: Int64, groups: Int64, seed: int) -> tuple[int, int]:
    """The number of right guesses by a classifier of all rows, and by one without the class of each row."""
    right = int((_trained(features, truth, seed).predict(features) == truth).sum())
    part = _parts(groups, seed)
    apart = 0
    for number in range(_PARTS):
        test, train = part == number, part != number
        if not test.any() or not train.any():
            continue
        guesses = _trained(features[train], truth[train], seed).predict(features[test])
        apart += int((guesses == truth[test]).sum())
    return right, apart


def _parts(groups: Int64, seed: int) -> Int64:
    """The part of each row; rows of the same class are in the same part."""
    classes, codes = np.unique(groups, return_inverse=True)
    numbers = np.arange(len(classes)) % _PARTS
    drawn: Int64 = np.random.default_rng(seed).permutation(numbers)[codes]
    return drawn


def _trained(features: Float64, truth: Int64, seed: int) -> Any:
    from sklearn.dummy import DummyClassifier
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    if len(np.unique(truth)) < 2:
        return DummyClassifier(strategy="most_frequent").fit(features, truth)
    model = HistGradientBoostingClassifier(
        max_iter=_ROUNDS, min_samples_leaf=_SMALLEST_LEAF, early_stopping=False, random_state=seed
    )
    with threadpool_limits(1):  # threads that wait for each other cost more than so few rows
        return model.fit(features, truth)
