"""What attacks found, in words."""

from __future__ import annotations

from shoal.studio.pages.inspecting_columns import _attack, _known


def test_an_attack_is_compared_with_guessing_and_with_the_promise() -> None:
    found = {"kind": "linkage", "column": None, "success": 0.2, "baseline": 0.1, "bound": 0.25, "holds": True}
    assert _attack(found) == ("linkage", "", "20 %", "10 %", "at most 25 %", "within the promise")
    assert _attack({**found, "bound": None, "holds": True})[4:] == ("not bounded", "no model covers it")
    assert _attack({**found, "column": "ill", "measured": "Rows."})[:2] == ("linkage on ill", "Rows.")
    assert _attack({**found, "holds": False})[5] == "beyond the promise"


def test_what_intruders_know_is_said_once_for_each_attack() -> None:
    linkage = {"kind": "linkage", "knows": "All quasi-identifiers."}
    learned = {"kind": "learned", "knows": "All unchanged columns."}
    said = ["linkage: All quasi-identifiers.", "learned: All unchanged columns."]
    assert _known([linkage, linkage, learned, {"kind": "old"}]) == said
