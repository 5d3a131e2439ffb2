"""Target-guided cuts are rated as the definition has it, for values and for numbers, with and without strata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log, log2
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.algorithms import Mondrian
from shoal.coded import Coded
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.kernels import cutting, gain
from shoal.models import KAnonymity, LDiversity
from shoal.plan import Plan, ReleaseSettings
from shoal.roles.columns import Column
from shoal.search import target as searching
from shoal.search.geometry import geometry
from tests.effort import examples
from tests.kernels.test_cutting import COLUMNS, scores, weighted_loss

KINDS = st.tuples(
    st.sampled_from(["1", "2", "5", "9", "?"]),
    st.sampled_from(["10", "11", "20"]),
    st.sampled_from(["x", "y"]),
    st.sampled_from(["p", "q"]),
    st.sampled_from(["0", "1", "4", "?"]),
    st.integers(1, 60),
)
ROWS = st.lists(KINDS, min_size=2, max_size=12)
NAMES = (*COLUMNS, "ill", "goal")


def coded_of(rows: Sequence[Any], categories: str, numbers: bool) -> Coded:
    """Rows with their multiplicity last."""
    goal = Column(role="target", type="real" if numbers else "text")
    plan = Plan(
        columns=COLUMNS | {"ill": Column(role="sensitive"), "goal": goal},
        models=[KAnonymity(k=2), LDiversity("ill", l=2)],
        algorithm=Mondrian(cut="target"),
        release=ReleaseSettings(categories=categories),
    )
    many = [row[:-1] for row in rows for _ in range(row[-1])]
    return fit(LocalEngine(pl.DataFrame(many, schema=dict.fromkeys(NAMES, pl.String), orient="row")), plan).coded


def entropy(counts: Counter[Any]) -> float:
    """The bits of all rows together."""
    return sum(n * log2(counts.total() / n) for n in counts.values())


class Seen:
    """The rows of a node that have a target: how often each pair of stratum and target occurs."""

    def __init__(self, coded: Coded, rows: Sequence[int], strata: bool) -> None:
        assert coded.target is not None and coded.counted.target is not None
        self.numbers = coded.target.numbers
        self.pairs: Counter[tuple[int, int]] = Counter()
        for row in rows:
            code = int(coded.counted.target[row])
            if code != coded.target.missing:
                stratum = int(coded.counted.sensitive["ill"][row]) if strata else 0
                self.pairs[stratum, code] += int(coded.counted.weight[row])

    @property
    def rows(self) -> int:
        return self.pairs.total()

    @property
    def strata(self) -> dict[int, Counter[int]]:
        found: dict[int, Counter[int]] = {}
        for (stratum, code), count in self.pairs.items():
            found.setdefault(stratum, Counter())[code] += count
        return found

    @property
    def of_strata(self) -> float:
        return entropy(Counter({stratum: codes.total() for stratum, codes in self.strata.items()}))

    @property
    def of_target(self) -> float:
        """The entropy of the values, or the squared deviations of the numbers, within strata."""
        if self.numbers is None:
            return sum(entropy(codes) for codes in self.strata.values())
        return sum(squares([self.numbers[code] for code in codes.elements()]) for codes in self.strata.values())

    @property
    def parameters(self) -> int:
        return sum(len(codes) - 1 if self.numbers is None else 1 for codes in self.strata.values())


def squares(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values)


def rating(whole: Seen, left: Seen, right: Seen, columns: int) -> float:
    """What a cut reveals, as the module has it: about the target if that is more than chance, less the strata."""
    bits = 0.0
    if whole.rows:
        before, after = whole.of_target, left.of_target + right.of_target
        if whole.numbers is None:
            bits = before - after
        elif after > 0:
            bits = whole.rows / 2 * log2(before / after)
        elif before > 0:
            bits = float("inf")
        if bits <= log2(whole.rows * columns) + whole.parameters / log(2) + log2(20):
            bits = 0.0
    return gain.WORTH * bits - gain.COST * (whole.of_strata - left.of_strata - right.of_strata)


@given(ROWS, st.sampled_from(["hierarchy", "sets"]), st.integers(1, 3), st.booleans(), st.booleans())
@settings(max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_cuts_are_rated_by_definition_and_the_best_is_proposed(
    rows: list[Any], categories: str, floor: int, numbers: bool, strata: bool
) -> None:
    coded = coded_of(rows, categories, numbers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "_ROWS_PER_STRATUM", 0 if strata else 1 << 30)
        about = searching.target(coded)
    n, counted = len(coded.counted), coded.counted
    everything = list(range(n))
    varying = sum(len(set(column.tolist())) > 1 for column in counted.quasi)
    order, starts, ends = np.arange(n, dtype=np.int64), np.array([0]), np.array([n])
    given_ = (counted.by_row, counted.weight)
    how = (floor, cutting.TARGET, geometry(coded), about)
    _, attribute, cut, primary, _ = cutting.alternatives(*given_, order, starts, ends, *how)
    firsts, lasts = np.zeros(len(cut), np.int64), np.full(len(cut), n)
    copies, offsets, _ = cutting.expand(*given_, order, firsts, lasts, attribute, cut, cutting.TARGET, how[2])
    by_loss, whole = scores(coded, everything, floor), Seen(coded, everything, strata)
    total, lost = int(counted.weight.sum()), weighted_loss(coded, everything)
    assert len(cut) == len(by_loss)
    expected = {}
    for t, a in enumerate(attribute.tolist()):
        left, right = (copies[offsets[2 * t + side] : offsets[2 * t + side + 1]].tolist() for side in (0, 1))
        told = rating(whole, Seen(coded, left, strata), Seen(coded, right, strata), varying)
        expected[a, frozenset(left)] = (by_loss[a, frozenset(left)] / lost + told) / total
        if told < float("inf"):
            assert primary[t] == pytest.approx(expected[a, frozenset(left)], abs=1e-4)
        else:
            assert primary[t] > gain.WORTH
    middles, attributes, _ = cutting.propose(*given_, order, starts, ends, *how)
    if not expected:
        assert middles[0] == -1
        return
    chosen = expected[int(attributes[0]), frozenset(order[: middles[0]].tolist())]
    assert chosen == pytest.approx(max(expected.values()), abs=1e-4)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 1000, (1 << 16) - 1, 1 << 16, 123_456_789])
def test_n_log_n_in_fixed_point(n: int) -> None:
    coded = coded_of([("1", "10", "x", "p", "0", 2)], "hierarchy", False)
    found = gain.n_log_n(n, searching.target(coded))
    assert found / gain.FINE == pytest.approx(n * log2(n) if n else 0.0, rel=1e-12, abs=1e-6)
