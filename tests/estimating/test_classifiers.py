"""The classification measure on tables whose errors are known."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.errors import TableError
from shoal.estimating.classifiers import LEARNERS, Error, _Coding, error, held_out_error, split

pytest.importorskip("sklearn")
RNG = np.random.default_rng(0)
AGE = RNG.integers(0, 100, 900)
TABLE = pl.DataFrame({"age": AGE, "town": RNG.choice(["A", "B"], 900), "noise": RNG.choice(["x", "y"], 900)})
TARGET = pl.Series("rich", np.where((AGE >= 50) & (TABLE["town"] == "A").to_numpy(), "yes", "no"))


@pytest.mark.parametrize("learner", LEARNERS)
def test_what_follows_from_the_columns_is_learnt(learner: str) -> None:
    assert error(TABLE, TARGET, seeds=2, learner=learner).mean < 0.03


def test_without_columns_the_most_frequent_value_is_predicted() -> None:
    test = split(900, 0)[1]
    expected = float((TARGET[test] == "yes").mean())  # type: ignore[arg-type]
    assert error(TABLE.select([]), TARGET, seeds=1).mean == expected


def test_ranges_are_read_as_numbers() -> None:
    ranges = TABLE.with_columns(pl.Series("age", np.where(AGE >= 50, "[50, 99]", "[0, 49]")))
    assert error(ranges, TARGET, seeds=2).mean < 0.03


def test_settings_are_learnt_from_the_training_rows_alone() -> None:
    train, test = split(900, 1)
    found = held_out_error(TABLE[train], TARGET[train], TABLE[test], TARGET[test], learner="tree", seed=1)
    lies = pl.Series("rich", ["no"] * len(test))
    other = held_out_error(TABLE[train], TARGET[train], TABLE[test], lies, learner="tree", seed=1)
    predicted_yes = other * len(test)
    truly_yes = int((TARGET[test] == "yes").sum())
    assert abs(predicted_yes - truly_yes) <= found * len(test)  # the same predictions, judged by other truths


def test_parts_are_two_thirds_and_one_third() -> None:
    train, test = split(900, 3)
    assert len(test) == 300 and sorted([*train, *test]) == list(range(900))
    assert split(900, 3)[0].tolist() == train.tolist() != split(900, 4)[0].tolist()


def test_the_interval_covers_the_mean() -> None:
    found = Error.over([0.1, 0.2, 0.3])
    assert found.mean == pytest.approx(0.2) and found.low < 0.2 < found.high
    assert Error.over([0.5]) == Error(0.5, 0.5, 0.5, 1)


def test_an_unknown_learner_is_refused() -> None:
    with pytest.raises(TableError, match="no learner 'forest'"):
        error(TABLE, TARGET, learner="forest")


@pytest.mark.parametrize("learner", LEARNERS)
def test_too_few_rows_are_refused(learner: str) -> None:
    for rows in range(8):
        table = pl.DataFrame({"a": list(range(rows)), "b": ["x", "y"] * (rows // 2) + ["x"] * (rows % 2)})
        if rows < 4:
            with pytest.raises(TableError, match=f"^{rows} rows are too few"):
                error(table.select("a"), table["b"], learner=learner)
        else:
            assert 0 <= error(table.select("a"), table["b"], learner=learner).mean <= 1


def test_a_column_may_be_called_count() -> None:
    target = pl.Series("count", ["yes", "no"] * 150)
    assert error(pl.DataFrame({"count": ["p", "q"] * 150}), target, seeds=1).mean == 0


def test_which_labels_are_told_apart_does_not_depend_on_the_order_of_rows() -> None:
    column = pl.Series("x", [f"v{i}" for i in range(200)])
    assert _Coding.learnt(column) == _Coding.learnt(column.reverse())


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("label", ["inf", "nan", "1e300", "[0, 1e300]"])
def test_what_is_no_number_that_can_be_learnt_from_is_a_label(label: str, learner: str) -> None:
    target = pl.Series("y", ["yes", "no"] * 150)
    assert error(pl.DataFrame({"x": [label, "1"] * 150}), target, seeds=1, learner=learner).mean == 0
