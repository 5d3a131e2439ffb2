"""Judging classes of units: every model is asked, and classes that look alike are seen as one."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.models import KAnonymity, LDiversity
from shoal.models.base import Monotone
from shoal.search.clusters import classes_of, units_of
from shoal.search.judging import Judge
from tests.algorithms.test_k_member import coded_of

ROWS = [("1", "10", "a"), ("1", "10", "b"), ("2", "10", "a"), ("9", "20", "a"), ("9", "20", "a")]


def judge_of(*models: KAnonymity | LDiversity) -> Judge:
    coded = coded_of(ROWS)
    return Judge(coded, models, units_of(coded, models))


def test_a_class_passes_if_every_model_does() -> None:
    judge = judge_of(KAnonymity(k=2), LDiversity("d", l=2))
    assert judge.floor == 2
    number = np.array([0, 0, 1, 1])
    classes = classes_of(np.arange(4), judge.units.size, number, np.zeros(4, np.int64))
    assert judge.passing(classes).tolist() == [True, False]
    assert judge.lost(classes)[0] == 0 < judge.lost(classes)[1]


def test_classes_that_look_alike_are_asked_about_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = judge_of(KAnonymity(k=2))
    classes = classes_of(np.arange(4), judge.units.size, np.arange(4), np.zeros(4, np.int64))
    assert judge.failing_alike(classes) == [], "nobody asks: two classes that pass always pass as one"
    monkeypatch.setattr(KAnonymity, "monotone", Monotone.NONE)
    monkeypatch.setattr(KAnonymity, "passes", lambda _model, stats: stats.sizes < 2)
    assert judge.failing_alike(classes) == [(0, 1)], "they look alike, and are two rows"
