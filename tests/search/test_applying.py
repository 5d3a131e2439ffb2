"""Given labels make classes; those that fail a model are suppressed, within the limit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from shoal.coded import Coded
from shoal.coded.counted import coded_values
from shoal.coded.domains import SET, QuasiDomain
from shoal.coded.record import SearchRecord
from shoal.errors import CannotBeMet
from shoal.models import LKC, KAnonymity, LDiversity, TCloseness
from shoal.roles.columns import quasi
from shoal.search.applying import Labels, applied


def coded_of(quasi: list[list[int]], ill: str, weight: list[int] | None = None) -> Coded:
    coded = coded_values({"ill": list(ill)}, weight=weight)
    domains = tuple(domain(f"q{number}", max(codes) + 1) for number, codes in enumerate(quasi))
    return replace(coded, quasi=domains, counted=replace(coded.counted, quasi=np.array(quasi, np.int32)))


def domain(name: str, size: int) -> QuasiDomain:
    return QuasiDomain(
        name, "text", pl.Series([f"v{code}" for code in range(size)]), SET, quasi(), size, np.zeros(size)
    )


def test_rows_with_equal_labels_are_a_class() -> None:
    coded = coded_of([[0, 1, 2, 3], [0, 0, 0, 0]], "abab", [2, 1, 1, 2])
    labels = Labels((("low", "low", "high", "high"), ("*",)), (1, 2))
    record = SearchRecord(recoding_of="9f2c")
    partition = applied(coded, [KAnonymity(k=3)], 0.0, labels, record)
    assert sorted(partition.rows.tolist()) == [3, 3]
    assert partition.record == SearchRecord(recoding_of="9f2c", rows_without_label=0)
    levels = partition.recoding.class_levels()
    assert levels is not None and levels.tolist() == [[1, 2], [1, 2]]


def test_rows_without_a_label_and_failing_classes_are_suppressed() -> None:
    coded = coded_of([[0, 1, 2]], "aaa", [6, 1, 3])
    labels = Labels((("low", None, "high"),))
    partition = applied(coded, [KAnonymity(k=4)], 0.4, labels)
    assert partition.row.tolist() == [0] and partition.record.rows_without_label == 1
    assert partition.recoding.class_levels() is None


def test_more_than_the_limit_cannot_be_met() -> None:
    coded = coded_of([[0, 1, 2]], "aaa", [6, 1, 3])
    labels = Labels((("low", None, "high"),))
    with pytest.raises(CannotBeMet) as raised:
        applied(coded, [KAnonymity(k=4)], 0.3, labels)
    assert str(raised.value) == (
        "The recoding of the earlier release would suppress 4 rows of 10 (40 %): 1 row has a value for which it has no "
        "label ('q0' in 1 row), and 3 rows are in classes that fail the models. At most 3 may be suppressed. Hint: "
        "allow suppression = 0.4, or release the earlier table again with a hierarchy of 'q0' and algorithm 'optimal', "
        "whose levels have a label for every value, or release this table by a search of its own, with `shoal "
        "anonymize`."
    )


def test_the_columns_without_labels_are_counted_but_no_value_is_named() -> None:
    coded = coded_of([[0, 1, 2], [0, 0, 1]], "aaa", [6, 1, 3])
    labels = Labels(((None, None, "high"), ("any", None)))
    with pytest.raises(CannotBeMet) as raised:
        applied(coded, [KAnonymity(k=4)], 0.3, labels)
    assert "10 rows have a value for which it has no label ('q0' in 7 rows; 'q1' in 3 rows), and 0" in str(raised.value)
    assert "a hierarchy of 'q0', 'q1' and" in str(raised.value) and "allow suppression" not in str(raised.value)


def test_of_many_columns_without_labels_the_worst_are_named() -> None:
    coded = coded_of([[0, 1]] * 8, "ab", [3, 1])
    with pytest.raises(CannotBeMet, match=r"\('q0' in 3 rows; .*'q4' in 3 rows; 3 more columns\)"):
        applied(coded, [KAnonymity(k=2)], 0.3, Labels(((None, "x"),) * 8))


def test_without_a_lack_of_labels_no_hierarchy_is_advised() -> None:
    with pytest.raises(CannotBeMet) as raised:
        applied(coded_of([[0, 1]], "ab", [3, 1]), [KAnonymity(k=2)], 0.0, Labels((("x", "y"),)))
    assert "no label, and 1 row is" in str(raised.value) and "hierarchy" not in str(raised.value)


@pytest.mark.parametrize("labels", [("a", "b"), (None, None)])
def test_a_table_of_which_nothing_remains_cannot_be_met(labels: tuple[str | None, ...]) -> None:
    with pytest.raises(CannotBeMet, match="would suppress 2 rows of 2"):
        applied(coded_of([[0, 1]], "ab"), [LDiversity("ill", l=2)], 1.0, Labels((labels,)))


def test_the_remaining_classes_are_judged_by_the_remaining_rows() -> None:
    """Without the class that k-anonymity suppresses, the rest has another distribution."""
    coded = coded_of([[0, 0, 1, 1, 2]], "abab" + "b", [50, 50, 40, 60, 4])
    model = TCloseness("ill", t=0.05, reference="released")
    partition = applied(coded, [KAnonymity(k=5), model], 0.1, Labels((("x", "y", "z"),)))
    assert int(partition.weight.sum()) == 200
    released = partition.stats(coded).among_themselves()
    assert model.passes(released).all()


def test_a_model_of_the_whole_table_is_kept_or_nothing_is() -> None:
    coded = coded_of([[0, 0, 1, 1]], "abab", [2, 2, 2, 2])
    model = LKC(l=1, k=4, c=0.5, column="ill", values=("a",))
    assert applied(coded, [model], 0.0, Labels((("x", "y"),))).classes == 2
    with pytest.raises(CannotBeMet, match="would suppress 8 rows of 8"):
        applied(coded, [LKC(l=1, k=5, c=0.5, column="ill", values=("a",))], 0.0, Labels((("x", "y"),)))
