from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.table.formulas import are_formulas, escaped, unescaped


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-x", "@A1", "\tx", "\rx", "'=1", "-5-3", "+1 000", "=\n1"])
def test_what_a_spreadsheet_would_run(text: str) -> None:
    assert are_formulas(pl.Series([text])).to_list() == [True]


@pytest.mark.parametrize(
    "text", ["-5", "+5", "-1,234.5", "-.5", "+2e-3", "-5%", "-", "=", "", "a=1", " =1", "'a", None]
)
def test_what_it_would_not(text: str | None) -> None:
    assert are_formulas(pl.Series([text], dtype=pl.String)).to_list() == [False]


def test_columns_of_other_types_are_left_alone() -> None:
    frame = pl.DataFrame({"n": [-1, 2], "kind": pl.Series(["-x", "y"], dtype=pl.Categorical), "text": ["a", None]})
    found = escaped(frame)
    assert found["n"].equals(frame["n"]) and found["kind"].to_list() == ["'-x", "y"]
    assert found["text"].equals(frame["text"])


@given(st.lists(st.text(alphabet="'=+-@\t\r5.ax\n") | st.none(), min_size=1))
def test_unescaping_is_the_inverse_and_nothing_is_left_to_run(texts: list[str | None]) -> None:
    frame = pl.DataFrame(
        {"text": texts, "kind": pl.Series(texts, dtype=pl.Categorical)}, schema_overrides={"text": pl.String}
    )
    made = escaped(frame)
    assert unescaped(made)["text"].to_list() == texts and unescaped(made)["kind"].cast(pl.String).to_list() == texts
    runs = are_formulas(made["text"]) & ~made["text"].str.starts_with("'").fill_null(False)
    assert not runs.any()
