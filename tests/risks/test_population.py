"""The rule of Dankar et al. chooses the estimator, and the estimate stays within the stated error."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.risks import Population, population
from shoal.risks.estimators import Spectrum
from shoal.risks.population import estimated
from tests.risks.tables import figures, population_sample, sample_of


def chosen(monkeypatch: pytest.MonkeyPatch, fraction: float, **given: float | None) -> tuple[str, float]:
    for name, value in given.items():
        monkeypatch.setattr(population, name, lambda _spectrum, value=value: value)
    return estimated(Spectrum.of(np.array([1, 2]), fraction))


def test_a_small_sample_is_estimated_by_pitman(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen(monkeypatch, 0.1, pitman=7.0, zayatz=3.0) == ("pitman", 7.0)
    assert chosen(monkeypatch, 0.1, pitman=None, zayatz=3.0) == ("zayatz", 3.0)


def test_a_larger_sample_by_the_smaller_one_of_two_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen(monkeypatch, 0.11, slide_negative_binomial=2.0, zayatz=3.0) == ("snb", 2.0)
    assert chosen(monkeypatch, 0.11, slide_negative_binomial=4.0, zayatz=3.0) == ("zayatz", 3.0)
    assert chosen(monkeypatch, 0.11, slide_negative_binomial=None, zayatz=3.0) == ("zayatz", 3.0)


def test_a_whole_population_needs_no_estimate() -> None:
    found = figures(Population, sample_of([("a",), ("a",), ("b",)], fraction=1.0))
    assert found["estimator"] == "none" and found["share"] == 1 / 3 and found["share_of_uniques"] == 1


def test_a_table_without_uniques_has_none() -> None:
    found = figures(Population, sample_of([("a",), ("a",)], fraction=0.1))
    assert (found["estimate"], found["share_of_uniques"], found["population"]) == (0.0, 0.0, 20)


def test_it_needs_a_sampling_fraction() -> None:
    assert Population().lacks(sample_of([("a",)]))


def zipf(exponent: float) -> np.ndarray:
    return np.unique(np.random.default_rng(3).zipf(exponent, 60_000), return_counts=True)[1]


POPULATIONS = {
    "zipf 1.3": zipf(1.3),
    "zipf 1.6": zipf(1.6),
    "slide negative binomial": 1 + np.random.default_rng(3).negative_binomial(0.5, 0.2, 20_000),
    "lognormal": 1 + np.random.default_rng(3).lognormal(1.0, 1.5, 8_000).astype(np.int64),
}


@pytest.mark.parametrize("fraction", [0.05, 0.1, 0.2, 0.5, 0.8])
@pytest.mark.parametrize("name", POPULATIONS)
def test_the_share_is_recovered_within_the_stated_error(name: str, fraction: float) -> None:
    people = POPULATIONS[name]
    spectrum = Spectrum.of(population_sample(people, fraction, 5), fraction)
    truth = np.count_nonzero(people == 1) / people.sum()
    assert abs(estimated(spectrum)[1] / people.sum() - truth) < (0.02 if fraction >= 0.5 else 0.05)
