"""The view: every fact of a manifest in words, and nothing where there is none."""

from __future__ import annotations

import pytest

from shoal import measures, models
from shoal.report.view import Bar
from tests.report.manifests import failing, manifest, view


def test_verdicts() -> None:
    assert view(manifest()).holds and view(manifest()).verdict == "Every promise holds"
    broken = failing()
    assert not view(broken).holds and view(broken).verdict == "A promise does not hold"
    assert view(manifest(serious_warnings=1)).verdict == "Every promise holds, but 1 serious warning stands"
    assert view(manifest(serious_warnings=2)).serious and not view(manifest()).serious
    broken["models"][0]["holds"] = False
    assert view(broken).verdict == "2 promises do not hold"


def test_what_was_not_verified_does_not_hold() -> None:
    found = view({})
    assert not found.holds and found.verdict == "No promise has been verified"
    assert "Do not publish" in found.checked
    assert not (found.models or found.measures or found.warnings or found.notes or found.made or found.timings)


@pytest.mark.parametrize("cls", models.ALL, ids=lambda cls: cls.kind)
def test_every_model_is_explained_once(cls: type[models.ClassModel]) -> None:
    model = {"kind": cls.kind, "achieved": {}, "holds": True}
    (explanation,) = view(manifest(models=[model, model])).explanations
    assert (explanation.promise, explanation.not_protected) == (cls.about.promise, cls.about.not_protected)


def test_a_model_line_shows_what_was_asked_defaults_included() -> None:
    line = view(manifest()).models[1]
    assert (line.kind, line.column, line.asked, line.achieved) == (
        "l-diversity",
        "diagnosis",
        "l = 3, variant = distinct",
        "l = 3",
    )
    several = {"kind": "p-sensitive", "p": 2, "k": 3, "columns": ["a", "b"], "achieved": {"p": None}, "holds": True}
    line = view(manifest(models=[several])).models[0]
    assert (line.column, line.asked, line.achieved, line.failing) == ("a, b", "p = 2, k = 3", "p = –", "0")


def test_a_model_of_another_version_is_shown_without_explanation() -> None:
    found = view(manifest(models=[{"kind": "omega", "w": 2, "achieved": {"w": 2}, "holds": True}]))
    assert found.holds and found.models[0].asked == "w = 2" and found.explanations == ()


def test_every_measure_has_its_line_and_meaning() -> None:
    lines = {line.label: line for line in view(manifest()).measures}
    assert {cls.about for cls in measures.ALL} <= {line.about for line in lines.values()}
    assert lines["NCP"].figure == "0.25" and lines["NCP"].goal == "lower"
    assert lines["Discernibility ratio"].figure == "0.00104"
    assert lines["Average class size"].figure == "12"
    without = view(manifest(measures={"ncp": 0.5, "precision": None}))
    assert [line.label for line in without.measures] == ["NCP"]


def test_columns_have_a_bar_for_each_measure_that_covers_them() -> None:
    table = view(manifest()).columns
    assert [measure.label for measure in table.measures] == ["NCP", "Precision"]
    assert [(line.name, [bar.figure for bar in line.bars], line.level) for line in table.lines] == [
        ("age", ["0.400", "–"], "–"),
        ("zip", ["0.100", "0.500"], "2"),
    ]
    assert not view(manifest(levels={})).columns.has_levels


def test_the_effect_of_missing_values_is_a_note() -> None:
    missing = {"columns": ["sex"], "share_of_rows": 0.074}
    hidden = view(manifest(missing=missing)).notes[-1]
    lack = "7.4 % of the rows lack the value of a quasi-identifier ('sex')."
    assert hidden.endswith(f"{lack} No class shows a missing value.")
    missing |= {"smallest_class_showing_missing": 5, "smallest_other_class": 6}
    assert (
        "shows a missing value has 5 members; the smallest other class has 6."
        in view(manifest(missing=missing)).notes[-1]
    )


def test_how_it_was_made() -> None:
    made = dict(view(manifest(proven_optimal=False, lower_bound=0.125)).made)
    assert made == {
        "Algorithm": "mondrian",
        "Form": "generalized",
        "Proven optimal": "no",
        "Lower bound": "0.125",
        "Shoal": "9.8.7",
    }


def test_rows_that_were_left_out_are_told_by_reason() -> None:
    figures = {name: (figure, remark) for name, figure, remark in view(manifest(rows_dropped=120)).figures}
    assert figures["Rows suppressed"] == ("600", "5 % of all rows, 480 by the search and 120 for missing values")
    figures = {name: (figure, remark) for name, figure, remark in view(manifest()).figures}
    assert figures["Rows suppressed"] == ("600", "5 % of all rows")


def test_persons_are_told_where_the_plan_counts_them() -> None:
    found = view(manifest(persons_in=900, persons_released=880))
    assert ("Persons released", "880", "of 900; classes count persons, not rows") in found.figures
    assert not any(name.startswith("Persons") for name, _, _ in view(manifest()).figures)


def test_classes_of_one_row_are_singular() -> None:
    single = view(manifest(rows_released=9, classes=9))
    assert ("Classes", "9", "1 row on average") in single.figures


def test_a_table_without_released_rows_is_no_reason_to_stumble() -> None:
    found = view({"rows_in": 0, "rows_released": 0, "rows_suppressed": 0, "classes": 0})
    assert [figure for _, figure, _ in found.figures] == ["0", "0", "0"]


def test_bars_stay_within_their_track() -> None:
    assert [Bar(share).width for share in (None, -0.1, 0.256, 1.5)] == ["0.0%", "0.0%", "25.6%", "100.0%"]
