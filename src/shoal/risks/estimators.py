"""Estimators of the number of population uniques, from how many classes of each size a sample has."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Float64, Int64

_GOLDEN = (math.sqrt(5) - 1) / 2
_STEPS = 60
_SOLVED = 1e-7


@dataclass(frozen=True)
class Spectrum:
    """The class sizes of a sample, ascending, the number of classes of each size, and the sampling fraction."""

    sizes: Int64
    times: Int64
    fraction: float

    @classmethod
    def of(cls, class_sizes: Int64, fraction: float) -> Spectrum:
        sizes, times = np.unique(class_sizes, return_counts=True)
        return cls(sizes, times, fraction)

    def times_of(self, size: int) -> int:
        """The number of classes of this size."""
        return int(self.times[self.sizes == size].sum())

    @property
    def rows(self) -> int:
        return int((self.sizes * self.times).sum())

    @property
    def classes(self) -> int:
        return int(self.times.sum())

    @property
    def population(self) -> int:
        """The size of the population."""
        return max(self.rows, round(self.rows / self.fraction))


def zayatz(spectrum: Spectrum) -> float:
    """Sample uniques times the probability that one is a population unique, divided by the fraction.

    The population is assumed to have classes of every size in the proportions of the sample. A class of F individuals
    has one row in the sample with the hypergeometric probability of 1 of F.
    """
    singles = _chances_of_one(spectrum) * spectrum.times
    first = float(singles[spectrum.sizes == 1].sum())
    return spectrum.times_of(1) * first / float(singles.sum()) / spectrum.fraction


def _chances_of_one(spectrum: Spectrum) -> Float64:
    """float64 [sizes]: the probability that a population class of each size has one row in the sample."""
    population, rows = spectrum.population, spectrum.rows
    left = population - rows

    def logarithm(size: int) -> float:
        if size - 1 > left:
            return -math.inf
        missed = _log_choose(left, size - 1)
        return math.log(rows) + missed - _log_choose(population, size)

    return np.exp([logarithm(size) for size in spectrum.sizes.tolist()])


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


# -- Pitman -------------------------------------------------------------------------------------------------------


def pitman(spectrum: Spectrum) -> float | None:
    """The expected number of uniques under the Ewens-Pitman model with the most likely α and θ; None if none is.

    E = N Γ(θ+1) Γ(θ+α+N−1) / (Γ(θ+α) Γ(θ+N)) for a population of N. A sample in which all rows are unique has no most
    likely parameters.
    """
    rows, population = spectrum.rows, spectrum.population
    if spectrum.classes == rows or spectrum.classes < 2:
        return None

    def best_theta(alpha: float) -> tuple[float, float]:
        of_classes = _log_of_classes(spectrum, alpha)
        return _largest(lambda theta: of_classes + _log_of_theta(spectrum, alpha, theta), -9.0, math.log(1e3 * rows))

    logit, _ = _largest(lambda place: best_theta(_share(place))[1], -12.0, 12.0)
    alpha = _share(logit)
    theta = _shifted(best_theta(alpha)[0], alpha)
    expected = math.lgamma(theta + 1) - math.lgamma(theta + alpha)
    expected += math.lgamma(theta + alpha + population - 1) - math.lgamma(theta + population)
    uniques = population * math.exp(expected)
    return uniques if 0 <= uniques <= population else None


def _share(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def _shifted(logarithm: float, alpha: float) -> float:
    """θ, which must be above −α."""
    return math.exp(logarithm) - alpha


def _log_of_classes(spectrum: Spectrum, alpha: float) -> float:
    """The part of the log-likelihood that depends on the class sizes."""
    sizes = spectrum.sizes.tolist()
    each = [math.lgamma(size - alpha) for size in sizes]
    return float(np.dot(spectrum.times, each)) - spectrum.classes * math.lgamma(1 - alpha)


def _log_of_theta(spectrum: Spectrum, alpha: float, log_theta: float) -> float:
    """The part of the log-likelihood that depends on θ."""
    theta, classes = _shifted(log_theta, alpha), spectrum.classes
    of_classes = (classes - 1) * math.log(alpha) + math.lgamma(theta / alpha + classes) - math.lgamma(theta / alpha + 1)
    return of_classes - math.lgamma(theta + spectrum.rows) + math.lgamma(theta + 1)


def _largest(value: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """The place of the largest value of a function with one peak, by golden sections, and the value."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = value(left), value(right)
    for _ in range(_STEPS):
        if at_left > at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = value(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = value(right)
    return (left, at_left) if at_left > at_right else (right, at_right)


# -- slide negative binomial --------------------------------------------------------------------------------------


def slide_negative_binomial(spectrum: Spectrum) -> float | None:
    """K β^α, where population classes have 1 + NB(α, β) individuals; None if no α and β fit.

    K, the number of classes in the population, is estimated by Shlosser's estimator. α and β are those for which a
    sample is expected to have as many classes of one and of two rows as it has.
    """
    if not spectrum.times_of(2):
        return None
    classes = shlosser(spectrum)
    wanted = np.array([spectrum.times_of(1), spectrum.times_of(2)]) / classes
    place = _solved(lambda at: np.log(_expected(at, spectrum.fraction) / wanted))
    if place is None:
        return None
    alpha, beta = math.exp(place[0]), _share(place[1])
    uniques = classes * beta**alpha
    return uniques if 0 <= uniques <= spectrum.population else None


def shlosser(spectrum: Spectrum) -> float:
    """The modified Shlosser estimate of the number of classes in the population (Haas, Stokes 1998)."""
    f, sizes, times = spectrum.fraction, spectrum.sizes.astype(np.float64), spectrum.times
    missed = (1 - f) ** sizes
    once = (sizes * f**2 * (1 - f**2) ** (sizes - 1) * times).sum()
    several = ((1 - f**2) ** sizes * times - missed * times).sum()
    unseen = (missed * times).sum() / (sizes * f * (1 - f) ** (sizes - 1) * times).sum()
    return float(spectrum.classes + spectrum.times_of(1) * once / several * unseen**2)


def _expected(place: Float64, f: float) -> Float64:
    """float64 [2]: the shares of population classes of which the sample has one and two rows.

    They are the first two derivatives, at 1 − f, of the generating function s (β/(1 − (1 − β)s))^α.
    """
    alpha, beta = math.exp(place[0]), _share(place[1])
    rest = 1 - (1 - beta) * (1 - f)
    ratio = (1 - beta) / rest
    none = (beta / rest) ** alpha
    one = f * none * (1 + (1 - f) * alpha * ratio)
    two = f**2 / 2 * none * alpha * ratio * (2 + (1 - f) * (alpha + 1) * ratio)
    return np.array([max(one, 1e-300), max(two, 1e-300)])


def _solved(function: Callable[[Float64], Float64]) -> Float64 | None:
    """A place at which two functions are 0, by damped Newton steps from the best places of a grid; None if none is."""
    grid = [np.array([a, b]) for a in np.linspace(-7, 7, 29) for b in np.linspace(-9, 9, 37)]
    starts = sorted(grid, key=lambda place: float(np.abs(function(place)).sum()))[:8]
    for start in starts:
        place = _newton(function, start)
        if float(np.abs(function(place)).max()) < _SOLVED:
            return place
    return None


def _newton(function: Callable[[Float64], Float64], place: Float64) -> Float64:
    for _ in range(100):
        here = function(place)
        if float(np.abs(here).max()) < _SOLVED / 10:
            break
        step = 1e-6
        slopes = np.stack([(function(place + step * unit) - here) / step for unit in np.eye(2)], axis=1)
        if abs(float(np.linalg.det(slopes))) < 1e-14:
            break
        move = np.clip(np.linalg.solve(slopes, -here), -2, 2)
        while float(np.abs(function(place + move)).max()) > float(np.abs(here).max()) and np.abs(move).max() > 1e-9:
            move = move / 2
        place = place + move
    return place
