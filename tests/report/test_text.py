"""The report in plain lines."""

from __future__ import annotations

from shoal.measures import ALL as MEASURES
from tests.report.manifests import failing, manifest, report


def test_the_verdict_comes_first_and_every_section_follows() -> None:
    lines = report(manifest()).text().splitlines()
    assert lines[0] == "Every promise holds"
    titles = [
        "1 risk that no model covers",
        "Models",
        "Rows and classes",
        "Measures",
        "Columns",
        "Notes",
        "Timings",
        "Verify",
    ]
    assert [line for line in lines if line in titles] == titles


def test_models_stand_in_columns() -> None:
    text = report(manifest()).text()
    assert "  holds  k-anonymity               required k = 5                      achieved k = 6\n" in text
    assert "  holds  l-diversity of diagnosis  required l = 3, variant = distinct  achieved l = 3\n" in text
    assert "FAILS in 7" in report(failing()).text()


def test_bars_show_shares() -> None:
    text = report(manifest()).text()
    assert "age  " + "█" * 8 + "░" * 12 + " 0.400  –" in text
    assert "zip  " + "█" * 2 + "░" * 18 + " 0.100  " + "█" * 10 + "░" * 10 + " 0.500  2" in text


def test_sentences_are_wrapped() -> None:
    text = report(manifest(warnings=["word " * 60], notes=["note " * 60])).text()
    assert max(len(line) for line in text.splitlines()) <= 100
    assert "  ! word" in text and "  - note" in text


def test_nothing_to_say_is_left_out() -> None:
    text = report({}).text()
    assert "Models" not in text and "that no model covers" not in text and "Columns" not in text


def test_what_a_measure_is_goes_on_below_where_the_line_would_be_too_long() -> None:
    measures = {"ncp": 0.25, "discernibility": 10**24, "discernibility_ratio": 0.5}
    text = report(manifest(measures=measures)).text()
    assert max(len(line) for line in text.splitlines()) <= 100
    section = text.partition("\nMeasures\n")[2].partition("\n\n")[0]
    told = " ".join(section.split())
    for cls in (measure for measure in MEASURES if measure.name in measures):
        assert f"{cls.about}; {cls.goal} is better" in told
