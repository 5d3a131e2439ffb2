"""Steps are found again from the released table, and end at its labels."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.algorithms import Mondrian, Pais
from shoal.hierarchies import Intervals, Prefix
from shoal.report.steps import steps_of
from tests.contract.patients import patients

COLUMNS = {
    "age": shoal.quasi(Intervals((5, 10, 20))),
    "zip": shoal.quasi(Prefix()),
    "born": shoal.quasi(),
    "diagnosis": shoal.sensitive(),
}


def released(algorithm: object) -> shoal.Release:
    frame = patients().select(list(COLUMNS))
    plan = shoal.Plan(columns=COLUMNS, models=[shoal.KAnonymity(k=4)], algorithm=algorithm)
    return shoal.anonymize(frame, plan)


def test_only_a_specialization_has_steps() -> None:
    made = released(Mondrian())
    assert made.manifest.steps is None and made.manifest.step_values == {}


@pytest.mark.parametrize("score", ["sparing", "weighted", "paper"])
def test_the_steps_end_at_the_released_labels(score: str) -> None:
    made = released(Pais(score=score))
    assert made.manifest.steps
    for name, values in made.manifest.step_values.items():
        assert sorted(values) == sorted(made.frame[name].cast(pl.String).fill_null("").unique().to_list())
    last = made.manifest.steps[-1]
    assert last.classes == made.manifest.classes and last.smallest_class >= 4


def test_steps_name_ranges_that_exist() -> None:
    for step in steps_of(released(Pais()).manifest):
        for label in (step.value, *step.parts):
            if label.startswith("[") and step.column == "age":
                low, high = label[1:-1].split(", ")
                assert int(low) < int(high)


def test_steps_stop_where_the_release_did() -> None:
    made = released(Pais(stop_at=2))
    assert made.manifest.steps is not None and len(made.manifest.steps) == 2
