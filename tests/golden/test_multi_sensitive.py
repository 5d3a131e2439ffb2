"""Gal, Chen, Gangopadhyay 2008: the worked examples of the paper, and two that its Figure 7 gets wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.attacks import Elimination, trap
from shoal.attacks.elimination import evidence_of
from shoal.coded import coded_values, stats_of
from shoal.errors import PlanError
from shoal.kernels import hitting
from shoal.models import MultiSensitive
from shoal.models.evidence import CLASS, COUNT, Evidence, SensitiveFacts
from tests.oracle import Setting, diversity

FIGURE_1 = [
    ("Heart disease", "Medicine"),
    ("Heart disease", "Surgery"),
    ("Flu", "Intravenous therapy"),
    ("Stomach disease", "Intravenous therapy"),
]
FIGURE_4 = [("D1", "T1"), ("D2", "T1"), ("D3", "T2"), ("D4", "T2"), ("D5", "T3"), ("D6", "T3")]
FIGURE_8_LIMITS = {"disease": 4, "treatment": 2}
COLUMNS = ("disease", "treatment", "outcome")


def evidence(rows: Sequence[Sequence[str]]) -> Evidence:
    columns = COLUMNS[: len(rows[0])]
    classes, counts = [0] * len(rows), [1] * len(rows)
    frame = pl.DataFrame([classes, counts, *zip(*rows, strict=True)], schema=[CLASS, COUNT, *columns])
    return Evidence(frame, {name: SensitiveFacts() for name in columns})


def passes(
    rows: Sequence[Sequence[str]], l: int, limits: Mapping[str, int] | None = None, check: str = "exact"
) -> bool:
    columns = COLUMNS[: len(rows[0])]
    model = MultiSensitive(l=l, k=1, columns=columns, limits=limits, check=check)
    coded = coded_values(dict(zip(columns, zip(*rows, strict=True), strict=True)))
    found = bool(model.passes(stats_of(coded, [list(range(len(rows)))]))[0])
    if check == "exact":
        assert model.holds(evidence(rows)).holds is found
    return found


def true_diversity(rows: Sequence[Sequence[str]], limits: Mapping[str, int] | None = None) -> float:
    columns = COLUMNS[: len(rows[0])]
    members = [dict(zip(columns, row, strict=True)) for row in rows]
    return diversity.diversity(members, columns, Setting(), limits)


def test_figure_1_has_diversity_2_although_each_column_has_3_values() -> None:
    assert true_diversity(FIGURE_1) == 2
    assert passes(FIGURE_1, 2) and not passes(FIGURE_1, 3)
    assert passes(FIGURE_1, 2, check="greedy") and not passes(FIGURE_1, 3, check="greedy")
    assert all(len(set(column)) == 3 for column in zip(*FIGURE_1, strict=True))


def test_figure_1_is_shown_as_the_trap_it_is() -> None:
    found = trap(evidence(FIGURE_1), ("disease", "treatment"), 3)
    assert (found.classes, found.pass_each_column, found.fall_together, found.trapped) == (1, 1, 1, 1)
    assert Elimination(ruled_out=1, columns=("disease", "treatment")).run(evidence(FIGURE_1)).classes_exposed == 1
    assert Elimination(ruled_out=0, columns=("disease", "treatment")).run(evidence(FIGURE_1)).classes_exposed == 0


def test_figure_4_has_diversity_3_and_4_with_limits() -> None:
    assert true_diversity(FIGURE_4) == 3
    assert passes(FIGURE_4, 3) and not passes(FIGURE_4, 4)
    assert true_diversity(FIGURE_4, FIGURE_8_LIMITS) == 4
    assert passes(FIGURE_4, 4, FIGURE_8_LIMITS) and not passes(FIGURE_4, 5, FIGURE_8_LIMITS | {"disease": 5})


def test_figure_8_is_four_diverse_only_at_its_last_step() -> None:
    steps = [("D1", "T1"), ("D3", "T2"), ("D5", "T3"), ("D2", "T1"), ("D4", "T2"), ("D6", "T3")]
    shown = [passes(steps[:n], 4, FIGURE_8_LIMITS, "greedy") for n in (3, 4, 5, 6)]
    assert shown == [False, False, False, True]
    assert [true_diversity(steps[:n], FIGURE_8_LIMITS) for n in (3, 4, 5, 6)] == [3, 3, 3, 4]


@pytest.mark.parametrize(
    ("rows", "limits", "l", "truth"),
    [
        ([("a", "b1", "c1"), ("a", "b2", "c2")], {"disease": 2, "treatment": 0, "outcome": 0}, 2, 1),
        ([("d1", "t1"), ("d2", "t2"), ("d1", "t3")], {"disease": 1, "treatment": 1}, 3, 2),
    ],
)
def test_figure_7_as_printed_would_pass_what_is_not_diverse(
    rows: list[tuple[str, ...]], limits: dict[str, int], l: int, truth: int
) -> None:
    columns = COLUMNS[: len(rows[0])]
    assert true_diversity(rows, limits) == truth < l
    starts = np.arange(len(columns)) * 10
    codes = np.array(
        [[sorted({row[a] for row in rows}).index(row[a]) for a in range(len(columns))] for row in rows], np.int32
    )
    classes = hitting.Classes(
        np.array([0, len(rows)]), np.arange(len(rows), dtype=np.int32), np.ones(len(rows), np.int64), codes, starts, 30
    )
    of_columns = np.array([limits[name] for name in columns], np.int64)
    used = np.flatnonzero(of_columns)
    kept = classes._replace(tuples=np.ascontiguousarray(codes[:, used]), starts=starts[used])
    for exact in (False, True):
        decided, _ = hitting.decide(kept, np.array([True]), of_columns[used], l, exact, 1000)
        assert decided[0] not in (hitting.PASSED_BY_LOWER_BOUND, hitting.PASSED_BY_SEARCH)


def test_limits_all_below_l_are_refused() -> None:
    with pytest.raises(PlanError, match="at least l = 3"):
        MultiSensitive(l=3, k=2, columns=("disease", "treatment"), limits={"disease": 1, "treatment": 2})


def test_limits_weaken_the_promise_and_the_finding_says_how_much() -> None:
    """Theorem 1 does not carry over: ruling out T1 and T2 leaves T3 alone, and the limited column resists 3 − 2."""
    model = MultiSensitive(l=4, k=4, columns=("disease", "treatment"), limits=FIGURE_8_LIMITS)
    finding = model.holds(evidence(FIGURE_4))
    assert finding.holds and finding.achieved["values of treatment"] == 3
    assert Elimination(ruled_out=2, columns=("disease", "treatment")).run(evidence(FIGURE_4)).classes_exposed == 1


def test_a_release_resists_what_per_column_diversity_does_not() -> None:
    table = pl.DataFrame(FIGURE_1 * 6, schema=["disease", "treatment"], orient="row").with_columns(age=pl.int_range(24))
    columns = {"age": shoal.quasi(), "disease": shoal.sensitive(), "treatment": shoal.sensitive()}
    trapped = shoal.anonymize(table, shoal.Plan(columns=columns, models=[shoal.PSensitive(p=3, k=4)]))
    found = trap(evidence_of(trapped.tables["release"], trapped.plan), ("disease", "treatment"), 3)
    assert found.classes > 1 and found.trapped == found.classes
    other = table.with_columns(treatment=pl.Series(["Medicine", "Surgery", "Intravenous therapy", "Rest"] * 6))
    ours = shoal.anonymize(other, shoal.Plan(columns=columns, models=[shoal.MultiSensitive(l=3, k=4)]))
    found = trap(evidence_of(ours.tables["release"], ours.plan), ("disease", "treatment"), 3)
    assert (found.fall_together, found.exposed) == (0, 0)
