"""What all models share: how findings merge, what is known of merged classes, which settings they refuse."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import pytest

from shoal.models import LKC, ClassModel, KAnonymity, Monotone
from shoal.models.base import Setting
from shoal.models.evidence import Finding

MODEL = KAnonymity(k=2)


def test_models_that_name_their_column_are_resolved_as_they_are() -> None:
    assert MODEL.resolved(("a", "b")) is MODEL


def test_a_model_that_leaves_out_a_verdict_cannot_be_made() -> None:
    @dataclass(frozen=True)
    class Silent(ClassModel):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Silent()  # type: ignore[abstract]


@dataclass(frozen=True)
class Figures(KAnonymity):
    """A model with figures of every sort."""

    k: int = field(default=2)

    largest: ClassVar[tuple[str, ...]] = ("widest",)
    summed: ClassVar[tuple[str, ...]] = ("decided",)


def test_of_every_figure_the_worst_counts() -> None:
    one = Finding(True, {"k": 3, "widest": 0.25, "decided": 4, "note": "not checked", "delta": 0.5})
    other = Finding(False, {"k": 1, "widest": 0.75, "decided": 2, "note": "not checked", "delta": None}, 2)
    worst = {"k": 1, "widest": 0.75, "decided": 6, "note": "not checked", "delta": None}
    assert Figures().merged([one, other]) == Finding(False, worst, 2)
    assert Figures().merged([other, one]) == Finding(False, worst, 2)
    assert Figures().merged([other, one, other]).failing == 4
    assert Figures().merged([one]) == one


def test_union_says_nothing_of_persons_and_upward_does() -> None:
    assert [claim.merges(persons=False) for claim in Monotone] == [True, True, False]
    assert [claim.merges(persons=True) for claim in Monotone] == [True, False, False]


FINE = Setting(
    algorithm="pais", judges_tables=True, form="generalized", generalizes=True, suppression=0.0, persons=False
)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (FINE, ""),
        (FINE._replace(form="anatomy", generalizes=False), "form 'anatomy' publishes exact ones"),
        (FINE._replace(algorithm="mondrian", judges_tables=False), ""),
        (FINE._replace(persons=True), ""),
        (FINE._replace(algorithm="mondrian", judges_tables=False, persons=True), "'mondrian' cannot enforce 'lkc'"),
        (FINE._replace(suppression=0.1), "cannot be combined with suppression"),
    ],
)
def test_a_model_of_whole_tables_says_what_it_cannot_be_kept_with(setting: Setting, said: str) -> None:
    refused = LKC(2, 2, 0.5, "ill").refuses(setting)
    assert said in refused
    assert bool(refused) is bool(said)
    assert MODEL.refuses(setting) == ""


def test_a_bound_on_individuals_only_is_kept_class_by_class_also_for_persons() -> None:
    by_class = FINE._replace(algorithm="mondrian", judges_tables=False, persons=True)
    assert LKC(2, 2, 1, "ill").refuses(by_class) == ""
    assert "counts persons" in LKC(2, 2, 0.5, "ill").refuses(by_class)
