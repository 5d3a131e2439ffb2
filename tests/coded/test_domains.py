"""Domains: what the codes of a column mean."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.coded.domains import RANGE, TREE, ItemDomain, QuasiDomain, SensitiveDomain
from shoal.hierarchies.base import Hierarchy
from shoal.roles.columns import Column, Type

QUASI = Column(role="quasi-identifier", weight=2.5)


def quasi(values: pl.Series, published: str = RANGE, hierarchy: Hierarchy | None = None) -> QuasiDomain:
    return QuasiDomain("q", "real", values, published, QUASI, len(values), np.zeros(len(values)), hierarchy)


def test_a_code_means_its_value_and_missing_is_empty_text() -> None:
    domain = quasi(pl.Series([None, 1.0, 2.5]))
    assert domain.size == 3 and domain.has_missing
    assert domain.texts == ["", "1", "2.5"]
    assert not quasi(pl.Series([1.0])).has_missing


def test_what_the_plan_says_of_a_column_travels_with_it() -> None:
    assert quasi(pl.Series([1.0])).weight == 2.5
    assert quasi(pl.Series([1.0])).settings is QUASI


def test_a_tree_is_there_or_asking_for_it_is_an_error() -> None:
    tree = Hierarchy.from_paths([("1", "*"), ("2.5", "*")])
    assert quasi(pl.Series([1.0, 2.5]), TREE, tree).tree is tree
    with pytest.raises(AssertionError, match="column q was coded without a hierarchy"):
        _ = quasi(pl.Series([1.0])).tree


@pytest.mark.parametrize(
    ("labels", "counts", "expected"),
    [(("", "a"), False, 0), (("a", "", "b"), False, 1), (("", "a"), True, -1), (("a", "b"), False, -1)],
)
def test_the_missing_value_of_a_sensitive_column(labels: tuple[str, ...], counts: bool, expected: int) -> None:
    domain = SensitiveDomain("s", labels, Column(role="sensitive", missing_counts=counts))
    assert domain.size == len(labels) and domain.missing == expected


def test_a_set_holds_its_items() -> None:
    settings = Column(role="quasi-sensitive")
    domain = ItemDomain("i", ("a", "b", "c"), np.array([0, 0, 2, 3]), np.array([0, 2, 1], np.int32), settings)
    assert domain.size == 3
    assert [domain.of_set(code) for code in range(3)] == [(), ("a", "c"), ("b",)]


@pytest.mark.parametrize(
    ("type_", "labels", "positions"),
    [
        ("integer", ("", "-2", "7"), [0, 0, 9]),
        ("real", ("-0.5", "1e-1", "inf"), [0, 6, 0]),  # in tenths
        ("date", ("2020-02-28", "2020-03-01"), [0, 2]),
        ("datetime", ("2020-01-01 00:00:00", "2020-01-01 00:00:00.001"), [0, 1000]),
        ("integer", ("0", str(10**40)), [0, 10**40]),
    ],
)
def test_numbers_and_dates_have_exact_positions(type_: Type, labels: tuple[str, ...], positions: list[int]) -> None:
    found = SensitiveDomain("s", labels, Column(role="sensitive", type=type_)).positions
    assert found is not None and found[0].tolist() == positions
    assert found[1].tolist() == [label not in ("", "inf") for label in labels]


def test_text_has_no_positions() -> None:
    assert SensitiveDomain("s", ("1", "2"), Column(role="sensitive")).positions is None
