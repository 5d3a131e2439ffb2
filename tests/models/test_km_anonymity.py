from __future__ import annotations

from itertools import combinations
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import PlanError
from shoal.models import KmAnonymity, km_anonymity
from shoal.models.evidence import CLASS, COUNT, Evidence, SensitiveFacts
from shoal.roles.columns import quasi_sensitive
from tests.effort import examples
from tests.models.hand import finding, verdicts
from tests.models.strategies import tables
from tests.models.tables import ITEMS, Made, evidence
from tests.oracle import km_anonymity as oracle

STRATEGY = st.builds(KmAnonymity, column=st.just(ITEMS), k=st.integers(2, 4), m=st.integers(1, 4))
ORACLE = oracle.passes


def of_items(*classes: list[str | None], k: int = 2, m: int = 2) -> list[bool]:
    return verdicts(KmAnonymity(ITEMS, k=k, m=m), *classes, column=ITEMS)


def test_combinations_are_counted_in_the_whole_table() -> None:
    assert of_items(["cough|fever"], ["fever|cough"], ["cough"]) == [True, True, True]
    assert of_items(["cough|fever"], ["fever"], ["cough"]) == [False, True, True]
    assert of_items(["cough|fever"], ["fever"], ["cough"], m=1) == [True, True, True]


def test_a_class_exactly_at_the_threshold_passes() -> None:
    assert of_items(["ache", "ache", "ache"], k=3) == [True]
    assert of_items(["ache", "ache", "ache"], k=4) == [False]


def test_rows_without_items_have_no_combination() -> None:
    assert of_items([None, "ache"], [None]) == [False, True]
    none = finding(KmAnonymity(ITEMS, k=9, m=3), [None, None], column=ITEMS)
    assert none.holds and none.achieved == {"k": None, "items": "none released"}


def test_classes_without_items_do_not_change_the_achieved_k() -> None:
    model = KmAnonymity(ITEMS, k=2, m=1)
    none, some = finding(model, [None], column=ITEMS), finding(model, ["ache"] * 3, column=ITEMS)
    assert model.merged([none, some]) == some and model.merged([none, none]) == none


def test_m_may_exceed_every_set() -> None:
    assert of_items(["ache|cough"], ["ache|cough"], m=50) == [True, True]


def test_suppressed_rows_do_not_count() -> None:
    assert finding(KmAnonymity(ITEMS, k=2, m=1), ["ache"], suppressed=["ache"], column=ITEMS).achieved == {"k": 1}


@given(tables(persons=False), st.integers(1, 4))
@settings(max_examples=examples(100), deadline=None)
def test_the_achieved_k_is_the_largest_that_holds(made: Made, m: int) -> None:
    rows = [row for members in made.classes() for row in members]
    supports = [
        sum(set(each) <= oracle.items(row[ITEMS]) for row in rows)
        for row in rows
        for size in range(1, m + 1)
        for each in combinations(sorted(oracle.items(row[ITEMS])), size)
    ]
    achieved = KmAnonymity(ITEMS, k=2, m=m).holds(evidence(made)).achieved
    assert achieved == ({"k": min(supports)} if supports else {"k": None, "items": "none released"})


@given(st.data())
@settings(max_examples=examples(50), deadline=None)
def test_combinations_are_counted_in_parts(data: st.DataObject) -> None:
    made, model = data.draw(tables(persons=False)), data.draw(STRATEGY)
    whole = model.holds(evidence(made))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(km_anonymity, "_AT_ONCE", 2)
        assert model.holds(evidence(made)) == whole


def test_other_separators_are_read() -> None:
    rows = pl.DataFrame({CLASS: [0, 1], COUNT: [1, 1], ITEMS: ["a|b;c", "c"]})
    facts = {ITEMS: SensitiveFacts(quasi_sensitive(items=";"))}
    assert KmAnonymity(ITEMS, k=2, m=1).holds(Evidence(rows, facts)).failing == 1


@pytest.mark.parametrize("wrong", [{"k": 1}, {"k": 2.5}, {"m": 0}, {"m": "2"}, {"column": ""}])
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match=f"KmAnonymity {next(iter(wrong))} must be"):
        KmAnonymity(**{"column": ITEMS, "k": 2, "m": 2, **wrong})
