"""Shares of sensitive values within classes, by hand and against a plain count."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.attacks import Target
from shoal.figures.sensitive import SensitiveColumn, ValueByClass, sensitive_columns, weighted_quantiles
from tests.figures.releases import plan, released


def test_the_shares_of_two_kinds_of_classes() -> None:
    """Young classes have flu only, old ones cold (3 of 5) and gout, which has too few rows to be counted alone."""
    flu = ValueByClass("flu", 10, 0.5, least=0.0, low=0.0, middle=0.0, high=1.0, most=1.0)
    assert released().figures.public.sensitive == (SensitiveColumn("ill", (flu,), others=2, other_rows=10, most=1.0),)


def test_the_highest_share_may_be_that_of_a_value_that_is_not_shown() -> None:
    """Gout has too few rows to be named, but a class of its own."""
    frame = pl.DataFrame({"age": [20] * 6 + [60] * 4, "ill": ["flu", "cold"] * 3 + ["gout"] * 4})
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive()}
    (found,) = sensitive_columns(Target({"release": frame}, plan(columns=columns)))
    assert found.most == 1.0 and all(each.most < 1 for each in found.values)


def test_an_anatomy_shows_the_same_figures() -> None:
    release = released(models=[shoal.LDiversity("ill", l=2)], release=shoal.ReleaseSettings(form="anatomy"))
    (column,) = release.figures.public.sensitive
    assert [each.value for each in column.values] == ["flu"] and column.values[0].table == 0.5


ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "y", "z", None])), min_size=6, max_size=80)


@given(ROWS)
def test_shares_are_those_of_a_plain_count(rows: list[tuple[str, str | None]]) -> None:
    frame = pl.DataFrame({"age": [each[0] for each in rows], "ill": [each[1] for each in rows]}, orient="row")
    frame = frame.cast({"ill": pl.String})
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive()}
    (found,) = sensitive_columns(Target({"release": frame}, plan(columns=columns)))
    classes: dict[str, Counter[str | None]] = defaultdict(Counter)
    for label, value in rows:
        classes[label][value] += 1
    totals = Counter(value for _, value in rows if value is not None)
    named = sorted((value for value, count in totals.items() if count >= 5), key=lambda value: (-totals[value], value))
    while named and 0 < len(rows) - sum(totals[value] for value in named) < 5:
        named.pop()
    assert [each.value for each in found.values] == named
    for each in found.values:
        shares = sorted(classes[label][each.value] / classes[label].total() for label, _ in rows)
        assert each.rows == totals[each.value] and each.table == totals[each.value] / len(rows)
        assert (each.least, each.most) == (shares[0], shares[-1])
        for share, figure in ((0.05, each.low), (0.5, each.middle), (0.95, each.high)):
            assert figure == shares[max(int(np.ceil(share * len(rows))) - 1, 0)]


def test_quantiles_weigh_values_by_rows() -> None:
    assert weighted_quantiles(np.array([0.9, 0.1]), np.array([1, 99])) == (0.1, 0.1, 0.1)
