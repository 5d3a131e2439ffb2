"""Preparing: what of a table is used, what is left out, and what is published of it."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.engines.prepare import input_counts, prepare
from shoal.errors import CannotBeMet, PlanError, TableError

FRAME = pl.DataFrame(
    {
        "id": ["1", "2", "3", "4"],
        "age": ["30", "?", "41", "30"],
        "d": ["flu", "NA", "flu", " "],
        "note": ["007", "NA", None, "x"],
    }
)


def plan_for(**data: object) -> shoal.Plan:
    return shoal.Plan(
        columns={"id": shoal.identifier(), "age": shoal.quasi(), "d": shoal.sensitive(), "note": shoal.insensitive()},
        models=[shoal.KAnonymity(k=2), shoal.LDiversity("d", l=2)],
        data=shoal.Data(**data),  # type: ignore[arg-type]
    )


def test_identifiers_are_gone_and_the_rest_stands_as_it_came() -> None:
    found = prepare(FRAME, plan_for())
    assert found.published.columns == ["age", "d", "note"]
    assert found.published["note"].to_list() == ["007", "NA", None, "x"]
    assert found.published["d"].to_list() == ["flu", None, "flu", None]
    assert (found.rows_in, found.dropped) == (4, 0)


def test_rows_with_missing_values_are_left_out_on_request() -> None:
    found = prepare(FRAME, plan_for(missing_rows="drop"))
    assert found.frame["id"].to_list() == ["1", "3"]  # a missing note is no reason
    assert found.dropped == 2
    with pytest.raises(CannotBeMet, match="Every row has a missing value"):
        prepare(FRAME[1:2], plan_for(missing_rows="drop"))


def test_a_sensitive_value_has_one_text() -> None:
    column = shoal.sensitive(type="real")
    plan = plan_for().changed(columns=plan_for().columns | {"d": column})
    frame = FRAME.with_columns(pl.Series("d", ["1.0", "01", " 1", "-0"]))
    assert prepare(frame, plan).published["d"].to_list() == ["1", "1", "1", "0"]


def test_a_column_without_a_role_never_slips_through() -> None:
    frame = FRAME.with_columns(pl.lit("x").alias("zip"), pl.lit("x").alias("tel"))
    with pytest.raises(PlanError, match=r"Column 'tel' and 1 more of the table has no role"):
        prepare(frame, plan_for())
    assert "zip" not in prepare(frame, plan_for(unlisted="drop")).published.columns
    assert "zip" in prepare(frame, plan_for(unlisted="insensitive")).published.columns


def test_a_column_that_is_not_there_is_named_with_the_nearest() -> None:
    with pytest.raises(PlanError, match=r"Column 'age' is not in the table\. Hint: did you mean 'ages'\?"):
        prepare(FRAME.rename({"age": "ages"}), plan_for())
    with pytest.raises(PlanError, match="Column 'who' is not in the table"):
        prepare(FRAME, plan_for(person="who"))


def test_the_person_column_needs_no_role_and_is_not_published() -> None:
    frame = FRAME.with_columns(pl.Series("who", ["a", "a", "b", "c"]))
    plan = plan_for(person="who", unlisted="insensitive")
    found = prepare(frame, plan)
    assert "who" not in found.published.columns
    counts = input_counts(found, plan)["d"].sort("value")
    assert counts.rows() == [(None, 2), ("flu", 2)]


def test_every_row_needs_a_person() -> None:
    """Of rows whose person is unknown nobody can tell how many persons they are."""
    frame = FRAME.with_columns(pl.Series("who", ["a", "NA", "", None]))
    with pytest.raises(TableError, match="'who', which tells persons apart, is missing in 3 of 4 rows"):
        prepare(frame, plan_for(person="who"))
    assert prepare(frame, plan_for(person="who", missing_rows="drop")).frame["who"].to_list() == ["a"]


def test_the_input_is_counted_by_value() -> None:
    plan = plan_for()
    assert input_counts(prepare(FRAME, plan), plan)["d"].sort("value").rows() == [(None, 2), ("flu", 2)]


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(TableError, match="no rows"):
        prepare(FRAME[:0], plan_for())
