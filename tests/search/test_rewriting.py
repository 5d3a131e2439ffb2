from __future__ import annotations

import numpy as np
import pytest

from shoal.coded import Coded, Partition
from shoal.coded.coding import coded_sets
from shoal.coded.recoding import Exact
from shoal.models import KmAnonymity, QSDiversity
from shoal.search.rewriting import rewritten

CODED = coded_sets({"s": ["a|b", "a", "b", "c", "a|b|c"]})


def partition(coded: Coded, *class_of: int) -> Partition:
    return Partition.of_rows(np.array(class_of), max(class_of) + 1, coded.counted.weight, Exact())


def shown(found: Partition) -> list[str | None]:
    edit = found.edits["s"]
    texts: list[str | None] = edit.domain.texts.gather(edit.codes[np.argsort(found.row)]).to_list()
    return texts


def test_every_row_publishes_the_set_of_its_own_set() -> None:
    answer = rewritten(CODED, partition(CODED, 0, 0, 1, 1, 2), KmAnonymity("s", k=2, m=2))
    assert answer is not None
    found, record = answer
    assert shown(found) == ["a|b", "a", "b", None, "a|b"]  # without it in the last row, c is rare
    assert (record.model, record.classes, record.proven, record.in_time) == ("km-anonymity", 1, 0, True)
    assert (record.cost, record.lower_bound) == (pytest.approx(1 / 3 + 1), pytest.approx(1 / 3))


def test_suppressed_rows_do_not_count() -> None:
    answer = rewritten(CODED, partition(CODED, 0, 0, 0, -1, 0), KmAnonymity("s", k=2, m=2))
    assert answer is not None
    assert shown(answer[0]) == ["a|b", "a", "b", "a|b"]
    assert answer[1].cost == pytest.approx(answer[1].lower_bound) == pytest.approx(1 / 3)
    assert answer[1].proven == answer[1].classes == 1


def test_a_table_that_keeps_the_promise_is_not_edited() -> None:
    answer = rewritten(CODED, partition(CODED, 0, 0, 0, -1, -1), KmAnonymity("s", k=2, m=1))
    assert answer is not None
    assert not answer[0].edits and (answer[1].classes, answer[1].cost) == (0, 0.0)


def test_models_of_classes_choose_no_sets() -> None:
    assert rewritten(CODED, partition(CODED, 0, 0, 0, 0, 0), QSDiversity("s", c=1, l=2)) is None
