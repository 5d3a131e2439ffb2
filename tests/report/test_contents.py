"""The verdict of a report, and which sections it has."""

from __future__ import annotations

from shoal.report.sections import ALL
from tests.report.manifests import failing, manifest, report


def test_verdicts() -> None:
    assert (report(manifest()).document.verdict, report(manifest()).document.tone) == ("Every promise holds", "good")
    broken = failing()
    assert (report(broken).document.verdict, report(broken).document.tone) == ("A promise does not hold", "bad")
    serious = report(manifest(serious_warnings=1)).document
    assert (serious.verdict, serious.tone) == ("Every promise holds, but 1 serious warning stands", "care")
    broken["models"][0]["holds"] = False
    assert report(broken).document.verdict == "2 promises do not hold"


def test_an_exceeded_threshold_is_no_good_news() -> None:
    exceeded = {"exceeded": {"highest": {"accepted": 0.1, "measured": 0.2}}}
    found = report(manifest(risk=exceeded)).document
    assert (found.verdict, found.tone) == ("Every promise holds, but 1 threshold of the plan is exceeded", "care")


def test_what_was_not_verified_does_not_hold() -> None:
    found = report({}).document
    assert found.tone == "bad" and found.verdict == "No promise has been verified"
    assert "Do not publish" in found.lead
    assert [section.key for section in found.sections] == ["rows", "unprotected", "verify"]


def test_sections_keep_their_order() -> None:
    keys = [section.key for section in report(manifest()).document.sections]
    assert keys == [each.key for each in ALL if each.key in keys] and len(keys) > 8
