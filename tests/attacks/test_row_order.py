"""The order of the input discloses values; the order of a release does not."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.attacks import RowOrder, Target
from shoal.attacks.row_order import is_sorted
from tests.attacks.conftest import ALGORITHMS, attacked, patients, plan_of, quick, ward

PLAN = shoal.Plan(columns={"age": shoal.quasi(), "ill": shoal.sensitive()}, models=[shoal.KAnonymity(k=2)])
RAW = pl.DataFrame({"age": ["21", "35", "22", "36"], "ill": ["flu", "HIV", "cold", "cold"]})
IN_ORDER = pl.DataFrame({"age": ["[20, 29]", "[30, 39]", "[20, 29]", "[30, 39]"], "ill": RAW["ill"]})


def test_rows_in_the_order_of_the_input_disclose_everything() -> None:
    (outcome,) = RowOrder().attack(Target({"release": IN_ORDER}, PLAN, raw=RAW))
    assert (outcome.success, outcome.tried, outcome.baseline) == (1.0, 4, 0.5)
    (unchecked,) = RowOrder().attack(Target({"release": IN_ORDER}, PLAN))
    assert unchecked.success == 3 / 4  # flu before cold; but HIV and cold may be sorted, and then half is chance
    assert "Without the input" in unchecked.measured


@pytest.mark.parametrize("with_raw", [False, True])
def test_a_raw_table_discloses_no_more_by_its_order_than_by_its_rows(with_raw: bool) -> None:
    (outcome,) = RowOrder().attack(Target({"release": RAW}, PLAN, raw=RAW if with_raw else None))
    assert outcome.success == outcome.baseline == 1  # every row is a class of its own
    assert "the baseline is that of rows in random order" in outcome.measured


def test_classes_that_keep_the_order_of_the_input_are_found_as_well() -> None:
    grouped = IN_ORDER.sort("age", maintain_order=True)
    assert not is_sorted(grouped)
    assert RowOrder().attack(Target({"release": grouped}, PLAN, raw=RAW))[0].success == 1


def test_a_sorted_table_discloses_nothing_even_if_the_input_was_sorted_too() -> None:
    raw = RAW.sort("ill")
    (outcome,) = RowOrder().attack(Target({"release": IN_ORDER.sort("age", "ill")}, PLAN, raw=raw))
    assert outcome.success == outcome.baseline == 0.5 and "sorted" in outcome.measured


@pytest.mark.parametrize(
    ("cells", "sorted_"),
    [
        (["a", "b"], True),
        (["b", "a"], False),
        (["10", "9"], True),
        ([10, 9], True),
        ([9, 10], False),
        ([None, "a"], True),
    ],
)
def test_cells_are_compared_as_texts(cells: list[object], sorted_: bool) -> None:
    assert is_sorted(pl.DataFrame({"a": cells}, strict=False)) is sorted_


@given(frame=patients(), algorithm=ALGORITHMS, with_raw=st.booleans())
@quick
def test_releases_are_sorted(frame: pl.DataFrame, algorithm: object, with_raw: bool) -> None:
    target = attacked(frame, plan_of(shoal.KAnonymity(k=2), algorithm=algorithm), raw=frame if with_raw else None)
    for outcome in RowOrder().attack(target):
        assert outcome.success == pytest.approx(outcome.baseline)


def test_it_needs_a_sensitive_column() -> None:
    plan, frame = ward()
    bare = plan.changed(columns={**plan.columns, "ill": shoal.insensitive()})
    assert "no sensitive column" in RowOrder().applies(Target({"release": frame}, bare))
