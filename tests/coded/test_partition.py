"""Partition: distinct rows in classes, whole or in parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.coded import Partition
from shoal.coded.domains import ItemDomain
from shoal.coded.partition import Edit
from shoal.coded.recoding import Exact, Observed
from shoal.coded.record import SearchRecord
from shoal.roles.columns import Column
from tests.coded.test_stats import listed, rows
from tests.effort import examples


def of_rows(class_of: list[int], classes: int, weight: list[int]) -> Partition:
    return Partition.of_rows(np.array(class_of, np.int64), classes, np.array(weight, np.int64), Observed())


class TestOfRows:
    def test_classes_are_gathered_and_suppressed_rows_left_out(self) -> None:
        table = rows([1, 2, 2, 0], weight=[1, 10, 100, 1000])
        partition = of_rows([1, -1, 0, 1], 2, [1, 10, 100, 1000])
        assert partition.classes == 2
        assert (partition.row.tolist(), partition.offsets.tolist()) == ([2, 0, 3], [0, 1, 3])
        assert partition.class_of.tolist() == [0, 1, 1]
        assert partition.rows.tolist() == [100, 1001]
        stats = partition.stats(table)
        assert stats.sizes.tolist() == [100, 1001]
        assert listed(stats.counts("disease")) == [{2: 100}, {0: 1000, 1: 1}]

    @pytest.mark.parametrize("person", [None, [0, 1, 2]])
    def test_everything_suppressed(self, person: list[int] | None) -> None:
        stats = of_rows([-1, -1, -1], 0, [1, 1, 1]).stats(rows([0, 1, 2], person=person))
        assert (len(stats), stats.sizes.tolist(), listed(stats.counts("disease"))) == (0, [], [])

    @given(st.lists(st.integers(-1, 3), min_size=1, max_size=20), st.integers(0, 2**32 - 1))
    @settings(max_examples=examples(60), deadline=None)
    def test_every_row_is_wholly_in_its_class(self, class_of: list[int], seed: int) -> None:
        weight = np.random.default_rng(seed).integers(1, 9, len(class_of)).tolist()
        partition = of_rows(class_of, 4, weight)
        members = [
            partition.row[a:b].tolist() for a, b in zip(partition.offsets[:-1], partition.offsets[1:], strict=True)
        ]
        assert members == [[row for row, of in enumerate(class_of) if of == c] for c in range(4)]
        assert partition.rows.tolist() == [sum(weight[row] for row in each) for each in members]
        assert not partition.splits(np.array(weight))

    def test_a_partition_says_how_it_is_published_and_how_it_was_found(self) -> None:
        partition = Partition.of_rows(np.array([0]), 1, np.array([1]), Exact(), SearchRecord(height=3))
        assert partition.recoding == Exact() and partition.record.height == 3
        assert of_rows([0], 1, [1]).record == SearchRecord()


class TestParts:
    """Of ten rows that are alike three are in the first class, five in the second, and two are suppressed."""

    weight = np.array([10, 4, 2])
    partition = Partition(np.array([0, 1, 0, 2]), np.array([0, 2, 4]), np.array([3, 4, 5, 2]), Observed())

    def test_a_distinct_row_may_be_in_several_classes(self) -> None:
        assert self.partition.splits(self.weight)
        assert self.partition.rows.tolist() == [7, 7]
        assert self.partition.class_of.tolist() == [0, 0, 1, 1]

    def test_a_row_of_which_a_part_is_suppressed_is_split(self) -> None:
        one = Partition(np.array([1]), np.array([0, 1]), np.array([3]), Observed())
        assert one.splits(self.weight)
        assert not Partition(np.array([1]), np.array([0, 1]), np.array([4]), Observed()).splits(self.weight)

    def test_models_see_the_parts(self) -> None:
        stats = self.partition.stats(rows([1, 2, 1], weight=self.weight.tolist()))
        assert stats.sizes.tolist() == [7, 7]
        assert listed(stats.counts("disease")) == [{1: 3, 2: 4}, {1: 7}]
        assert stats.among_themselves().reference("disease").tolist() == [0, 10, 4]

    def test_members_are_what_recodings_see(self) -> None:
        members = self.partition.members
        assert members.rows.tolist() == [0, 1, 0, 2] and members.weight.tolist() == [3, 4, 5, 2]
        assert members.firsts.tolist() == [0, 0]


class TestEdits:
    """Items that are removed after the partition: an entry publishes the set of its edit, in place of its row's."""

    sets = ItemDomain(
        "i", ("a", "b"), np.array([0, 0, 1, 3]), np.array([0, 0, 1], np.int32), Column(role="quasi-sensitive")
    )

    def partition(self, codes: list[int]) -> Partition:
        """Row 0 in two entries of the first class, row 1 in the second class."""
        entries = (np.array([0, 0, 1]), np.array([0, 2, 3]), np.array([2, 1, 4]))
        return Partition(*entries, Observed(), edits={"i": Edit(self.sets, np.array(codes, np.int32))})

    @pytest.mark.parametrize(("person", "counts"), [(None, [{0: 2, 2: 1}, {1: 4}]), ([7, 8], [{0: 1, 2: 1}, {1: 1}])])
    def test_models_see_the_published_sets(self, person: list[int] | None, counts: list[dict[int, int]]) -> None:
        stats = self.partition([0, 2, 1]).stats(rows([0, 1], weight=[3, 4], person=person))
        assert listed(stats.items("i")) == counts
        assert stats.item_domain("i") is self.sets
        assert listed(stats.counts("disease")) == ([{0: 3}, {1: 4}] if person is None else [{0: 1}, {1: 1}])

    def test_every_entry_needs_a_set(self) -> None:
        with pytest.raises(AssertionError, match="one set for each entry"):
            self.partition([0, 1])
