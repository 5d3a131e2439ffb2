"""The labels of a released table tell their rows, levels and losses by themselves."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Mondrian, Optimal
from shoal.hierarchies import Intervals
from shoal.table import Runs
from shoal.verification.labelled import labelled

COLUMNS = {"age": shoal.quasi(Intervals((5, 10))), "sex": shoal.quasi()}


def plan_for(algorithm: object) -> shoal.Plan:
    return shoal.Plan(columns=COLUMNS, models=[shoal.KAnonymity(k=4)], algorithm=algorithm)


def test_by_hand() -> None:
    table = pl.DataFrame({"age": ["[20, 24]", "[20, 24]", "[30, 34]", None], "sex": ["f", "*", "*", "f"], "x": "1"})
    found = labelled({"release": Runs.of(table)}, plan_for(Mondrian()))
    assert list(found) == ["age", "sex"]
    age = found["age"]
    assert (age.labels, age.rows.tolist()) == (("", "[20, 24]", "[30, 34]"), [1, 2, 1])
    assert age.lost == pytest.approx(3 * 4 / 14) and age.raised == pytest.approx(4 / 3)
    assert list(age.by_level) == [1], "a missing value is the same at every level below the top"
    assert found["sex"].lost == 2 and {level: at.tolist() for level, at in found["sex"].by_level.items()} == {
        0: [1],
        1: [0],
    }


@pytest.mark.parametrize(
    ("labels", "kinds"),
    [
        (["20", "21", ""], "values"),
        (["[20, 24]", "[30, 34]"], "ranges"),
        (["20", "[30, 34]"], "values and ranges"),
        (["[20, 24]"], "one range"),
        (["20", "[20, 24]", "*"], "values, ranges and *"),
        (["*"], "*"),
        ([""], "values"),
    ],
)
def test_what_labels_are_called(labels: list[str], kinds: str) -> None:
    table = pl.DataFrame({"age": labels, "sex": "f"})
    assert labelled({"release": Runs.of(table)}, plan_for(Mondrian()))["age"].published_as == kinds


def test_sets_and_nodes_are_called_so() -> None:
    columns = {"zip": shoal.quasi(shoal.prefixes()), "sex": shoal.quasi()}
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)])
    table = pl.DataFrame({"zip": ["12*", "13*", "131"], "sex": ["{f, m}", "{f, m}", "{f, m}"]})
    found = labelled({"release": Runs.of(table)}, plan)
    assert (found["zip"].published_as, found["sex"].published_as) == ("values and hierarchy nodes", "one set")


def test_rows_that_differ_in_their_level_are_counted_by_it() -> None:
    rng = np.random.default_rng(0)
    ages = np.concatenate([rng.integers(20, 24, 60), rng.integers(24, 80, 30)])  # some are frequent, some rare
    frame = pl.DataFrame({"age": ages.astype(str), "sex": rng.choice(["f", "m"], 90)})
    release = shoal.anonymize(frame, plan_for(Optimal(local=True)))
    assert set(release.manifest.rows_by_level) == {"age"} and set(release.manifest.levels) == {"sex"}
    assert sum(release.manifest.rows_by_level["age"].values()) == 90


def test_an_anatomy_loses_nothing() -> None:
    frame = pl.DataFrame({"age": ["1", "2", "3", "4"], "ill": ["a", "b", "a", "b"]})
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "ill": shoal.sensitive()},
        models=[shoal.LDiversity("ill", l=2)],
        release=shoal.ReleaseSettings(form="anatomy"),
    )
    assert shoal.anonymize(frame, plan).measures["ncp"] == 0
