from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.coded.coding import coded_sets
from shoal.coded.counted import Coded
from shoal.coded.partition import Partition
from shoal.coded.recoding import Exact
from shoal.errors import CannotBeMet
from shoal.items.removal import Removal, improved
from shoal.models import QSCloseness, QSDiversity
from shoal.progress import silent
from shoal.roles.knowledge import Knowledge
from shoal.search import removing
from shoal.search.removing import without_items
from tests.effort import examples
from tests.models.tables import KNOWLEDGE, SETS

KNOWN = Knowledge.of(KNOWLEDGE)
CELLS = st.lists(st.sampled_from([text or "" for text in SETS]), min_size=1, max_size=14)


def made(cells: Sequence[str], classes: int = 2, knowledge: Knowledge = KNOWN) -> tuple[Coded, Partition]:
    coded = coded_sets({"s": cells}, knowledge)
    class_of = np.arange(len(cells)) % classes
    return coded, Partition.of_rows(class_of, min(classes, len(cells)), coded.counted.weight, Exact())


@given(CELLS, st.integers(1, 4), st.integers(2, 5))
@settings(max_examples=examples(80), deadline=None)
def test_every_class_is_diverse_afterwards_and_only_failing_ones_change(cells: list[str], classes: int, l: int) -> None:
    coded, partition = made(cells, classes)
    model = QSDiversity("s", c=1, l=l)
    failed = ~model.passes(partition.stats(coded))
    found = without_items(coded, partition, [model], silent)
    assert model.passes(found.stats(coded)).all()
    (record,) = found.record.item_removal or ()
    assert record.classes == failed.sum() == record.proven
    assert record.lower_bound == pytest.approx(record.cost)
    if not failed.any():
        assert not found.edits


@given(CELLS, st.integers(1, 4), st.sampled_from([0.1, 0.2, 0.3, 0.5]))
@settings(max_examples=examples(80), deadline=None)
def test_every_class_is_close_to_the_input_and_to_the_released_rows(cells: list[str], classes: int, t: float) -> None:
    coded, partition = made(cells, classes)
    model = QSCloseness("s", t=t)
    try:
        found = without_items(coded, partition, [model], silent)
    except CannotBeMet as error:
        assert "cannot be met" in str(error) and not any(cell and cell in str(error).split() for cell in cells)
        assert not is_near_if_all_is_removed(cells, t)
        return
    stats = found.stats(coded)
    assert model.passes(stats).all() and model.passes(stats.among_themselves()).all()


def is_near_if_all_is_removed(cells: Sequence[str], t: float) -> bool:
    """Whether equal shares of all labels, which rows without items have, are near enough to the input."""
    linked = [[set(cell.split("|")) - {""} <= set(items) for items in KNOWLEDGE.values()] for cell in cells]
    alpha = [
        sum(Fraction(int(row[label]), max(sum(row), 1)) for row in linked) / len(cells) for label in range(KNOWN.size)
    ]
    return sum((share - Fraction(1, KNOWN.size)) ** 2 for share in alpha) <= Fraction(str(t)) ** 2


@pytest.mark.parametrize("t", [0.25, 0.3, 0.4])
@pytest.mark.parametrize("classes", [4, 8])
def test_whenever_removing_everything_is_near_enough_a_release_is_found(t: float, classes: int) -> None:
    """Some rows are suppressed, so that the released rows differ from the input."""
    random, met, texts = np.random.default_rng(2), 0, [text or "" for text in SETS]
    for _ in range(80):
        cells = random.choice(texts, 12).tolist()
        coded, class_of = coded_sets({"s": cells}, KNOWN), np.arange(12) % (classes + 1) - 1
        partition = Partition.of_rows(class_of, classes, coded.counted.weight, Exact())
        model = QSCloseness("s", t=t)
        if is_near_if_all_is_removed(cells, t):
            found = without_items(coded, partition, [model], silent)
            stats = found.stats(coded)
            assert model.passes(stats).all() and model.passes(stats.among_themselves()).all()
            (record,) = found.record.item_removal or ()
            assert record.lower_bound <= record.cost + 1e-9
            met += 1
    assert met > 10


def test_what_the_search_proves_impossible_is_said() -> None:
    """Both rows link to nothing or to one label, and no removal brings them near to each other."""
    coded, partition = made(["rash", "zest"], 2, Knowledge.of({"measles": ["rash"]}))
    with pytest.raises(CannotBeMet, match=r"in 2 classes of 2, no removal of items satisfies it\.") as refused:
        without_items(coded, partition, [QSCloseness("s", t=0.4)], silent)
    assert "not proven" not in str(refused.value) and "rash" not in str(refused.value)


def test_a_class_that_is_too_far_from_the_released_rows_is_moved() -> None:
    """Suppression makes the released rows differ from the input, to which alone the class is near enough."""
    coded = coded_sets({"s": ["rash", "cough", "ache", "fever", ""]}, KNOWN)
    partition = Partition.of_rows(np.array([0, 1, 1, -1, -1]), 2, coded.counted.weight, Exact())
    model = QSCloseness("s", t=0.3)
    found = without_items(coded, partition, [model], silent)
    assert model.passes(found.stats(coded).among_themselves()).all()


def test_out_of_time_every_class_still_gets_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removing, "improved", None)  # nothing calls it
    coded, partition = made(["rash", "ache|cough|fever", "fever|rash"] * 3, 9)
    model = QSDiversity("s", c=1, l=3, budget=0)
    found = without_items(coded, partition, [model], silent)
    assert model.passes(found.stats(coded)).all()
    (record,) = found.record.item_removal or ()
    assert not record.in_time


def test_equal_classes_are_solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def noted(*given_: Any) -> Removal:
        calls.append(1)
        return improved(*given_)

    monkeypatch.setattr(removing, "improved", noted)
    coded, partition = made(["rash"] * 6, 6)
    without_items(coded, partition, [QSDiversity("s", c=1, l=3)], silent)
    assert len(calls) <= 1


def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    knowledge = Knowledge.of({f"l{n}": rng.choice(list("abcdefgh"), 5, replace=False) for n in range(9)})
    cells = ["|".join(sorted(rng.choice(list("abcdefgh"), 3, replace=False))) for _ in range(40)]
    coded, partition = made(cells, 10, knowledge)
    found = []
    for threads in (1, 4):
        monkeypatch.setattr(removing.os, "cpu_count", lambda threads=threads: threads)
        edit = without_items(coded, partition, [QSDiversity("s", c=1, l=4)], silent).edits["s"]
        found.append([edit.domain.of_set(code) for code in edit.codes.tolist()])
    assert found[0] == found[1]


def test_progress_can_cancel() -> None:
    def stop(_step: str, _share: float) -> None:
        raise KeyboardInterrupt

    coded, partition = made(["rash", "fever|rash"], 2)
    with pytest.raises(KeyboardInterrupt):
        without_items(coded, partition, [QSDiversity("s", c=1, l=3)], stop)


def test_a_record_adds_up() -> None:
    coded, partition = made(["rash", "fever|rash", "cough"], 3)
    (record,) = without_items(coded, partition, [QSDiversity("s", c=1, l=3)], silent).record.item_removal or ()
    assert dataclasses.asdict(record) | {"nodes": 0} == {
        "model": "qs-diversity",
        "column": "s",
        "classes": 3,
        "proven": 3,
        "cost": pytest.approx(1 + 0.5 + 1),
        "lower_bound": pytest.approx(2.5),
        "whole": pytest.approx(1 + 1.5 + 1),
        "nodes": 0,
        "in_time": True,
    }
