"""Classification: how well a target is predicted from a table, raw or released.

BE is the error on the raw table, CE on the released one, UE with every quasi-identifier removed: CE - BE is what
privacy costs, UE - CE what releasing the table is worth. A tree that splits by entropy is learnt on two thirds of the
rows and judged on the last third; gradient boosting gives a second opinion. Needs the extra `learn`.
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
"""Rows to learn from: some to grow a tree on and one to choose its settings by."""
_STUDENT_95 = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)


@dataclass(frozen=True)
class Error:
    """The share of rows predicted wrong: mean over seeds, and a 95 % interval of that mean."""

    mean: float
    low: float
    high: float
    seeds: int

    @classmethod
    def over(cls, errors: Sequence[float]) -> Error:
        """The mean of errors that were found with different seeds.

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
    """The error of predicting `target` from all columns of `table`, row by row beside it: the paper's protocol."""
    found = []
    for seed in range(seeds):
        train, test = split(len(target), seed)
        learnt_from, judged_by = (table[rows] if table.width else table for rows in (train, test))
        found.append(held_out_error(learnt_from, target[train], judged_by, target[test], learner=learner, seed=seed))
    return Error.over(found)


def split(rows: int, seed: int) -> tuple[Int64, Int64]:
    """Two thirds of the row numbers to learn from, and one third to judge by."""
    order = np.random.default_rng(seed).permutation(rows)
    test = round(rows * _TEST_SHARE)
    return np.sort(order[test:]), np.sort(order[:test])


def held_out_error(
    train: pl.DataFrame, train_target: pl.Series, test: pl.DataFrame, test_target: pl.Series, *, learner: str, seed: int
) -> float:
    """The share of test rows predicted wrong by what was learnt from the training rows alone, its settings included."""
    if learner not in LEARNERS:
        raise TableError(f"There is no learner '{learner}'.", allowed=f"Learners are {', '.join(LEARNERS)}.")
    if len(train_target) < _FEWEST or not len(test_target):
        raise TableError(f"With {len(train_target) + len(test_target)} rows there are too few to learn from.")
    seen = train_target.cast(pl.String).fill_null("")
    truth = test_target.cast(pl.String).fill_null("").to_numpy()
    coding = [_Coding.learnt(train[name]) for name in train.columns]
    if seen.n_unique() < 2 or not coding:
        most = _most_frequent_first(seen)[0]
        return float((truth != most).mean())
    x, given = _matrix(train, coding), _matrix(test, coding)
    model = _tree(x, seen.to_numpy(), seed) if learner == "tree" else _boosting(x, seen.to_numpy(), seed)
    return float((model.predict(given) != truth).mean())


@dataclass(frozen=True)
class _Coding:
    """How a column becomes numbers: by the value or the middle of a range, or a column of 0 and 1 for each label."""

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
            value = [math.nan if (found := _number(label)) is None else found for label in distinct]
            known = pl.DataFrame({"label": distinct, "value": pl.Series(value, dtype=pl.Float32)})
            return [
                text.to_frame("label").join(known, on="label", how="left", maintain_order="left")["value"].to_numpy()
            ]
        return [(text == label).to_numpy().astype(np.float32) for label in self.labels]


def _most_frequent_first(column: pl.Series) -> list[str]:
    """The distinct texts of a column; of equally frequent ones the lower comes first, wherever they stand."""
    counts = column.alias("label").value_counts(name="rows")
    return counts.sort("rows", "label", descending=[True, False])["label"].to_list()


def _number(label: str) -> float | None:
    """The number that a label stands for: itself, or the middle of a range; None for anything else, and for what is
    too large to learn from."""
    meaning = labels.read(label)
    try:
        if isinstance(meaning, labels.Range):
            found = (float(meaning.low) + float(meaning.high)) / 2
        else:
            found = float(meaning.value) if isinstance(meaning, labels.Exactly) else math.nan
    except ValueError:
        return None
    return found if abs(found) < _LARGEST else None


def _matrix(table: pl.DataFrame, coding: Sequence[_Coding]) -> Float32:
    found = [part for name, each in zip(table.columns, coding, strict=True) for part in each.columns(table[name])]
    return np.stack(found, axis=1)


def _tree(x: Float32, y: Array, seed: int) -> Any:
    """A tree that splits by entropy; how small its leaves may be is decided on a part of the training rows."""
    try:
        from sklearn.tree import DecisionTreeClassifier
    except ImportError:
        raise MissingExtra("The classification measure needs scikit-learn.", hint="install shoal[learn].") from None

    def grown(smallest: int, rows: Int64) -> Any:
        return DecisionTreeClassifier(criterion="entropy", min_samples_leaf=smallest, random_state=seed).fit(
            x[rows], y[rows]
        )

    inner, check = split(len(y), seed)
    errors = [float((grown(size, inner).predict(x[check]) != y[check]).mean()) for size in _LEAF_SIZES]
    return grown(_LEAF_SIZES[int(np.argmin(errors))], np.arange(len(y)))


def _boosting(x: Float32, y: Array, seed: int) -> Any:
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError:
        raise MissingExtra("The classification measure needs scikit-learn.", hint="install shoal[learn].") from None
    return HistGradientBoostingClassifier(random_state=seed, early_stopping=False).fit(x, y)
