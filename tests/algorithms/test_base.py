"""What algorithms that infer feasibility upwards can take."""

from __future__ import annotations

import pytest

from shoal.algorithms.base import needs_pruning
from shoal.models import ALL, AlphaK, BetaLikeness, ClassModel, KAnonymity, Monotone, TCloseness

UPWARD, UNION = KAnonymity(k=2), TCloseness("ill", t=0.2)


class Fickle(BetaLikeness):
    """A model that may break whenever classes are merged."""

    @property
    def monotone(self) -> Monotone:
        return Monotone.NONE


NONE = Fickle("ill", beta=1)


def test_the_three_kinds_are_tried() -> None:
    assert [model.monotone for model in (UPWARD, UNION, NONE)] == [Monotone.UPWARD, Monotone.UNION, Monotone.NONE]
    assert Fickle.kind in {model.kind for model in ALL}


@pytest.mark.parametrize("suppression", [0.0, 0.1])
@pytest.mark.parametrize("persons", [False, True])
def test_what_stays_true_with_anything_is_always_taken(suppression: float, persons: bool) -> None:
    assert needs_pruning("samarati", [UPWARD], suppression, persons) == ""
    assert needs_pruning("samarati", [], suppression, persons) == ""


@pytest.mark.parametrize(
    ("model", "suppression", "persons", "why", "without_suppression"),
    [
        (UNION, 0.1, False, "with suppression", True),
        (UNION, 0.0, True, "with a person column", False),
        (UNION, 0.1, True, "with a person column", False),
        (NONE, 0.0, False, "", False),
        (NONE, 0.1, True, "", False),
    ],
)
def test_a_refusal_says_why_and_what_would_help(
    model: ClassModel, suppression: float, persons: bool, why: str, without_suppression: bool
) -> None:
    said = needs_pruning("samarati", [UPWARD, model], suppression, persons)
    assert "'samarati'" in said and f"'{model.kind}'" in said and "use 'optimal'" in said
    assert why in said and ("with" in said.split("needs")[0]) is bool(why)
    assert ("suppression = 0" in said) is without_suppression


def test_merged_passing_classes_are_enough_without_suppression() -> None:
    assert needs_pruning("samarati", [UNION, AlphaK("ill", alpha=0.5, k=2)], 0.0, False) == ""
