"""Class statistics: counts of rows or persons, in classes of whole rows or of parts of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.coded import ClassStats, Coded, ValueCounts, coded_values, stats_of
from shoal.coded.domains import ItemDomain
from shoal.coded.stats import Members, MemberStats, flags_at, stats_of_cuts, whole_table
from shoal.roles.columns import Column
from tests.effort import examples

LABELS = ("", "flu", "HIV")


def rows(codes: list[int], weight: list[int] | None = None, person: list[int] | None = None) -> Coded:
    """Rows with these codes of a disease: 0 is missing, 1 flu, 2 HIV."""
    return coded_values({"disease": [LABELS[code] for code in codes]}, weight, person, order={"disease": LABELS})


def listed(counts: ValueCounts) -> list[dict[int, int]]:
    ends = zip(counts.offsets[:-1], counts.offsets[1:], strict=True)
    return [dict(zip(counts.values[a:b].tolist(), counts.counts[a:b].tolist(), strict=True)) for a, b in ends]


class TestClassStats:
    def test_sizes_and_counts_follow_the_weights(self) -> None:
        stats: ClassStats = stats_of(rows([1, 2, 1], weight=[2, 3, 4]), [[0, 2], [1]])
        assert len(stats) == 2
        assert stats.sizes.tolist() == [6, 3]
        assert listed(stats.counts("disease")) == [{1: 6}, {2: 3}]

    def test_with_persons_everything_counts_persons(self) -> None:
        stats = stats_of(rows([1, 1, 2, 1], person=[0, 0, 0, 1]), [[0, 1, 2, 3]])
        assert stats.counts_persons
        assert stats.sizes.tolist() == [2]
        assert listed(stats.counts("disease")) == [{1: 2, 2: 1}]
        assert stats.reference("disease").tolist() == [0, 2, 1]

    def test_counts_are_kept(self) -> None:
        stats = stats_of(rows([1, 2]), [[0, 1]])
        assert stats.counts("disease") is stats.counts("disease")
        assert stats.reference("disease") is stats.reference("disease")

    def test_the_whole_table_includes_rows_of_no_class(self) -> None:
        stats = stats_of(rows([1, 2, 0], weight=[1, 5, 7]), [[0]])
        assert stats.reference("disease").tolist() == [7, 1, 5]

    def test_the_domain_says_what_codes_mean(self) -> None:
        stats = stats_of(rows([1, 2]), [[0, 1]])
        assert stats.domain("disease").labels == LABELS and stats.domain("disease").missing == 0

    def test_labels_are_those_that_somebody_gave(self) -> None:
        stats = stats_of(rows([1, 2]), [[0], [1]])
        with pytest.raises(AssertionError):
            stats.labels()
        assert replace(stats, shown=lambda: np.array([[3], [3]], np.int32)).labels().tolist() == [[3], [3]]

    def test_all_rows_are_one_class(self) -> None:
        stats = whole_table(rows([1, 2, 0], weight=[1, 5, 7]))
        assert (len(stats), stats.sizes.tolist()) == (1, [13])
        assert listed(stats.counts("disease")) == [{0: 7, 1: 1, 2: 5}]

    def test_tuples_are_counted_by_class(self) -> None:
        coded = coded_values({"a": ["x", "y", "x", "x"], "b": ["1", "1", "2", "1"]}, weight=[1, 2, 3, 4])
        counts, tuples = stats_of(coded, [[0, 1], [2, 3]]).joint(("a", "b"))
        told = [{tuple(tuples[value].tolist()): n for value, n in each.items()} for each in listed(counts)]
        assert told == [{(0, 0): 1, (1, 0): 2}, {(0, 1): 3, (0, 0): 4}]

    def test_sets_are_counted_by_class(self) -> None:
        coded = rows([1, 1, 1], weight=[1, 2, 3])
        domain = ItemDomain("i", ("a", "b"), np.array([0, 1, 3]), np.array([0, 0, 1]), Column(role="quasi-sensitive"))
        counted = replace(coded.counted, items={"i": np.array([1, 0, 1], np.int32)})
        with_sets = replace(coded, counted=counted, items={"i": domain})
        assert listed(stats_of(with_sets, [[0, 1], [2]]).items("i")) == [{0: 2, 1: 1}, {1: 3}]

    def test_classes_as_all_there_is_are_compared_with_their_own_rows(self) -> None:
        stats = stats_of(rows([1, 2, 0, 1], weight=[1, 5, 7, 2]), [[0], [1]])
        released = stats.among_themselves()
        assert released.reference("disease").tolist() == [0, 1, 5]
        assert stats.reference("disease").tolist() == [7, 3, 5]
        assert listed(released.counts("disease")) == listed(stats.counts("disease")) == [{1: 1}, {2: 5}]

    def test_a_person_in_two_classes_is_one_among_all(self) -> None:
        stats = stats_of(rows([1, 1, 2, 1], person=[0, 0, 1, 2]), [[0, 2], [1]])
        assert stats.sizes.tolist() == [2, 1]
        assert stats.among_themselves().reference("disease").tolist() == [0, 1, 1]


class TestPartsOfRows:
    """Entries with a weight of their own: of rows that are alike some are in one class, some in another."""

    coded = rows([1, 2, 1], weight=[10, 4, 2])
    stats = MemberStats(coded, np.array([0, 1, 0, 2]), np.array([0, 2, 4]), weight=np.array([3, 4, 5, 2]))

    def test_sizes_and_counts_follow_the_parts(self) -> None:
        assert self.stats.sizes.tolist() == [7, 7]
        assert listed(self.stats.counts("disease")) == [{1: 3, 2: 4}, {1: 7}]
        assert listed(self.stats.joint(("disease",)).counts) == [{0: 3, 1: 4}, {0: 7}]

    def test_the_whole_table_is_the_same(self) -> None:
        assert self.stats.reference("disease").tolist() == [0, 12, 4]

    def test_what_is_left_out_of_a_row_is_not_released(self) -> None:
        assert self.stats.among_themselves().reference("disease").tolist() == [0, 10, 4]

    def test_entries_have_the_weight_of_their_part(self) -> None:
        entries = self.stats.entries("disease")
        assert entries.class_of.tolist() == [0, 0, 1, 1]
        assert entries.weight.tolist() == [3, 4, 5, 2]
        assert entries.codes.tolist() == [1, 2, 1, 1]
        assert entries.person is None

    def test_without_a_weight_an_entry_is_the_whole_row(self) -> None:
        entries = replace(self.stats, weight=None).entries("disease")
        assert entries.weight.tolist() == [10, 4, 10, 2]

    def test_entries_have_the_person_of_their_row(self) -> None:
        stats = stats_of(rows([1, 2, 1], person=[7, 5, 7]), [[2, 1], [0]])
        entries = stats.entries("disease")
        assert entries.person is not None and entries.person.tolist() == [7, 5, 7]
        assert (entries.class_of.tolist(), entries.codes.tolist()) == ([0, 0, 1], [1, 2, 1])


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
    assert found.reference("disease").tolist() == table.counted.reference["disease"].tolist()


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(deadline=None, max_examples=examples(50))
def test_statistics_are_those_of_the_rows_written_out(seed: int, with_persons: bool) -> None:
    """Every entry repeated as often as its weight says, and counted one by one."""
    rng = np.random.default_rng(seed)
    codes, persons = rng.integers(0, 3, 20).tolist(), rng.integers(0, 5, 20).tolist()
    table = rows(codes, rng.integers(3, 9, 20).tolist(), persons if with_persons else None)
    entry_rows, entry_weight = rng.integers(0, 20, 12), rng.integers(1, 4, 12)
    offsets = np.array([0, 4, 5, 12])
    stats = MemberStats(table, entry_rows, offsets, weight=entry_weight)
    for c in range(3):
        own = slice(offsets[c], offsets[c + 1])
        entries = list(zip(entry_rows[own].tolist(), entry_weight[own].tolist(), strict=True))
        expanded = [row for row, weight in entries for _ in range(weight)]
        persons_of = {(codes[row], persons[row]) for row in expanded}
        size = len({person for _, person in persons_of}) if with_persons else len(expanded)
        assert stats.sizes[c] == size
        told = Counter(code for code, _ in persons_of) if with_persons else Counter(codes[row] for row in expanded)
        assert listed(stats.counts("disease"))[c] == told


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

    def test_all_classes_together(self) -> None:
        assert self.counts.dense(4).tolist() == [2, 1, 1, 0]

    def test_no_class_at_all(self) -> None:
        nothing = stats_of(rows([1]), []).counts("disease")
        assert nothing.totals.tolist() == []


def test_members_know_their_class_and_one_row_of_each() -> None:
    members = Members(np.array([5, 2, 7]), np.array([0, 2, 3]), np.array([1, 1, 4]))
    assert members.class_of.tolist() == [0, 0, 1]
    assert members.firsts.tolist() == [5, 7]


def test_flags_stand_at_their_places() -> None:
    assert flags_at(np.array([0, 3]), 5).tolist() == [True, False, False, True, False]
