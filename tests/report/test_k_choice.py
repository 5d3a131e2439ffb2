from __future__ import annotations

import json

from shoal.coded.record import ItemRemoval
from shoal.report.k_choice import CANNOT, PRIVATE, KChoice, TriedK


def removal(classes: int, proven: int | None, model: str = "qs-diversity", column: str = "ill") -> ItemRemoval:
    return ItemRemoval(model, column, classes, proven, 1.0, None, 2.0, 0, in_time=True)


def tried(k: int, ncp: float, item_loss: float, *removals: ItemRemoval, in_time: bool = True, **loss: float) -> TriedK:
    changed = removals[0].classes if removals else 0
    return TriedK(k, ncp, item_loss, loss or {"ill": item_loss}, 600 // k, 0, changed, removals, in_time=in_time)


MISSED = TriedK(2000, reason="Model 'k-anonymity' <k = 2000> fails.")
CHOICE = KChoice(
    rows=1200,
    planned=5,
    tried=(
        tried(1, 0.0, 0.4, removal(500, 400), in_time=False),
        tried(2, 0.2, 0.3, removal(90, 90)),
        tried(5, 0.15, 0.3, removal(20, 20)),
        MISSED,
    ),
)


def test_the_table() -> None:
    assert CHOICE.table() == [
        ("1", "0 %", "40 %", "600", "0", "500", "400 of 500", "out of time"),
        ("2", "20 %", "30 %", "300", "0", "90", "90 of 90", "k = 5 loses no more"),
        ("5", "15 %", "30 %", "120", "0", "20", "20 of 20", "k of the plan"),
        ("2000", "–", "–", "–", "–", "–", "–", CANNOT),
    ]
    assert CHOICE.head == ("k", "NCP", "item loss", "classes", "suppressed", "with item loss", "proven", "")


def test_several_columns_have_a_loss_of_their_own_and_what_is_never_proven_is_left_out() -> None:
    km = removal(7, None, "km-anonymity", "drugs")
    both = KChoice(1200, 2, (tried(2, 0.2, 0.3, removal(90, 80), km, ill=0.1, drugs=0.5), MISSED))
    losses = ("item loss", "of ill", "of drugs")
    assert both.head == ("k", "NCP", *losses, "classes", "suppressed", "with item loss", "proven", "")
    assert both.table()[0] == ("2", "20 %", "30 %", "10 %", "50 %", "300", "0", "90", "ill 80 of 90", "k of the plan")
    assert len(both.table()[1]) == len(both.head)
    second = removal(5, 4, column="signs")
    assert KChoice(1200, 2, (tried(2, 0.2, 0.3, removal(9, 9), second),)).table()[0][6] == "ill 9 of 9, signs 4 of 5"
    assert "proven" not in KChoice(1200, 2, (tried(2, 0.2, 0.3, km),)).head


def test_the_sentences() -> None:
    assert CHOICE.sentences() == [
        "1,200 rows, 4 values of k tried. The models can be met with 3 of them.",
        "k = 2000 cannot be met: Model 'k-anonymity' <k = 2000> fails.",
    ]


def test_a_k_that_does_not_matter_is_said() -> None:
    items = KChoice(1200, 2, (tried(1, 0.0, 0.3), tried(2, 0.2, 0.1 + 0.2), MISSED))
    assert "The item loss is the same with every k that can be met: k changes only the NCP." in items.sentences()
    both = KChoice(1200, 2, (tried(1, 0.2, 0.3), tried(2, 0.2, 0.3)))
    assert "Both losses are the same with every k that can be met." in both.sentences()
    assert len(KChoice(1200, 2, (tried(1, 0.2, 0.3), MISSED)).sentences()) == 2


def test_only_a_larger_k_surpasses_another() -> None:
    one, two, five, missed = CHOICE.tried
    assert CHOICE.surpassed(two) == five
    assert CHOICE.surpassed(one) is None and CHOICE.surpassed(five) is None and CHOICE.surpassed(missed) is None


def test_text_and_notebook() -> None:
    shown, html = str(CHOICE), CHOICE._repr_html_()
    assert PRIVATE in shown and PRIVATE in html
    assert shown.splitlines()[2].replace(" ", "") == "".join(CHOICE.head).replace(" ", "")
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
