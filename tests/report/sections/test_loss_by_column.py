"""Measures by column."""

from __future__ import annotations

from tests.report.manifests import manifest, report, table


def test_columns_have_a_bar_for_each_measure_that_covers_them() -> None:
    shown = table(manifest(), "columns")
    assert [column.name for column in shown.columns if column.bar] == ["NCP", "Precision"]
    assert shown.rows == (("age", 0.4, None, None), ("zip", 0.1, 0.5, "2"))
    assert [column.name for column in table(manifest(levels={}), "columns").columns][-1] == "Precision"


def test_what_columns_are_published_as_is_shown_where_it_is_known() -> None:
    shown = table(manifest(published_as={"age": "ranges"}), "columns")
    assert shown.columns[1].name == "Published as" and [row[1] for row in shown.rows] == ["ranges", None]


def test_a_release_without_quasi_identifiers_has_no_such_section() -> None:
    assert report({}).document.section("columns") is None
