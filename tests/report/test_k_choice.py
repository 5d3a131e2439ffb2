from __future__ import annotations

import json

from shoal.report.k_choice import CANNOT, HEAD, PRIVATE, KChoice, TriedK

CHOICE = KChoice(
    rows=1200,
    planned=5,
    tried=(
        TriedK(1, 0.0, 0.4, 600, 0, 500, 400, in_time=False),
        TriedK(2, 0.2, 0.3, 300, 4, 90, 90, in_time=True),
        TriedK(5, 0.15, 0.3, 100, 0, 20, 20, in_time=True),
        TriedK(2000, reason="Model 'k-anonymity' <k = 2000> fails."),
    ),
)


def test_the_table() -> None:
    assert CHOICE.table() == [
        ("1", "0 %", "40 %", "600", "0", "500", "400", "out of time"),
        ("2", "20 %", "30 %", "300", "4", "90", "90", "k = 5 loses no more"),
        ("5", "15 %", "30 %", "100", "0", "20", "20", "k of the plan"),
        ("2000", "–", "–", "–", "–", "–", "–", CANNOT),
    ]
    assert all(len(row) == len(HEAD) for row in CHOICE.table())


def test_the_sentences() -> None:
    assert CHOICE.sentences() == [
        "1,200 rows, 4 values of k tried. The models can be met with 3 of them.",
        "k = 2000 cannot be met: Model 'k-anonymity' <k = 2000> fails.",
    ]


def test_only_a_larger_k_surpasses_another() -> None:
    one, two, five, missed = CHOICE.tried
    assert CHOICE.surpassed(two) == five
    assert CHOICE.surpassed(one) is None and CHOICE.surpassed(five) is None and CHOICE.surpassed(missed) is None


def test_text_and_notebook() -> None:
    shown, html = str(CHOICE), CHOICE._repr_html_()
    assert PRIVATE in shown and PRIVATE in html
    assert shown.splitlines()[2].replace(" ", "") == "".join(HEAD).replace(" ", "")
    assert "<k = 2000>" not in html and "&lt;k = 2000&gt;" in html and "<svg" in html


def test_json() -> None:
    found = json.loads(json.dumps(CHOICE.to_json()))
    assert (found["rows"], found["planned"]) == (1200, 5)
    assert [each["k"] for each in found["tried"]] == [1, 2, 5, 2000]
    assert found["tried"][1]["surpassed_by"] == 5 and found["tried"][1]["ncp"] == 0.2
    assert found["tried"][3]["met"] is False and found["tried"][3]["item_loss"] is None


def test_the_drawing_has_the_k_that_are_met_and_names_the_others() -> None:
    drawing = CHOICE.svg()
    assert drawing.count("<circle") == 3 * 3 and drawing.count(" planned") == 3
    assert "not met" in drawing and ">2000<" in drawing
