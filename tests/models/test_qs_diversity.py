from __future__ import annotations

from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import PlanError, TableError
from shoal.models import QSDiversity
from shoal.models.evidence import CLASS, COUNT, Evidence, SensitiveFacts
from shoal.roles.columns import quasi_sensitive
from shoal.roles.knowledge import Knowledge
from tests.effort import examples
from tests.models.hand import finding, verdicts
from tests.models.strategies import RATIO, tables
from tests.models.tables import ITEMS, Made, stats
from tests.oracle import quasi_sensitive as oracle

STRATEGY = st.builds(QSDiversity, column=st.just(ITEMS), c=RATIO, l=st.integers(2, 6))
ORACLE = oracle.is_diverse


def of_items(*classes: list[str | None], c: float = 1, l: int = 2) -> list[bool]:
    return verdicts(QSDiversity(ITEMS, c=c, l=l), *classes, column=ITEMS)


def test_figure_1_of_the_paper() -> None:
    """With the two labels given, rows 1, 2 and 4 link to flu alone, row 3 to nothing."""
    knowledge = Knowledge.of(
        {"flu": ["cough", "fever", "headache", "sore throat"], "hepatitis": ["dark urine", "fever", "vomiting"]}
    )
    cells = ["cough|fever", "fever|headache", "cough|vomiting", "cough"]
    rows = pl.DataFrame({CLASS: range(4), COUNT: [1] * 4, ITEMS: cells})
    found = QSDiversity(ITEMS, c=1, l=2).holds(
        Evidence(rows, {ITEMS: SensitiveFacts(quasi_sensitive(), knowledge=knowledge)})
    )
    assert (found.failing, found.achieved) == (3, {"l": 1, "confidence": 1.0})


def test_a_class_exactly_at_the_threshold_passes() -> None:
    assert of_items(["cough"], ["cough|ache"], ["ache|cough|fever"]) == [True, True, False]
    assert of_items(["cough"], c=0.999) == [False]


def test_rows_without_items_link_to_every_label_and_unknown_items_to_none() -> None:
    assert of_items([None], ["zest"], ["zest", "rash"], l=6) == [True, True, False]
    assert of_items([None], l=6, c=0.5) == [False]


def test_a_class_that_links_to_nothing_passes_even_if_l_exceeds_the_labels() -> None:
    assert of_items(["zest"], ["ache|rash"], l=9) == [True, True]


def test_rows_that_link_to_nothing_count_and_add_nothing() -> None:
    assert finding(QSDiversity(ITEMS, c=1, l=2), ["rash", "zest"], column=ITEMS).achieved["confidence"] == 0.5


@given(tables(), RATIO)
@settings(max_examples=examples(150), deadline=None)
def test_the_achieved_l_is_the_largest_that_holds(made: Made, c: float) -> None:
    from tests.models.tables import evidence

    reached = QSDiversity(ITEMS, c=c, l=2).holds(evidence(made)).achieved["l"]
    assert isinstance(reached, int)
    for l in range(2, 8):
        holds = all(
            oracle.is_diverse(rows, made.rows, made.setting(), column=ITEMS, c=c, l=l) for rows in made.classes()
        )
        links = any(any(oracle.beliefs(rows, ITEMS, made.setting()).values()) for rows in made.classes())
        assert holds == (l <= reached or not links)


def test_a_label_that_covers_everything_does_not_hide_the_others() -> None:
    knowledge = Knowledge.of({"all": ["a", "b", "c"], **{f"d{n}": ["a"] for n in range(9)}})
    rows = pl.DataFrame({CLASS: [0, 1, 2], COUNT: [1, 1, 1], ITEMS: ["a", "b", ""]})
    facts = {ITEMS: SensitiveFacts(quasi_sensitive(), knowledge=knowledge)}
    assert QSDiversity(ITEMS, c=1, l=10).holds(Evidence(rows, facts)).failing == 1


def test_without_its_knowledge_table_nothing_can_be_verified() -> None:
    rows = pl.DataFrame({CLASS: [0], COUNT: [1], ITEMS: ["secret"]})
    with pytest.raises(TableError, match="cannot be verified without its knowledge table") as refused:
        QSDiversity(ITEMS, c=1, l=2).holds(Evidence(rows, {ITEMS: SensitiveFacts(quasi_sensitive())}))
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "wrong", [{"c": 0}, {"c": "1"}, {"l": 1}, {"l": 2.5}, {"column": ""}, {"budget": -1}, {"budget": float("nan")}]
)
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match=f"QSDiversity {next(iter(wrong))} must be"):
        QSDiversity(**{"column": ITEMS, "c": 1, "l": 2, **wrong})


def test_what_no_removal_can_reach_is_known_before() -> None:
    model = QSDiversity(ITEMS, c=1, l=7)
    assert "l may be at most 6" in model.impossible(6)
    assert model.impossible(7) == ""
    assert "No l holds" in QSDiversity(ITEMS, c=0.1, l=2).impossible(3)
    assert "has 1 label, which is too few" in model.impossible(1)


@given(tables(persons=False))
@settings(max_examples=examples(50), deadline=None)
def test_the_rule_of_the_removal_is_that_of_the_model(made: Made) -> None:
    model = QSDiversity(ITEMS, c=1, l=2)
    assert model.rule(lambda: pytest.fail("no reference is needed")).c == Fraction(1)
    assert model.passes(stats(made)).tolist() == [
        oracle.is_diverse(rows, made.rows, made.setting(), column=ITEMS, c=1, l=2) for rows in made.classes()
    ]
