"""Items removed, as the steward's report shows them."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.manifest import Manifest
from shoal.report.document import Points
from shoal.report.items import LISTED
from shoal.report.summary import summary
from tests.report.manifests import HOSTILE, cells, manifest, report, section

REMOVED = {
    "symptoms": {
        "removed": 5,
        "of": 40,
        "published": 35,
        "rows": 4,
        "cost": 2.5,
        "whole": 10.0,
        "by_item": {"fever": 13, HOSTILE: 12, "rare": 4},
        "by_class_size": {"12": 4, "3": 1},
    }
}


def _lines(given: dict[str, Any]) -> list[tuple[str, str]]:
    """What was removed, and how often."""
    tables = [block for block in section(given, "items").blocks if not isinstance(block, Points)]
    return [(row["Item, or size of classes"], row["Removed"]) for row in cells(given, "items", 1)] if tables[1:] else []


def _sentences(given: dict[str, Any]) -> tuple[str, ...]:
    return next(block.sentences for block in section(given, "items").blocks if isinstance(block, Points))


def test_items_are_shown_with_the_rows_that_lost_them() -> None:
    given = manifest(items_removed=REMOVED)
    assert _lines(given) == [
        ("fever", "13 rows"),
        (HOSTILE, "12 rows"),
        ("… and 1 more item", "at most 4 rows each"),
        ("classes of 3 rows", "1 item"),
        ("classes of 12 rows", "4 items"),
    ]
    assert _sentences(given) == (
        "Of the 40 items of column 'symptoms' in released rows, 5 were removed, from 4 rows. The removal cost is 25 % "
        "of that of all items.",
    )
    shown_to_steward = report(manifest(items_removed=REMOVED))
    text, page = shown_to_steward.text(), shown_to_steward.page()
    assert "Items of set-valued columns" in text and "fever" in text
    assert "Items of set-valued columns" in page and HOSTILE not in page


def test_every_column_is_counted_before_and_after() -> None:
    drugs = {**REMOVED["symptoms"], "generalized": 1000, "published": 30, "cost": 0.0}
    given = manifest(items_removed={**REMOVED, HOSTILE: drugs})
    counted = (
        ("symptoms", "40", "5", "0", "35", "25 %"),
        (HOSTILE, "40", "5", "1,000", "30", "0 %"),
    )
    assert tuple(tuple(row.values()) for row in cells(given, "items")) == counted
    assert summary(Manifest.from_json(given)).items == counted
    page, text = report(given).page(), report(given).text()
    assert "1,000" in page and HOSTILE not in page and "symptoms" in text
    heads = text.splitlines()[text.splitlines().index("Items of set-valued columns") + 1]
    assert heads.split("  ")[1:2] == ["Column"] and "Item loss" in heads


def test_what_generalized_items_cost_is_explained() -> None:
    none, some = REMOVED["symptoms"], {**REMOVED["symptoms"], "generalized": 3}
    explained = "A generalized item costs the share of all leaves of its hierarchy that its label covers"
    assert any(explained in each for each in _sentences(manifest(items_removed={"s": some})))
    assert not any(explained in each for each in _sentences(manifest(items_removed={"s": none})))


def test_generalized_items_are_shown_too() -> None:
    generalized = {**REMOVED["symptoms"], "generalized": 3, "by_generalized": {"cough": 7, "rash": 1}}
    given = manifest(items_removed={"symptoms": generalized})
    assert _lines(given)[3:5] == [
        ("cough, generalized", "7 rows"),
        ("… and 1 more item, generalized", "at most 4 rows each"),
    ]
    assert "from 4 rows. 3 were generalized. The removal cost is 25 %" in _sentences(given)[0]
    alone = manifest(items_removed={"symptoms": {**generalized, "removed": 0, "rows": 0, "by_item": {}}})
    assert "in released rows, 0 were removed, from 0 rows. 3 were generalized." in _sentences(alone)[0]


def test_of_many_items_those_that_most_rows_lost_are_listed() -> None:
    many = {**REMOVED["symptoms"], "by_item": {f"item {n:02}": 9 + n for n in range(1, LISTED + 4)}}
    lines = _lines(manifest(items_removed={"s": many}))
    assert lines[0][0] == f"item {LISTED + 3}"
    assert lines[LISTED] == ("… and 3 more items", "at most 12 rows each")
    sizes = {**REMOVED["symptoms"], "by_item": {}, "by_class_size": {str(n): 2 for n in range(1, LISTED + 4)}}
    assert _lines(manifest(items_removed={"s": sizes}))[-1] == ("larger classes", "6 items")


def test_items_of_few_rows_are_never_named() -> None:
    few = {**REMOVED["symptoms"], "by_item": {"canary": 1, "other": 4}}
    given = manifest(items_removed={"s": few})
    assert _lines(given)[0] == ("2 items", "at most 4 rows each")
    assert "canary" not in report(given).page() and "canary" not in report(given).text()


def test_a_release_without_removed_items_says_so() -> None:
    none = {**REMOVED["symptoms"], "removed": 0, "rows": 0, "by_item": {}, "by_class_size": {}}
    given = manifest(items_removed={"s": none})
    assert _lines(given) == [] and _sentences(given)[0].startswith("No item was removed")
    assert "Items of set-valued" not in report(manifest()).text()


def removal(**changed: Any) -> dict[str, Any]:
    given = {"model": "qs-diversity", "column": "s", "classes": 3, "proven": 3, "cost": 4.5, "lower_bound": 4.5}
    return {**given, "whole": 20.0, "nodes": 5, "in_time": True, **changed}


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            {},
            "3 classes failed 'qs-diversity' of 's' before items were removed. The cost of 4.5 is proven to be the "
            "least.",
        ),
        (
            {"proven": 1, "lower_bound": 4.0},
            "3 classes failed 'qs-diversity' of 's' before items were removed. The cost of 4.5 is proven to be the "
            "least in 1 of them; no removal can cost less than 4 in total.",
        ),
        (
            {"proven": None, "lower_bound": 4.0},
            "3 classes failed 'qs-diversity' of 's' before items were removed. No removal can cost less than 4; this "
            "one costs 4.5.",
        ),
        (
            {"proven": None, "lower_bound": None, "classes": 1},
            "1 class failed 'qs-diversity' of 's' before items were removed.",
        ),
        ({"classes": 0, "proven": 0, "cost": 0.0}, "Every class satisfied 'qs-diversity' of 's' without a removal."),
    ],
)
def test_what_is_proven_is_said_and_nothing_else(changed: dict[str, Any], sentence: str) -> None:
    given = manifest(items_removed=REMOVED, item_removal=[removal(**changed)])
    assert _sentences(given)[1] == sentence


def test_item_loss_is_no_loss_of_a_quasi_identifier() -> None:
    measures = {**manifest()["measures"], "item_loss_by_column": {"symptoms": 0.25}}
    given = manifest(items_removed=REMOVED, measures=measures)
    assert [row["Quasi-identifier"] for row in cells(given, "columns")] == ["age", "zip"]
