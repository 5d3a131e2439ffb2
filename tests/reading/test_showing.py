"""A release in a notebook: its columns with roles and types, escaped, and no value."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import shoal

FRAME = pl.DataFrame(
    {
        "<b>age": [30, 31, 52, 53, None, None],
        "ill": ["SECRET1", "SECRET2"] * 3,
    }
)


@pytest.mark.parametrize("form", ["generalized", "anatomy"])
def test_columns_are_listed_and_values_do_not_appear(tmp_path: Path, form: str) -> None:
    columns = {"<b>age": shoal.quasi(), "ill": shoal.sensitive()}
    release = shoal.ReleaseSettings(form=form)
    plan = shoal.Plan(columns=columns, models=[shoal.LDiversity("ill", l=2)], release=release)
    shoal.anonymize(FRAME, plan).save(tmp_path / "out")
    html = shoal.read_release(tmp_path / "out")._repr_html_()
    assert "Release of 6 rows of 6 in" in html and "l-diversity" in html and "holds" in html
    assert "&lt;b&gt;age" in html and "<b>" not in html and "SECRET" not in html
    assert "quasi-identifier" in html and "sensitive" in html
    assert html.count("Table ") == (1 if form == "generalized" else 2)


def test_wide_tables_are_cut_short(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [30, 31], **{f"c{number}": [1, 2] for number in range(250)}})
    columns = {"age": shoal.quasi(), **{f"c{number}": shoal.insensitive() for number in range(250)}}
    shoal.anonymize(frame, shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)])).save(tmp_path / "out")
    html = shoal.read_release(tmp_path / "out")._repr_html_()
    assert "c199" not in html and "more columns" in html
