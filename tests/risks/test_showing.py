"""What a person sees of the risk: every figure, thresholds and attacks, no value of the table."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.hierarchies import Icd10Cm
from shoal.risks import ALL, KMap
from tests.risks.attacked import Told, pretend
from tests.risks.tables import plan_of

SECRET = "Zyxwv"
PEOPLE = pl.DataFrame({"age<b>": ["30", "30", "41"], "city": [f"{SECRET} N", f"{SECRET} N", f"{SECRET} S"]})


ILL = pl.DataFrame({"age<b>": ["30", "30", "41"], "ill": ["C50.9", "C34.1", "J45.9"]})
PROTECTED = shoal.Plan(
    columns={"age<b>": shoal.quasi(), "ill": shoal.sensitive(Icd10Cm(), protected=("C00-D49",))},
    models=[shoal.KAnonymity(k=2)],
)


def shown(**given: float) -> shoal.Risk:
    plan = plan_of(["age<b>", "city"], risk=shoal.RiskSettings(**given))
    return shoal.risk(PEOPLE, plan, reference=PEOPLE, sampling_fraction=0.5)


def test_text_has_figures_attacks_columns_and_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, Told(bound=0.2), Told(kind="skewness", column="ill"))
    text = str(shown(highest=0.5, average=0.9))
    assert "prosecutor" in text and "EXCEEDED" in text and "accepted" in text
    assert "BEATEN" in text and "skewness" in text and "25 % to 75 %" in text
    assert "The risk is larger than accepted: 1 threshold is exceeded and 1 attack beats what the models" in text
    assert "linkage: the share of individuals who are found" in text
    assert "The intruder knows: the quasi-identifiers of an individual" in text
    assert "1 row is unique (33.3 %)" in text
    assert text.count("The risk is larger than accepted") == 1
    assert "Compared by overlap with the 3 rows of the reference table: journalist, marketer, k map, presence." in text
    assert SECRET not in text


def test_outcomes_of_one_attack_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, Told(case="2 items", column="ill"), Told(case="3 items", column="ill", success=0.6))
    text = str(shown())
    table = [line.split("  ") for line in text.splitlines() if line.startswith("linkage  ")]
    assert [line[:3] for line in table] == [["linkage", "2 items", "ill"], ["linkage", "3 items", "ill"]]
    assert "linkage (2 items, 3 items): the share of individuals who are found" in text


def test_the_verdict_comes_first_and_the_notes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, Told(bound=0.2))
    text = str(shown(highest=0.5))
    order = ("The risk is larger", "3 rows in 2 classes", "linkage", "prosecutor  ", "distinction", "Note: ")
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert text.startswith("The risk is larger than accepted: 1 threshold is exceeded and 1 attack beats")


def test_the_first_lines_say_what_the_main_figures_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch)
    table = PEOPLE.head(2)
    plan = plan_of(["age<b>", "city"])
    head = str(shoal.risk(table, plan, reference=pl.concat([table] * 4))).split("\n\n")[0]
    assert "Whoever knows that an individual is in the table finds its row with a probability of up to 50 %" in head
    assert (
        "Whoever looks a row up in the reference table names its individual with a probability of up to 12.5 % "
        "(journalist risk), which is lower because more individuals match a row there." in head
    )


def test_every_measure_is_explained_in_a_line() -> None:
    text = str(shown()) + str(shoal.risk(ILL, PROTECTED, attacks=False))
    for measure in ALL:
        assert f"{measure.name.replace('_', ' ')}: {measure.about}." in text
    without = str(shoal.risk(PEOPLE, plan_of(["city"]), attacks=False))
    assert KMap.about not in without


def test_a_table_that_breaks_its_models_is_not_judged_by_thresholds_that_nobody_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pretend(monkeypatch, Told(bound=0.2))
    text = str(shown())
    assert "The table does not satisfy the models yet: 1 attack beats what they promise." in text
    assert "larger than accepted" not in text


def test_a_verdict_says_that_a_threshold_was_not_checked() -> None:
    plan = plan_of(["city"], risk=shoal.RiskSettings(highest=1.0, k_map=2))
    text = str(shoal.risk(PEOPLE, plan, attacks=False))
    assert text.startswith("No threshold of the plan is exceeded, but 1 threshold could not be checked.")


def test_sets_that_make_rows_unique_may_overlap() -> None:
    table = pl.DataFrame({"a": ["1", "2", "3"], "b": ["x", "y", "z"]})
    text = str(shoal.risk(table, plan_of(["a", "b"]), attacks=False))
    assert "3 rows are unique on 'a', and on no part of this set." in text
    assert "3 rows are unique on 'b', and on no part of this set." in text
    assert "A row can be unique on several sets of columns" in text and "first unique" not in text
    assert "SUDA scores with it" in text and "share of SUDA scores" not in text
    one = pl.DataFrame({"a": ["1", "2", "2"]})
    assert "1 row is unique on 'a'" in str(shoal.risk(one, plan_of(["a"]), attacks=False))


def test_accepted_risk_and_nothing_to_judge_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch)
    assert "nothing was judged" in str(shown())
    assert "No threshold of the plan is exceeded." in str(shown(highest=1.0))
    pretend(monkeypatch, Told(bound=0.9))
    text = str(shown())
    assert "The plan states no threshold, and no attack beats what the models promise." in text
    assert "No threshold of the plan is exceeded" not in text


def test_a_threshold_that_cannot_be_checked_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch)
    found = shoal.risk(PEOPLE, plan_of(["city"], risk=shoal.RiskSettings(k_map=2)))
    assert "Not checked: the threshold 'k_map'" in str(found)


def test_html_escapes_names(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, Told())
    html = shown()._repr_html_()
    assert "age&lt;b&gt;" in html and "<b>" not in html and SECRET not in html
    assert "linkage" in html


def test_what_classes_disclose_is_said_first_and_listed_by_level_and_node() -> None:
    found = shoal.risk(ILL, PROTECTED, attacks=False)
    text, html = str(found), found._repr_html_()
    assert "1 class (2 rows) discloses C00-D49 (Neoplasms) in column 'ill'." in text.split("\n\n")[0]
    assert "2 classes (3 rows) disclose a chapter of column 'ill'." in text.split("\n\n")[0]
    for shown_text in (text, html):
        assert all(header in shown_text for header in ("classes below p", "protected node"))
        assert "3 (chapter)" in shown_text and "strong ancestors" in shown_text and "2 (default)" in shown_text
        assert "C50" not in shown_text and "A class discloses a node if" in shown_text
    assert "A class discloses a node" not in str(shown())
