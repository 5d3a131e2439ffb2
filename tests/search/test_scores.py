"""Scores of a step, computed from the definitions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.algorithms import Pais
from shoal.errors import PlanError
from shoal.models import LKC
from shoal.pipeline import fitted
from shoal.search import scores, target
from shoal.search.specialization import Specialization

TABLE = pl.DataFrame(
    {
        "age": [20, 30, 40, 50] * 6,
        "town": ["A", "B", "B"] * 8,
        "ill": ["flu", "flu", "HIV"] * 8,
        "dead": ["yes", "no", "no", "no", "yes", "yes"] * 4,
    }
)


def state() -> Specialization:
    columns = {"age": shoal.quasi(), "town": shoal.quasi(), "ill": shoal.sensitive(), "dead": shoal.target()}
    model = LKC(1, 1, 1, "ill")
    plan = shoal.Plan(columns=columns, models=[model], algorithm=Pais(goal="classification"))
    return Specialization(fitted(TABLE, plan).coded, [model])


def bits(rows: Sequence[dict[str, Any]], known: Sequence[str]) -> float:
    """Rows times what is left to learn of `dead` by who knows these columns: conditional entropy."""
    cells: dict[tuple[Any, ...], Counter[str]] = {}
    for row in rows:
        cells.setdefault(tuple(row[name] for name in known), Counter())[row["dead"]] += 1
    return sum(-n * math.log2(n / sum(cell.values())) for cell in cells.values() for n in cell.values())


def gain(known: Sequence[str], young: int) -> float:
    rows = [{**row, "young": row["age"] <= young} for row in TABLE.to_dicts()]
    return bits(rows, known) - bits(rows, [*known, "young"])


def test_a_gain_is_what_the_target_loses_of_its_entropy() -> None:
    found = state()
    alone = scores.Gain(found, besides=False)
    assert alone.cuts(found.cut[0][0]) == pytest.approx([gain([], age) / 24 for age in (20, 30, 40)])


def test_besides_the_sensitive_columns_only_what_they_do_not_say_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target, "_ROWS_PER_STRATUM", 1)
    found = state()
    besides = scores.Gain(found, besides=True)
    assert besides.cuts(found.cut[0][0]) == pytest.approx([gain(["ill"], age) / 24 for age in (20, 30, 40)])
    town = found.cut[1][0]
    rows = TABLE.to_dicts()
    said = (bits(rows, ["ill"]) - bits(rows, ["ill", "town"])) / 24
    assert besides.parts(town, found.edges(town)) == pytest.approx(said)


def test_few_rows_in_each_stratum_are_not_told_apart() -> None:
    found = state()
    assert scores.Gain(found, besides=True).cuts(found.cut[0][0]) == pytest.approx(
        [gain([], age) / 24 for age in (20, 30, 40)]
    )


def test_strata_that_would_take_too_much_memory_are_not_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target, "_ROWS_PER_STRATUM", 1)
    monkeypatch.setattr(scores, "_MOST_WITH_STRATA", (4 + 2) * 2)  # codes of age and town, times two targets
    found = state()
    assert scores.Gain(found, besides=True).cuts(found.cut[0][0]) == pytest.approx(
        [gain([], age) / 24 for age in (20, 30, 40)]
    )


def test_a_target_of_too_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores, "_MOST_COUNTS", (4 + 2) * 2 - 1)
    for besides in (False, True):
        with pytest.raises(PlanError, match="target has 2 different values, too many"):
            scores.Gain(state(), besides)


def test_a_nearly_continuous_target_takes_no_memory() -> None:
    rows = 30_000
    table = pl.DataFrame({"age": range(rows), "ill": ["flu"] * rows, "dead": [str(i) for i in range(rows)]})
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive(), "dead": shoal.target()}
    plan = shoal.Plan(columns=columns, models=[LKC(1, 2, 1, "ill")], algorithm=Pais(goal="classification"))
    with pytest.raises(PlanError, match="too many"):
        shoal.anonymize(table, plan)


def test_pairs_are_those_that_are_no_longer_alike() -> None:
    found = state()
    assert scores.Pairs(found).cuts(found.cut[0][0]).tolist() == [2 * 6 * 18, 2 * 12 * 12, 2 * 18 * 6]
