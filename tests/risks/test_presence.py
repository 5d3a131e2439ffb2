"""δ-presence: the example of the definition, and the extremes."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.risks import Presence
from tests.risks.tables import figures, plan_of, sample_of
from tests.risks.test_journalist import candidates


def test_a_full_domain_recoding_has_the_shares_of_the_definition() -> None:
    # Of 4 people in their twenties 2 are in the table, of 5 in their thirties 4.
    table = pl.DataFrame({"age": ["[20, 29]"] * 2 + ["[30, 39]"] * 4})
    people = pl.DataFrame({"age": [21, 23, 25, 27, 31, 33, 35, 37, 39]})
    found = shoal.risk(table, plan_of(["age"]), reference=people, attacks=False).figures["presence"]
    assert found["lowest"] == pytest.approx(1 / 2) and found["highest"] == pytest.approx(4 / 5)
    assert (found["certainly_absent"], found["individuals_at_highest"]) == (0, 5)


def test_certain_presence_and_absence_are_counted() -> None:
    found = figures(Presence, sample_of([("a",)], candidates=candidates([1], [1], [1.0, 0.0, 0.2])))
    assert (found["lowest"], found["highest"]) == (0.0, 1.0)
    assert (found["certainly_absent"], found["individuals_at_highest"]) == (1, 1)


def test_it_needs_a_reference() -> None:
    assert Presence().lacks(sample_of([("a",)]))
