from __future__ import annotations

import shoal
from shoal.regulation import measured
from tests.regulation.tables import FIGURES, PLAN

NONE = "The plan states no threshold."


def test_a_figure_is_shown_beside_the_threshold_of_the_plan() -> None:
    highest, average, marketer = measured.re_identification(FIGURES)
    assert highest.status == "exceeded" and "This exceeds the threshold of the plan, 9 %." in highest.result
    assert (
        average.status == ""
        and average.result == "the same probability is 50 % on average. The plan states no threshold."
    )
    assert marketer.status == "within" and marketer.details == {"measured": 0.25, "accepted": 0.25}


def test_what_was_not_measured_has_no_line() -> None:
    assert measured.re_identification({"rows": 3, "uniques": 0}) == ()


def test_unique_rows_are_a_share_of_all() -> None:
    line = measured.unique_rows(FIGURES)
    assert line.result.startswith("3 of 12 rows (25 %) are unique on the quasi-identifiers")
    assert measured.unique_rows({"rows": 0, "uniques": 0}).details["measured"] == 0
    assert "of 2 individuals" in measured.unique_rows({"rows": 2, "uniques": 1, "individuals": True}).result
    assert measured.unique_rows(FIGURES | {"thresholds": {"uniques": 0.1}}).status == "exceeded"


def test_attacks_on_values_and_on_identities_are_told_apart() -> None:
    (linkage,) = measured.attacks(FIGURES, on_values=False)
    (homogeneity,) = measured.attacks(FIGURES, on_values=True)
    assert linkage.status == "exceeded" and linkage.result.endswith("The attack beats this bound.")
    assert homogeneity.status == "" and "promise no bound" in homogeneity.result
    (none,) = measured.attacks({}, on_values=True)
    assert none.result == "none of this kind was run."


def test_a_baseline_is_named_as_the_attack_explains_it() -> None:
    learned = {"kind": "learned", "column": "diagnosis", "success": 0.9, "baseline": 0.8, "bound": None, "holds": True}
    explained = learned | {"measured": "The share of guessed rows; the baseline is that without the own class."}
    (line,) = measured.attacks({"attacks": [explained]}, on_values=True)
    assert line.result.startswith("success 90 %, baseline 80 %; ") and "guessing from" not in line.result
    assert line.result.endswith(explained["measured"])


def test_elimination_infers_values_of_several_columns() -> None:
    attack = {"kind": "elimination", "column": None, "success": 0.4, "baseline": 0.0, "bound": None, "holds": True}
    assert len(measured.attacks({"attacks": [attack]}, on_values=True)) == 1
    (none,) = measured.attacks({"attacks": [attack]}, on_values=False)
    assert none.result == "none of this kind was run."


def test_columns_without_a_model_are_named() -> None:
    assert measured.uncovered(PLAN).details == {"columns": ["diagnosis"]}
    covered = PLAN.changed(models=[shoal.LDiversity("diagnosis", l=2)])
    assert measured.uncovered(covered).status == ""


def test_models_and_thresholds_are_listed() -> None:
    assert measured.models(PLAN).result == "the plan promises k-anonymity."
    (line,) = measured.thresholds(FIGURES)
    assert line.result == "the plan states highest = 0.09, marketer = 0.25."
    (line,) = measured.thresholds({})
    assert line.result == "the plan states none."
    assert measured.columns("Sensitive columns", []).result == "none."
