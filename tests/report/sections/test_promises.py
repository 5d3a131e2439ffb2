"""Promises: what was required, what is achieved, and the margin between them."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal import models
from shoal.report.document import Text
from tests.report.manifests import cells, failing, manifest, report, section, table


def test_a_row_shows_what_was_required_defaults_included() -> None:
    line = cells(manifest(), "promises")[1]
    assert (line["Model"], line["Figure"], line["Required"], line["Achieved"]) == (
        "l-diversity of diagnosis",
        "l",
        "3",
        "3",
    )
    assert line["Other parameters"] == "variant = distinct" and line["Rows that it covers"] == "all rows"


def test_the_margin_is_how_far_a_figure_is_beyond_what_was_required() -> None:
    assert [row["Margin"] for row in cells(manifest(), "promises")] == ["1", "0"]
    assert [row["Margin"] for row in cells(failing(), "promises")] == ["1", "−1"]
    close = {"kind": "t-closeness", "column": "d", "t": 0.3, "achieved": {"t_released": 0.1, "t_input": 0.3}}
    lines = cells(manifest(models=[{**close, "holds": True}]), "promises")
    assert [(line["Figure"], line["Margin"]) for line in lines] == [("t released", "0.2"), ("t input", "–")]
    counted = {"kind": "p-sensitive", "p": 2, "k": 3, "achieved": {"values of mrs_90d": 3}, "holds": True}
    assert cells(manifest(models=[counted]), "promises")[0]["Figure"] == "values of mrs_90d"
    lkc = {"kind": "lkc", "l": 2, "k": 5, "c": 0.5, "column": "d", "holds": True}
    achieved = {"support": 7, "support_columns": "age, zip", "confidence": 0.4, "confidence_columns": ""}
    lines = cells(manifest(models=[{**lkc, "achieved": achieved}]), "promises")
    assert [(line["Required"], line["Margin"]) for line in lines] == [("5", "2"), ("0.5", "0.1")]
    assert lines[0]["Where it is worst"] == "age, zip"


def test_several_columns_and_unknown_figures() -> None:
    several = {"kind": "p-sensitive", "p": 2, "k": 3, "columns": ["a", "b"], "achieved": {"p": None}, "holds": True}
    (line,) = cells(manifest(models=[several]), "promises")
    assert (line["Model"], line["Achieved"], line["Margin"]) == ("p-sensitive of a, b", "–", "–")
    assert line["Other parameters"] == "k = 3"


def test_a_figure_without_a_bound_is_said_in_words() -> None:
    delta = {"kind": "delta-disclosure", "column": "d", "delta": 1.0, "achieved": {"delta": float("inf")}}
    assert cells(manifest(models=[{**delta, "holds": False}]), "promises")[0]["Achieved"] == "unbounded"


def test_a_model_of_another_version_is_shown() -> None:
    unknown = manifest(models=[{"kind": "omega", "w": 2, "achieved": {"w": 2}, "holds": True}])
    assert cells(unknown, "promises")[0]["Required"] == "2"
    assert report(unknown).document.section("meaning") is None


def test_numbers_stay_numbers() -> None:
    assert table(manifest(), "promises").rows[0][:7] == ("k-anonymity", True, "k", 5, 6, 1, 0)


@pytest.mark.parametrize("cls", [each for each in models.ALL if each.largest], ids=lambda each: each.kind)
def test_figures_that_are_better_if_lower_have_a_positive_margin_below(cls: type[models.ClassModel]) -> None:
    """A model that holds never has a margin below 0, whatever direction its figures have."""
    figure = cls.largest[0]
    parameter = {"confidence": "c"}.get(figure, figure.split("_")[0])
    given = {"kind": cls.kind, parameter: 0.5, "achieved": {figure: 0.25}, "holds": True}
    assert cells(manifest(models=[given]), "promises")[0]["Margin"] == "0.25"


def test_the_promises_of_a_release() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4] * 5, "ill": ["a", "b", "c", "a"] * 5})
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive()}
    asked = [shoal.KAnonymity(k=4), shoal.AlphaK("ill", alpha=0.9, k=2), shoal.TCloseness("ill", t=0.9)]
    release = shoal.anonymize(frame, shoal.Plan(columns=columns, models=asked))
    section = release.report.document.section("promises")
    assert section is not None
    margins = [row[5] for row in section.blocks[0].rows]  # type: ignore[union-attr]
    assert margins == [6, 0.4, 8, 0.65, None], "the distance to the input is not checked in public"


def _notes(given: dict[str, Any]) -> str:
    return " ".join(
        text for block in section(given, "promises").blocks if isinstance(block, Text) for text in block.paragraphs
    )


def test_a_figure_that_the_files_cannot_show_has_no_verdict() -> None:
    """A tick beside it would say that the report had checked it."""
    close = {"kind": "t-closeness", "column": "d", "t": 0.3, "holds": True}
    given = manifest(models=[{**close, "achieved": {"t_released": 0.1, "input_reference": "not checked"}}])
    assert [row["Verdict"] for row in cells(given, "promises")] == ["holds", "by the steward"]
    assert "the released files cannot show this figure" in _notes(given)
    page, text = report(given).page(), report(given).text()
    assert page.count("✓ holds") == 1 and "by the steward" in page and "by the steward" in text
    assert "rounded up" not in _notes(given), "no figure about the input is shown"


def test_only_figures_about_the_input_are_said_to_be_rounded() -> None:
    close = {"kind": "t-closeness", "column": "d", "t": 0.3, "holds": True}
    given = manifest(models=[{**close, "achieved": {"t_released": 0.1, "t_input": 0.3}}])
    assert "Figures about the input are rounded up" in _notes(given) and "by the steward" not in _notes(given)
    assert "rounded up" not in _notes(manifest())


def test_what_an_anatomy_does_not_promise_stands_beside_its_promises() -> None:
    assert "anyone who knows them finds the row" in _notes(manifest(form="anatomy"))
    assert "anyone who knows them" not in _notes(manifest())


def test_figures_that_count_rows_instead_of_persons_say_so() -> None:
    verdict = {"kind": "k-anonymity", "k": 5, "achieved": {"k": 42}, "holds": True, "checked": "in persons"}
    assert "These figures count released rows" in _notes(manifest(models=[verdict]))
    assert "count released rows" not in _notes(manifest())
