"""A scope covers rows by their released value, a missing one included."""

from __future__ import annotations

import json

import polars as pl

from shoal.roles.scope import Scope


def test_listed_and_missing_values_are_covered() -> None:
    scope = Scope("disease", ("HIV", "10"))
    assert scope.covers(pl.Series(["HIV", "hiv", "10", "10.0", "", None])).to_list() == [
        *(True, False, True, False, False, True)
    ]
    assert scope.covers(pl.Series([], dtype=pl.String)).to_list() == []


def test_a_scope_comes_back_from_json() -> None:
    scope = Scope("disease", ("HIV", "cancer"))
    assert Scope.from_json(json.loads(json.dumps(scope.to_json()))) == scope


def test_its_words_name_no_value() -> None:
    assert "HIV" not in Scope("disease", ("HIV",)).words
