"""A profile in a notebook: names are escaped, and no value is shown."""

from __future__ import annotations

import polars as pl

import shoal


def test_names_are_escaped_and_values_do_not_appear() -> None:
    frame = pl.DataFrame({"<b>age</b>": [31, 47, 52], "diagnosis": ["SECRET1", "SECRET2", "SECRET1"]})
    html = shoal.profile(frame)._repr_html_()
    assert "&lt;b&gt;age" in html and "<b>" not in html
    assert "SECRET" not in html


def test_wide_tables_are_cut_short() -> None:
    html = shoal.profile(pl.DataFrame({f"c{number}": [1, 2] for number in range(250)}))._repr_html_()
    assert html.count("<tr>") == 201 and "50 more columns" in html


def test_the_table_has_a_row_per_column() -> None:
    table = shoal.profile(pl.DataFrame({"age": [31, 47], "diagnosis": ["x", "y"]})).table
    assert table["name"].to_list() == ["age", "diagnosis"]
    assert table["role"].to_list() == ["quasi-identifier", "sensitive"]
    assert set(table["confidence"]) <= {"high", "medium", "low"}
