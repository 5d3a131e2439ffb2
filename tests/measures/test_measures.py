"""All measures together: each has figures of its own, for the manifest to hold."""

from __future__ import annotations

import json

import polars as pl
import pytest

import shoal
from shoal.measures import ALL, Outcome, measure
from tests.measures.outcomes import HAND, NOTHING


def test_every_figure_of_every_measure_is_there_once() -> None:
    figures = [name for cls in ALL for name in cls().of(HAND)]
    assert len(set(figures)) == len(figures)
    assert list(measure(HAND)) == figures


@pytest.mark.parametrize("outcome", [HAND, NOTHING])
def test_figures_are_json(outcome: Outcome) -> None:
    json.dumps(measure(outcome), allow_nan=False)


def test_every_measure_says_what_it_is() -> None:
    names = [cls.name for cls in ALL]
    assert len(set(names)) == len(names)
    for cls in ALL:
        assert cls.goal in ("lower", "higher") and cls.about and (cls.__doc__ or "").strip()
        assert cls.name in cls().of(HAND)


def test_an_untouched_release_loses_nothing() -> None:
    frame = pl.DataFrame({"age": ["1", "1", "9", "9"], "sex": ["f"] * 4, "d": ["x", "y"] * 2})
    columns = {"age": shoal.quasi(), "sex": shoal.quasi(), "d": shoal.sensitive()}
    found = shoal.anonymize(frame, shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)])).measures
    assert found["ncp"] == 0 and found["precision"] == 1
    assert found["discernibility_per_row"] == found["average_class_size"] == 2
