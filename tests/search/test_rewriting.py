from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal.coded import Coded, Partition
from shoal.coded.coding import coded_sets
from shoal.coded.recoding import Exact
from shoal.hierarchies.file import File
from shoal.models import KmAnonymity, QSDiversity
from shoal.pipeline import encoded
from shoal.plan import Plan
from shoal.roles.columns import quasi, quasi_sensitive
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
    assert (record.model, record.classes, record.proven, record.in_time) == ("km-anonymity", 1, None, True)
    assert (record.cost, record.lower_bound) == (pytest.approx(1 / 3 + 1), pytest.approx(1 / 3))


def test_classes_that_look_alike_in_the_release_are_counted_once() -> None:
    columns = {"age": quasi(type="text"), "s": quasi_sensitive()}
    model = KmAnonymity("s", k=2, m=1)
    frame = pl.DataFrame({"age": ["1", "1", "1", "2", "2"], "s": ["a", "b", "c", "c", "d"]})
    coded = encoded(frame, Plan(columns=columns, models=[model])).coded
    answer = rewritten(coded, partition(coded, 0, 1, 2, 3, 3), model)
    assert answer is not None and answer[1].classes == 2  # the first two and the last


def test_a_tree_has_no_lower_bound(tmp_path: Path) -> None:
    (tmp_path / "tree.csv").write_text("a;x;*\nb;x;*\nc;y;*\n", encoding="utf-8")
    columns = {"age": quasi(), "s": quasi_sensitive(File(str(tmp_path / "tree.csv")))}
    model = KmAnonymity("s", k=2, m=1)
    coded = encoded(pl.DataFrame({"age": [1, 1, 1], "s": ["a", "b", "c"]}), Plan(columns=columns, models=[model])).coded
    answer = rewritten(coded, partition(coded, 0, 0, 0), model)
    assert answer is not None and (answer[1].proven, answer[1].lower_bound) == (None, None)


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
