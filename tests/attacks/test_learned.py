"""A classifier learns from the class of an individual only where the release lets it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.attacks import Learned, Target, learned

pytest.importorskip("sklearn")

COLUMNS = {"age": shoal.quasi(), "sex": shoal.quasi(), "cost": shoal.insensitive(), "ill": shoal.sensitive()}
PLAN = shoal.Plan(columns=COLUMNS, models=[shoal.KAnonymity(k=3)])


def random_table(rows: int, seed: int = 1) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    ages = draw.integers(20, 80, rows)
    return pl.DataFrame(
        {
            "age": ages,
            "sex": draw.choice(["m", "f"], rows),
            "cost": draw.integers(0, 3, rows),
            "ill": draw.choice(["flu", "cold", "HIV"], rows),
        }
    )


def test_values_that_follow_no_rule_are_learned_from_the_own_class() -> None:
    frame = pl.DataFrame({"age": [str(n) for n in range(120)], "sex": ["m"] * 120, "cost": [1] * 120})
    ill = np.random.default_rng(3).choice(["flu", "cold", "HIV"], 120)
    (outcome,) = Learned().attack(Target({"release": frame.with_columns(pl.Series("ill", ill))}, PLAN))
    assert outcome.success > 0.7 and outcome.baseline < 0.5 and outcome.low > outcome.baseline


def test_a_rule_of_the_whole_table_is_no_gain() -> None:
    frame = random_table(300).with_columns(ill=pl.when(pl.col("age") < 50).then(pl.lit("flu")).otherwise(pl.lit("HIV")))
    (outcome,) = Learned().attack(Target({"release": frame}, PLAN))
    assert outcome.success == 1 and outcome.baseline > 0.95


def test_large_classes_with_all_values_give_little() -> None:
    frame = random_table(600)
    plan = PLAN.changed(models=[shoal.KAnonymity(k=60)], columns={**COLUMNS, "cost": shoal.drop()})
    (outcome,) = Learned().attack(Target(shoal.anonymize(frame, plan).tables, plan))
    assert outcome.success - outcome.baseline < 0.2


def test_classes_stay_complete_in_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned, "_ROWS_TRIED", 60)
    target = Target(shoal.anonymize(random_table(300), PLAN).tables, PLAN)
    rows = learned._sampled(target)
    classes, counts = np.unique(target.classes.of_run[rows], return_counts=True)
    assert len(rows) <= 60 and (counts == target.classes.sizes[classes]).all()
    (outcome,) = Learned().attack(target)
    assert outcome.sampled and outcome.tried == len(rows)


def test_numbers_with_many_values_are_guessed_by_tenths() -> None:
    guessed = learned._classes(pl.Series([str(n) for n in range(100)] + [None]))
    assert guessed[-1] == -1 and set(guessed[:-1].tolist()) == set(range(10))
    words = learned._classes(pl.Series(["a", "a", "b", None]))
    assert words.tolist() == [0, 0, 1, -1]


@pytest.mark.parametrize("label", ["*", "", "1e999"])
def test_a_column_without_a_number_is_no_obstacle(label: str) -> None:
    frame = random_table(60).with_columns(cost=pl.lit(label))
    (outcome,) = Learned().attack(Target({"release": frame}, PLAN))
    assert outcome.tried == 60


def test_it_needs_classes_and_columns() -> None:
    frame = random_table(4).with_columns(age=pl.lit("*"), sex=pl.lit("*"))
    assert "fewer than 3 classes" in Learned().applies(Target({"release": frame}, PLAN))
    bare = PLAN.changed(columns={**COLUMNS, "ill": shoal.insensitive()})
    assert "no sensitive column" in Learned().applies(Target({"release": frame}, bare))


def test_what_is_guessed_is_stated() -> None:
    frame = random_table(300)
    (few,) = Learned().attack(Target({"release": frame}, PLAN))
    assert "The share of rows whose sensitive value is guessed" in few.measured
    numbers = frame.with_columns(ill=pl.Series(range(300)))
    (binned,) = Learned().attack(Target({"release": numbers}, PLAN))
    assert "guessed to the right one of 10 bins with equally many rows" in binned.measured
    texts = frame.with_columns(ill=pl.Series([f"c{n % 30}" for n in range(300)]))
    (frequent,) = Learned().attack(Target({"release": texts}, PLAN))
    assert "one of the 20 most frequent" in frequent.measured
