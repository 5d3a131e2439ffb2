from __future__ import annotations

import datetime
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.coded.coding import coded_sets
from shoal.coded.partition import Edit
from shoal.models import KAnonymity, KmAnonymity
from shoal.roles.columns import insensitive, quasi, quasi_sensitive, sensitive, target
from shoal.warnings.base import Warning
from shoal.warnings.identifying import identifying_columns
from tests.warnings.cases import case

RNG = np.random.default_rng(0)
ROLES = (insensitive(), target(), sensitive())


def identifying(values: Any, role: Any = None) -> list[Warning]:
    frame = pl.DataFrame({"age": np.arange(len(values)) % 5, "x": values}, strict=False)
    return list(identifying_columns(case(frame, {"age": quasi(), "x": role or insensitive()}, [0] * len(values))))


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    ("form", "what"),
    [
        ("{0:03}-45-{1:04}", "social security numbers"),
        ("p{1}@mail.org", "e-mail addresses"),
        ("+49 30 12{1:05}", "telephone numbers"),
        ("123e4567-e89b-12d3-a456-42661417{1:04}", "unique codes"),
        ("9f86d081884c7d659a2feaa0c55a{1:04}", "hashes"),
        ("P{1:06}", "numbers of persons or records"),
        ("seen with her son and {1} other people at home", "free text"),
        ("code {1}x", "nearly unique"),
    ],
)
def test_what_identifies_is_told_in_every_role(role: Any, form: str, what: str) -> None:
    (only,) = identifying([form.format(100 + n % 700, n) for n in range(300)], role)
    assert what in only.text and "300 of 300 rows" in only.text and only.serious and not only.public


def test_identifiers_that_repeat_are_found_too() -> None:
    (only,) = identifying([f"123-45-{n // 5:04}" for n in range(300)])
    assert "social security numbers: 0 of 300 rows" in only.text


def test_dates_and_numbers_that_hardly_repeat() -> None:
    days = [datetime.date(1950, 1, 1) + datetime.timedelta(int(day)) for day in RNG.permutation(20_000)[:300]]
    assert identifying(days)[0].serious and identifying(RNG.permutation(10**6)[:300])[0].serious
    assert [each.serious for each in identifying(RNG.random(300))] == [False]


@pytest.mark.parametrize(
    "values",
    [
        ["Mo", "Tu", "We"] * 100,
        [f"E{n % 90:02}.{n % 3}" for n in range(600)],
        [f"C{1000 + n % 60}" for n in range(600)],
        ["https://clinic.org"] * 300,
        RNG.integers(0, 100, 300),
        [None, "", "?"] * 100,
        [f"value {n}" for n in range(40)],
        RNG.random(60),
        [True, None] * 100,
        [float("inf"), float("nan"), 1.5, None] * 50,
        [datetime.timedelta(hours=hour % 24) for hour in range(200)],
        [datetime.time(hour % 24) for hour in range(200)],
    ],
)
def test_ordinary_columns_raise_no_alarm(values: Any) -> None:
    assert not identifying(values)


def test_sensitive_numbers_have_a_warning_of_their_own() -> None:
    assert not identifying(RNG.random(300), sensitive())


def test_identifiers_inside_texts_are_found() -> None:
    notes = ["well", "stable", "discharged"] * 97 + ["write to maria.smith74@mail.com", "SSN 078-05-1120 on file"]
    frame = pl.DataFrame({"age": ["20"] * len(notes), "note": notes})
    found = list(identifying_columns(case(frame, {"age": quasi(), "note": insensitive()}, [0] * len(notes))))
    assert len(found) == 1 and found[0].serious
    assert "texts that contain e-mail addresses" in found[0].text and "maria" not in found[0].text


PAIRS = [f"a{n // 20:02}|b{n % 20:02}" for n in range(400)]
"""Sets of two items, each of which is unique."""


def of_items(published: list[str] | None, *, searched: bool = True) -> list[Warning]:
    """The warnings about a column with the unique sets of PAIRS, of which others are published after a search."""
    frame = pl.DataFrame({"age": np.arange(len(PAIRS)), "x": PAIRS})
    plan = {"age": quasi(), "x": quasi_sensitive()}
    found = case(frame, plan, [0] * len(PAIRS), KAnonymity(k=2), KmAnonymity("x", k=2, m=1))
    partition = found.partition
    assert partition is not None
    if published is not None:
        domain = coded_sets({"x": published}).items["x"]
        codes = coded_sets({"x": published}).counted.items["x"]
        edited = replace(partition, edits={"x": Edit(domain, codes[np.arange(len(PAIRS)) % len(codes)])})
        found = replace(found, partition=edited)
    return list(identifying_columns(found if searched else replace(found, partition=None)))


def test_sets_that_are_released_and_nearly_unique_are_no_serious_warning_of_a_protected_column() -> None:
    (only,) = of_items(None)
    assert "is nearly unique: 400 of 400 rows have a unique set of items" in only.text
    assert "knows all items of an individual" in only.text and "'km-anonymity'" in only.text
    assert not only.serious and "Remove it" not in only.text


@pytest.mark.parametrize("published", [["", ""], ["a", "b", "a|b"]])
def test_sets_are_counted_as_they_are_released(published: list[str]) -> None:
    assert not of_items(published)


def test_sets_that_became_equal_count_together() -> None:
    """After a removal, several codes of a domain may be the same set."""
    frame = pl.DataFrame({"age": [1, 2] * 200, "x": PAIRS})
    models = [KAnonymity(k=2), KmAnonymity("x", k=21, m=1)]  # removes every item
    plan = shoal.Plan(columns={"age": quasi(), "x": quasi_sensitive()}, models=models)
    (emptied,) = shoal.anonymize(frame, plan).warnings
    assert "is released without any item" in emptied
    models[1] = KmAnonymity("x", k=3, m=2)  # leaves one item of each set
    released = shoal.anonymize(frame, plan.changed(models=models))
    assert not released.warnings and released.frame["x"].value_counts()["count"].min() > 1


def test_before_a_search_nothing_is_known_about_the_released_sets() -> None:
    assert not of_items(None, searched=False)


def test_identifiers_among_items_are_serious_even_if_a_model_protects_the_column() -> None:
    (only,) = of_items([f"p{n}@mail.org" for n in range(len(PAIRS))])
    assert "e-mail addresses" in only.text and only.serious and "Remove it." in only.text
