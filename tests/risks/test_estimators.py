"""Estimators recover the population uniques of simulated populations, within the error that the guide states."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shoal.risks.estimators import Spectrum, pitman, shlosser, slide_negative_binomial, zayatz
from tests.risks.tables import population_sample


def slide(seed: int = 0) -> np.ndarray:
    """Classes of 1 + NB(0.5, 0.2) individuals."""
    return 1 + np.random.default_rng(seed).negative_binomial(0.5, 0.2, 60_000)


def ewens_pitman(alpha: float, theta: float, people: int, seed: int = 0) -> np.ndarray:
    """A population that grows by the rule of the Ewens-Pitman model: each individual joins a class or opens one."""
    rng = np.random.default_rng(seed)
    members = np.empty(people, np.int64)
    opened = 0
    for n in range(people):
        if rng.random() * (n + theta) < theta + alpha * opened:
            members[n], opened = opened, opened + 1
            continue
        # A class is chosen in proportion to its size less alpha: take the class of a random member, sometimes anew.
        while True:
            chosen = members[rng.integers(n)]
            if rng.random() > alpha / _size(members, n, chosen, opened):
                break
        members[n] = chosen
    return np.bincount(members)


def _size(members: np.ndarray, n: int, chosen: int, opened: int) -> int:
    return int(np.count_nonzero(members[:n] == chosen)) if opened else 1


def shares(population: np.ndarray, fraction: float, seed: int) -> tuple[Spectrum, float, int]:
    spectrum = Spectrum.of(population_sample(population, fraction, seed), fraction)
    return spectrum, float(np.count_nonzero(population == 1)), int(population.sum())


@pytest.mark.parametrize("fraction", [0.02, 0.05, 0.1])
def test_pitman_recovers_a_population_of_its_own_model(fraction: float) -> None:
    spectrum, uniques, people = shares(ewens_pitman(0.6, 50.0, 20_000), fraction, 1)
    assert abs((pitman(spectrum) or 0.0) - uniques) / people < 0.02


@pytest.mark.parametrize("fraction", [0.02, 0.05, 0.1])
def test_pitman_recovers_another_model(fraction: float) -> None:
    spectrum, uniques, people = shares(slide(), fraction, 1)
    assert abs((pitman(spectrum) or 0.0) - uniques) / people < 0.02


@pytest.mark.parametrize("fraction", [0.4, 0.6, 0.8])
def test_slide_negative_binomial_recovers_a_population_of_its_own_model(fraction: float) -> None:
    population = slide()
    spectrum, uniques, people = shares(population, fraction, 1)
    assert shlosser(spectrum) == pytest.approx(len(population), rel=0.02)
    assert abs((slide_negative_binomial(spectrum) or 0.0) - uniques) / people < 0.01


@pytest.mark.parametrize(("fraction", "error"), [(0.5, 0.03), (0.8, 0.01)])
def test_zayatz_recovers_a_population_from_a_large_sample(fraction: float, error: float) -> None:
    spectrum, uniques, people = shares(slide(), fraction, 1)
    assert abs(zayatz(spectrum) - uniques) / people < error


def test_zayatz_by_hand() -> None:
    # 4 rows of 8 people; classes of sizes 1, 1, 2. P(one of one) = 1/2, P(one of two) = 2·(4/8)·(4/7) = 4/7.
    spectrum = Spectrum.of(np.array([1, 1, 2]), 0.5)
    chance = (2 * 1 / 2) / (2 * 1 / 2 + 1 * 4 / 7)
    assert zayatz(spectrum) == pytest.approx(2 * chance / 0.5)


def test_pitman_has_no_estimate_if_all_rows_are_unique_or_equal() -> None:
    assert pitman(Spectrum.of(np.ones(50, np.int64), 0.1)) is None
    assert pitman(Spectrum.of(np.array([50]), 0.1)) is None


def test_slide_negative_binomial_needs_pairs() -> None:
    assert slide_negative_binomial(Spectrum.of(np.array([1, 1, 3]), 0.5)) is None


def test_a_spectrum_counts_classes() -> None:
    spectrum = Spectrum.of(np.array([1, 3, 1]), 0.25)
    assert (spectrum.rows, spectrum.classes, spectrum.population) == (5, 3, 20)
    assert (spectrum.times_of(1), spectrum.times_of(2)) == (2, 0)
    assert math.isclose(spectrum.fraction, 0.25)
