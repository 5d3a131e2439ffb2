"""What a person sees of the risk: every figure, thresholds and attacks, no value of the table."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from tests.risks.attacked import Told, pretend
from tests.risks.tables import plan_of

SECRET = "Zyxwv"
PEOPLE = pl.DataFrame({"age<b>": ["30", "30", "41"], "city": [f"{SECRET} N", f"{SECRET} N", f"{SECRET} S"]})


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
    assert "1 row is unique (33.3 %)" in text
    assert "Compared by overlap with the 3 rows of the reference table: journalist, marketer, k map, presence." in text
    assert SECRET not in text


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
