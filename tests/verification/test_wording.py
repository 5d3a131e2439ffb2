"""Verdicts in words: the same in a terminal and in a notebook, escaped, and never more than was checked."""

from __future__ import annotations

import polars as pl

from shoal.models.evidence import Verdict
from shoal.verification.verdicts import Verification
from shoal.verification.wording import as_html, conclusion, model_row

SIZES = pl.Series([5, 3])
HOLDS = Verdict("k-anonymity", {"k": 3}, True, {"k": 3})
BROKEN = Verdict("l-diversity", {"column": "<b>ill", "l": 2}, False, {"l": 1}, failing=1)
UNCHECKED = Verdict("t-closeness", {"column": "ill", "t": 0.2}, True, {"t": 0.1, "t_input": "not checked"})


def test_a_model_is_a_row_with_its_outcome() -> None:
    assert model_row(HOLDS) == ("k-anonymity", "", "k = 3", "k = 3", "holds")
    assert model_row(BROKEN) == ("l-diversity", "<b>ill", "l = 2", "l = 1", "DOES NOT HOLD in 1 class")


def test_a_valid_release_in_a_notebook() -> None:
    found = Verification((HOLDS, UNCHECKED), 8, SIZES, notes=("Rows were counted.",))
    assert conclusion(found) == "The release is valid. 8 rows in 2 classes."
    html = as_html(found)
    assert html == found._repr_html_()
    assert conclusion(found) in html and "Note: Rows were counted." in html and "<ul>" not in html
    assert "Not checked: t input of &#x27;t-closeness&#x27; for &#x27;ill&#x27;." in html


def test_a_release_that_is_not_valid_in_a_notebook() -> None:
    found = Verification((HOLDS, BROKEN), 8, SIZES, problems=("The file 'a<b>' was changed.",))
    html = as_html(found)
    assert "NOT VALID" in html and "DOES NOT HOLD in 1 class" in html
    assert "a&lt;b&gt;" in html and "&lt;b&gt;ill" in html and "<b>" not in html


def test_without_verdicts_there_is_no_table() -> None:
    html = as_html(Verification((), 0, pl.Series(dtype=pl.UInt32), problems=("The manifest is missing.",)))
    assert "<table" not in html and "The manifest is missing." in html
