"""Labels match if some value may have become both; the covering labels of a value are those of verification."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given

import shoal
from shoal.attacks.matching import ColumnMatch, chosen, exact_labels, known_of, matching
from shoal.attacks.target import Target, grouped
from shoal.hierarchies import Dates, Flat, Intervals, Prefix
from shoal.table import Runs
from tests.attacks.conftest import ALGORITHMS, attacked, patients, plan_of, quick


@pytest.mark.parametrize(
    ("label", "spec", "matches"),
    [
        ("25", Flat(), ["25", "[20, 29]", "[25, 25.5]", "*", "group 1 of 3"]),
        ("[27, 40]", Flat(), ["[20, 29]", "[30, 39]", "*", "group 1 of 3"]),
        ("a", Flat(), ["{a, b}", "*", "group 1 of 3"]),
        ("{b, c}", Flat(), ["{a, b}", "*", "group 1 of 3"]),
        ("", Flat(), ["", "*", "group 1 of 3"]),
        ("*", Flat(), ["25", "[20, 29]", "[30, 39]", "[25, 25.5]", "{a, b}", "", "*", "group 1 of 3"]),
        ("\\*", Flat(), ["*", "group 1 of 3"]),
    ],
)
def test_labels_that_match(label: str, spec: Flat, matches: list[str]) -> None:
    labels = ["25", "[20, 29]", "[30, 39]", "[25, 25.5]", "{a, b}", "", "*", "group 1 of 3"]
    row = ColumnMatch(labels, [label], spec, missing_is_any=False).row(label)
    assert [labels[place] for place in np.flatnonzero(row)] == matches


@pytest.mark.parametrize(
    ("label", "spec", "labels", "matches"),
    [
        ("0214", Prefix(), ["0214", "021*", "0210", "022*", "02*"], ["0214", "021*", "02*"]),
        ("02*", Prefix(), ["0214", "021*", "1001", "02*"], ["0214", "021*", "02*"]),
        ("2024-03-09", Dates(), ["2024-03", "2024", "2023", "2024-04"], ["2024-03", "2024"]),
        ("23", Intervals((5, 10)), ["[20, 24]", "[25, 29]", "[20, 29]"], ["[20, 24]", "[20, 29]"]),
    ],
)
def test_labels_of_hierarchies(label: str, spec: Flat, labels: list[str], matches: list[str]) -> None:
    row = ColumnMatch(labels, [label], spec, missing_is_any=False).row(label)
    assert [labels[place] for place in np.flatnonzero(row)] == matches


def test_a_missing_value_may_be_unknown() -> None:
    labels = ["", "a", "b"]
    assert ColumnMatch(labels, ["", "a"], Flat(), missing_is_any=True).row("").all()
    assert ColumnMatch(labels, ["", "a"], Flat(), missing_is_any=True).row("a").tolist() == [True, True, False]


@given(frame=patients(), algorithm=ALGORITHMS)
@quick
def test_every_individual_matches_the_own_class(frame: pl.DataFrame, algorithm: object) -> None:
    target = attacked(frame, plan_of(shoal.KAnonymity(k=2), algorithm=algorithm))
    known = known_of(frame, target)
    pairs = matching(target.labelled, known, target.plan)
    total = sum(pairs.rows_matched(group) * size for group, size in enumerate(known.sizes.tolist()))
    assert all(pairs.rows_matched(group) >= 2 for group in range(len(known)))
    assert total >= int((target.labelled.sizes**2).sum())  # every row matches at least its own class


def test_values_are_written_as_released() -> None:
    plan = shoal.Plan(columns={"age": shoal.quasi(type="integer", top=90)}, models=[shoal.KAnonymity(k=2)])
    assert exact_labels(pl.Series("age", ["95", " 20", "?", None]), plan).to_list() == ["90", "20", "", ""]
    frame = pl.DataFrame({"age": ["95", "92", "?"], "other": [1, 2, 3]})
    known = known_of(frame, Target({"release": frame}, plan))
    assert (known.labels.to_dict(as_series=False), known.sizes.tolist()) == ({"age": ["", "90"]}, [1, 2])


def test_a_sample_is_drawn_from_rows() -> None:
    groups = grouped(Runs.of(pl.DataFrame({"a": ["x"] * 90 + [str(n) for n in range(10)]})), ("a",), ())
    everyone, weights = chosen(groups, 100, 0)
    assert len(everyone) == 11 and weights.sum() == 100
    some, weights = chosen(groups, 10, 0)
    assert weights.sum() == 10 and len(some) < 10 and chosen(groups, 10, 0)[0].tolist() == some.tolist()
