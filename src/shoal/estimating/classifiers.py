"""Classifiers: the error of predicting a target from a raw or released table.

BE is the error on the raw table, CE on the released table, and UE without quasi-identifiers. CE - BE is the cost of
privacy, and UE - CE the benefit of releasing the quasi-identifiers. A decision tree with the entropy criterion is
trained on two thirds of the rows and tested on the last third. Gradient boosting is an alternative. Requires the extra
`learn`.
Paper: Mohammed, Fung, Hung, Lee, Anonymizing healthcare data, KDD 2009.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from shoal import labels
from shoal.arrays import Array, Float32, Int64
from shoal.errors import MissingExtra, TableError

LEARNERS = ("tree", "boosting")
_TEST_SHARE = 1 / 3
_MOST_CATEGORIES = 64
_LARGEST = float(np.finfo(np.float32).max)
_LEAF_SIZES = (10, 20, 40, 80)
_FEWEST = 3
"""The smallest number of training rows: two to train a tree, and one to choose its settings."""
_STUDENT_95 = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)


@dataclass(frozen=True)
class Error:
    """The share of wrongly predicted rows: the mean over seeds, with its 95 % confidence interval."""

    mean: float
    low: float
    high: float
    seeds: int

    @classmethod
    def over(cls, errors: Sequence[float]) -> Error:
        """The mean of errors with different seeds.

        >>> Error.over([0.1, 0.2])
        Error(mean=0.15000000000000002, low=-0.485..., high=0.785..., seeds=2)
        """
        mean, n = math.fsum(errors) / len(errors), len(errors)
        if n == 1:
            return cls(mean, mean, mean, 1)
        spread = math.sqrt(math.fsum((error - mean) ** 2 for error in errors) / (n - 1) / n)
        width = (_STUDENT_95[n - 2] if n - 2 < len(_STUDENT_95) else 2.0) * spread
        return cls(mean, mean - width, mean + width, n)


def error(table: pl.DataFrame, target: pl.Series, *, seeds: int = 5, learner: str = "tree") -> Error:
    """The error of predicting `target` from all columns of `table`, by the protocol of the paper."""
    errors = []
    for seed in range(seeds):
        train, test = split(len(target), seed)
        train_table, test_table = (table[rows] if table.width else table for rows in (train, test))
        errors.append(held_out_error(train_table, target[train], test_table, target[test], learner=learner, seed=seed))
    return Error.over(errors)


def split(rows: int, seed: int) -> tuple[Int64, Int64]:
    """Two thirds of the row numbers for training, and one third for testing."""
    order = np.random.default_rng(seed).permutation(rows)
    test = round(rows * _TEST_SHARE)
    return np.sort(order[test:]), np.sort(order[:test])


def held_out_error(
    train: pl.DataFrame, train_target: pl.Series, test: pl.DataFrame, test_target: pl.Series, *, learner: str, seed: int
) -> float:
    """The share of wrongly predicted test rows; classifier and settings depend on the training rows alone."""
    if learner not in LEARNERS:
        raise TableError(f"There is no learner '{learner}'.", allowed=f"Learners are {', '.join(LEARNERS)}.")
    if len(train_target) < _FEWEST or not len(test_target):
        raise TableError(f"{len(train_target) + len(test_target)} rows are too few to train a classifier.")
    y = train_target.cast(pl.String).fill_null("")
    truth = test_target.cast(pl.String).fill_null("").to_numpy()
    coding = [_Coding.learnt(train[name]) for name in train.columns]
    if y.n_unique() < 2 or not coding:
        most_frequent = _most_frequent_first(y)[0]
        return float((truth != most_frequent).mean())
    x, test_x = _matrix(train, coding), _matrix(test, coding)
    model = _tree(x, y.to_numpy(), seed) if learner == "tree" else _boosting(x, y.to_numpy(), seed)
    return float((model.predict(test_x) != truth).mean())


@dataclass(frozen=True)
class _Coding:
    """How a column becomes numbers: by value or midpoint of a range, or by an indicator column for each label."""

    numbers: bool
    labels: tuple[str, ...]

    @classmethod
    def learnt(cls, column: pl.Series) -> _Coding:
        distinct = _most_frequent_first(column.cast(pl.String).fill_null(""))
        known = [label for label in distinct if label not in (labels.ANY, labels.MISSING)]
        if known and all(_number(label) is not None for label in known):
            return cls(True, ())
        return cls(False, tuple(sorted(distinct[:_MOST_CATEGORIES])))

    def columns(self, column: pl.Series) -> list[Float32]:
        text = column.cast(pl.String).fill_null("")
        if self.numbers:
            distinct = text.unique()
            value = [math.nan if (number := _number(label)) is None else number for label in distinct]
            known = pl.DataFrame({"label": distinct, "value": pl.Series(value, dtype=pl.Float32)})
            return [
                text.to_frame("label").join(known, on="label", how="left", maintain_order="left")["value"].to_numpy()
            ]
        return [(text == label).to_numpy().astype(np.float32) for label in self.labels]


def _most_frequent_first(column: pl.Series) -> list[str]:
    """The distinct texts of a column by descending frequency, then by text."""
    counts = column.alias("label").value_counts(name="rows")
    return counts.sort("rows", "label", descending=[True, False])["label"].to_list()


def _number(label: str) -> float | None:
    """The number of a label: the value, or the midpoint of a range; None for other labels and very large numbers."""
    meaning = labels.read(label)
    try:
        if isinstance(meaning, labels.Range):
            number = (float(meaning.low) + float(meaning.high)) / 2
        else:
            number = float(meaning.value) if isinstance(meaning, labels.Exactly) else math.nan
    except ValueError:
        return None
    return number if abs(number) < _LARGEST else None


def _matrix(table: pl.DataFrame, coding: Sequence[_Coding]) -> Float32:
    features = [part for name, each in zip(table.columns, coding, strict=True) for part in each.columns(table[name])]
    return np.stack(features, axis=1)


def _tree(x: Float32, y: Array, seed: int) -> Any:
    """A decision tree with the entropy criterion; a part of the training rows decides its minimum leaf size."""
    try:
        from sklearn.tree import DecisionTreeClassifier
    except ImportError:
        raise MissingExtra("The classification error needs scikit-learn.", hint="pip install 'shoal[learn]'") from None

    def trained(leaf_size: int, rows: Int64) -> Any:
        return DecisionTreeClassifier(criterion="entropy", min_samples_leaf=leaf_size, random_state=seed).fit(
            x[rows], y[rows]
        )

    inner, check = split(len(y), seed)
    errors = [float((trained(size, inner).predict(x[check]) != y[check]).mean()) for size in _LEAF_SIZES]
    return trained(_LEAF_SIZES[int(np.argmin(errors))], np.arange(len(y)))


def _boosting(x: Float32, y: Array, seed: int) -> Any:
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError:
        raise MissingExtra("The classification error needs scikit-learn.", hint="pip install 'shoal[learn]'") from None
    return HistGradientBoostingClassifier(random_state=seed, early_stopping=False).fit(x, y)
