"""What measures share: samples, limits, and what every measure states about itself."""

from __future__ import annotations

import pytest

from shoal.plan import RiskSettings
from shoal.risks import ALL, RiskMeasure
from shoal.risks.base import Limit
from tests.risks.tables import sample_of


def test_a_figure_at_its_threshold_is_accepted() -> None:
    assert not Limit("highest").exceeded(0.2, 0.2) and Limit("highest").exceeded(0.21, 0.2)
    assert not Limit("k", least=True).exceeded(5, 5) and Limit("k", least=True).exceeded(4, 5)


def test_no_number_is_never_accepted() -> None:
    assert Limit("highest").exceeded(float("nan"), 0.2) and Limit("k", least=True).exceeded(float("nan"), 5)


def test_a_sample_has_the_rows_of_its_classes() -> None:
    sample = sample_of([("a",), ("a",), ("b",)])
    assert sample.total == 3 and sorted(sample.sizes.tolist()) == [1, 2]


@pytest.mark.parametrize("measure", ALL)
def test_every_measure_says_what_it_measures_and_cites_its_source(measure: type[RiskMeasure]) -> None:
    assert measure.about and measure.compares in ("equality", "overlap")
    assert measure.__doc__ and "Paper" in measure.__doc__


def test_every_threshold_bounds_one_measure() -> None:
    keys = [key for measure in ALL for key in measure.limits]
    assert sorted(keys) == sorted(set(RiskSettings.model_fields) - {"weight"})
