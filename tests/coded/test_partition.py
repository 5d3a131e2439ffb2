from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.coded.partition import Partition, Rows, SensitiveCodes, ValueCounts, stats_of, stats_of_cuts


def rows(codes: list[int], weight: list[int] | None = None, person: list[int] | None = None) -> Rows:
    disease = SensitiveCodes("disease", np.array(codes, np.int32), ("", "flu", "HIV"), missing=0)
    return Rows(
        weight=np.array(weight or [1] * len(codes), np.int64),
        sensitive={"disease": disease},
        person=None if person is None else np.array(person, np.int32),
    )


def listed(counts: ValueCounts) -> list[dict[int, int]]:
    ends = zip(counts.offsets[:-1], counts.offsets[1:], strict=True)
    return [dict(zip(counts.values[a:b].tolist(), counts.counts[a:b].tolist(), strict=True)) for a, b in ends]


class TestClassStats:
    def test_sizes_and_counts_follow_the_weights(self) -> None:
        stats = stats_of(rows([1, 2, 1], weight=[2, 3, 4]), [[0, 2], [1]])
        assert len(stats) == 2
        assert stats.sizes.tolist() == [6, 3]
        assert listed(stats.counts("disease")) == [{1: 6}, {2: 3}]

    def test_with_persons_everything_counts_persons(self) -> None:
        stats = stats_of(rows([1, 1, 2, 1], person=[0, 0, 0, 1]), [[0, 1, 2, 3]])
        assert stats.sizes.tolist() == [2]
        assert listed(stats.counts("disease")) == [{1: 2, 2: 1}]
        assert stats.rows.whole("disease").tolist() == [0, 2, 1]

    def test_counts_are_kept(self) -> None:
        stats = stats_of(rows([1, 2]), [[0, 1]])
        assert stats.counts("disease") is stats.counts("disease")
        assert stats.rows.whole("disease") is stats.rows.whole("disease")

    def test_the_whole_table_includes_rows_of_no_class(self) -> None:
        stats = stats_of(rows([1, 2, 0], weight=[1, 5, 7]), [[0]])
        assert stats.rows.whole("disease").tolist() == [7, 1, 5]


@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.booleans())
@settings(deadline=None)
def test_parts_at_every_cut_are_counted_as_if_each_were_a_class(seed: int, size: int, with_persons: bool) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, 40)
    persons = rng.integers(0, 9, 40)
    weight = np.ones(40, np.int64) if with_persons else rng.integers(1, 5, 40)
    table = rows(codes.tolist(), weight.tolist(), persons.tolist() if with_persons else None)
    kinds = (codes * 9 + persons if with_persons else codes).astype(np.int32)
    members = rng.permutation(40)[:size]
    cuts = np.flatnonzero(rng.random(size - 1) < 0.5) + 1
    plain = stats_of(table, [part for cut in cuts for part in (members[:cut].tolist(), members[cut:].tolist())])
    found = stats_of_cuts(table, kinds, members, cuts)
    assert found.sizes.tolist() == plain.sizes.tolist()
    assert listed(found.counts("disease")) == listed(plain.counts("disease"))
    assert found.rows.whole("disease").tolist() == table.whole("disease").tolist()


class TestValueCounts:
    counts = stats_of(rows([0, 1, 2, 0]), [[0, 1, 2], [3]]).counts("disease")

    def test_totals(self) -> None:
        assert self.counts.totals.tolist() == [3, 1]

    def test_without_a_value_a_class_may_become_empty(self) -> None:
        """Also the last class, beyond whose entries there is nothing."""
        left = self.counts.without(0)
        assert listed(left) == [{1: 1, 2: 1}, {}]
        assert left.totals.tolist() == [2, 0]
        assert left.class_of.tolist() == [0, 0]

    def test_an_empty_class_in_the_middle_has_nothing(self) -> None:
        middle = stats_of(rows([1, 0, 2]), [[0], [1], [2]]).counts("disease").without(0)
        assert middle.totals.tolist() == [1, 0, 1]

    def test_without_nothing(self) -> None:
        assert self.counts.without(-1) is self.counts

    def test_sums_and_every(self) -> None:
        assert self.counts.sums(np.array([10, 20, 30, 40])).tolist() == [60, 40]
        assert self.counts.every(np.array([True, False, True, True])).tolist() == [False, True]
        assert self.counts.without(0).every(np.array([True, False])).tolist() == [False, True]

    def test_no_class_at_all(self) -> None:
        nothing = stats_of(rows([1]), []).counts("disease")
        assert nothing.totals.tolist() == []


class TestPartition:
    def test_classes_are_gathered_and_suppressed_rows_left_out(self) -> None:
        partition = Partition(np.array([1, -1, 0, 1]), classes=2)
        stats = partition.stats(rows([1, 2, 2, 0], weight=[1, 10, 100, 1000]))
        assert stats.sizes.tolist() == [100, 1001]
        assert listed(stats.counts("disease")) == [{2: 100}, {0: 1000, 1: 1}]

    @pytest.mark.parametrize("person", [None, [0, 1, 2]])
    def test_everything_suppressed(self, person: list[int] | None) -> None:
        stats = Partition(np.array([-1, -1, -1]), classes=0).stats(rows([0, 1, 2], person=person))
        assert (len(stats), stats.sizes.tolist(), listed(stats.counts("disease"))) == (0, [], [])
