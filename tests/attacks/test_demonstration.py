"""What every model does not protect: its weak table satisfies it, and an attack on that table succeeds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shoal.attacks import ALL as ATTACKS
from shoal.attacks.demonstration import demonstrated
from shoal.models import ALL, ClassModel, KAnonymity


@pytest.mark.parametrize("model", ALL, ids=lambda model: model.kind)
def test_the_weak_table_satisfies_its_model_and_the_attack_beats_guessing(model: type[ClassModel]) -> None:
    shown = demonstrated(model)
    assert shown is not None, f"{model.__name__}.about has no weak table"
    assert shown.verdict.kind == model.kind and shown.verdict.holds
    assert shown.outcome.success > shown.outcome.baseline
    assert shown.outcome.holds  # what the model does promise is kept
    assert shown.table.height <= 12


@pytest.mark.parametrize("model", ALL, ids=lambda model: model.kind)
def test_no_model_is_shown_by_the_attack_that_it_prevents(model: type[ClassModel]) -> None:
    """Unless the intruder knows more than the model promises anything about."""
    weak, shown = model.about.weak, demonstrated(model)
    assert weak is not None and shown is not None
    prevents = weak.attack in {attack.kind for attack in ATTACKS if attack.against == model.kind}
    assert not prevents or (weak.attack == "known-items" and shown.outcome.bound is None)


def test_a_table_that_does_not_satisfy_the_model_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = KAnonymity.about.weak
    assert weak is not None
    monkeypatch.setattr(KAnonymity, "about", replace(KAnonymity.about, weak=replace(weak, parameters={"k": 4})))
    shown = demonstrated(KAnonymity)
    assert shown is not None and not shown.verdict.holds


def test_the_result_is_said_and_listed() -> None:
    shown = demonstrated(KAnonymity)
    assert shown is not None
    attack, knows, shows = shown.sentences()
    assert attack.startswith("Attack 'homogeneity' on 'diagnosis': success 50 %, baseline 0 %.")
    assert knows.startswith("The intruder knows: ") and shows == shown.shows
    assert shown.to_json()["columns"] == ["age", "zip", "diagnosis"]


def test_a_model_without_a_weak_table_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KAnonymity, "about", replace(KAnonymity.about, weak=None))
    assert demonstrated(KAnonymity) is None
