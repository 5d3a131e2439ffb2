"""Recodings: which label a class gets in every column, what a cell loses by it, and which classes look the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import labels
from shoal.algorithms import Mondrian, Optimal
from shoal.coded import Coded, Partition
from shoal.coded.recoding import (
    Boxes,
    Composed,
    Cuts,
    Exact,
    Given,
    Levels,
    Observed,
    Recoding,
    Shown,
    alike,
    label_numbers,
    shown_columns,
)
from shoal.coded.stats import Members
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from tests.coded.publishing import class_of_distinct, distinct_row_of
from tests.effort import examples
from tests.pets import TREE

ALL = (Exact, Observed, Boxes, Levels, Cuts, Given, Composed)


class Classed:
    """A table of quasi-identifiers, coded, and its rows in classes."""

    def __init__(
        self,
        columns: Mapping[str, Sequence[Any]],
        class_of: Sequence[int],
        trees: Mapping[str, Any] | None = None,
        by_level: bool = False,
        **release: Any,
    ) -> None:
        frame = pl.DataFrame({name: pl.Series(values) for name, values in columns.items()})
        plan = shoal.Plan(
            columns={name: shoal.quasi((trees or {}).get(name)) for name in columns},
            models=[shoal.KAnonymity(k=2)],
            algorithm=Optimal() if by_level else Mondrian(),
            release=shoal.ReleaseSettings(**release),
        )
        fitted = fit(LocalEngine(frame), plan)
        self.coded: Coded = fitted.coded
        self.row_of = distinct_row_of(fitted, frame, plan)
        self.class_of, self.classes = class_of, max(class_of) + 1
        weight, of_distinct = self.coded.counted.weight, class_of_distinct(class_of, self.row_of)
        self.members: Members = Partition.of_rows(of_distinct, self.classes, weight, Observed()).members

    def shown(self, recoding: Recoding) -> dict[str, Shown]:
        return shown_columns(recoding, self.coded, self.members)

    def boxes(self) -> Boxes:
        """The smallest box around every class."""
        codes = self.coded.counted.by_row
        inside = [codes[self.members.rows[self.members.class_of == c]] for c in range(self.classes)]
        return Boxes(np.array([[each.min(axis=0), each.max(axis=0)] for each in inside], np.int32).transpose(0, 2, 1))


def shown(values: Sequence[Any], class_of: Sequence[int], recoding: Recoding | None = None, **how: Any) -> Shown:
    """What classes show of a single column; by boxes, where nothing else is said."""
    table = Classed({"q": values}, class_of, **how)
    return table.shown(recoding or table.boxes())["q"]


def labels_of(
    values: Sequence[Any], class_of: Sequence[int], recoding: Recoding | None = None, **how: Any
) -> list[str]:
    """The label of every row."""
    of_class = shown(values, class_of, recoding, **how).of_class
    return [of_class[c] for c in class_of]


# -- exact ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("categories", ["hierarchy", "sets"])
def test_exact_shows_the_members_own_values_and_loses_nothing(categories: str) -> None:
    found = shown(["a", "*", "?", "a", "[1, 2]"], [0, 1, 2, 0, 3], Exact(), categories=categories)
    assert found.of_class == ["a", "\\*", "", "\\[1, 2]"]
    assert found.loss.tolist() == [0.0] * 4
    assert np.array_equal(found.level, np.full(4, 0.0 if categories == "hierarchy" else np.nan), equal_nan=True)
    numbers = shown(["1", "2.5"], [1, 0], Exact(), categories=categories)
    assert numbers.of_class == ["2.5", "1"] and np.isnan(numbers.level).all()


def test_exact_is_the_same_rule_in_every_row() -> None:
    table = Classed({"q": ["b", "a", "*"], "n": ["3", "?", "1"]}, [0, 1, 2])
    rule = Exact().rule(table.coded, table.members)
    assert dict(zip(table.coded.quasi[0].texts, rule["q"], strict=True)) == {"a": "a", "b": "b", "*": "\\*"}
    assert rule["n"] == ["", "1", "3"]


# -- observed, and boxes where ranges are tight -----------------------------------------------------------------------


@pytest.mark.parametrize("recoding", [None, Observed()], ids=["boxes", "observed"])
def test_ranges_are_tight(recoding: Recoding | None) -> None:
    found = labels_of(["1", "5", "9", "7"], [0, 0, 1, 1], recoding)
    assert found == ["[1, 5]", "[1, 5]", "[7, 9]", "[7, 9]"]
    assert labels_of(["3", "3"], [0, 0], recoding) == ["3", "3"]
    assert shown(["1", "5", "9", "7"], [0, 0, 1, 1], recoding).loss.tolist() == pytest.approx([0.5, 0.25])


@pytest.mark.parametrize("recoding", [None, Observed()], ids=["boxes", "observed"])
@pytest.mark.parametrize("ranges", ["tight", "cut"])
def test_a_tree_shows_the_lowest_node_above_a_class(pets: Path, ranges: str, recoding: Recoding | None) -> None:
    values, class_of = ["ant", "bee", "cat", "eel", "dog", "dog"], [0, 0, 1, 1, 2, 2]
    found = shown(values, class_of, recoding, trees={"q": shoal.tree(str(pets))}, ranges=ranges)
    assert found.of_class == ["insect", "*", "dog"]
    assert found.loss.tolist() == pytest.approx([1 / 4, 1.0, 0.0])
    assert found.level.tolist() == pytest.approx([1 / 2, 1.0, 0.0])


@pytest.mark.parametrize("recoding", [None, Observed()], ids=["boxes", "observed"])
@pytest.mark.parametrize("ranges", ["tight", "cut"])
def test_sets_are_sorted_and_read_back(ranges: str, recoding: Recoding | None) -> None:
    values, class_of = ["b", "a", "a, b", "{x}", "?"], [0, 0, 1, 1, 1]
    found = shown(values, class_of, recoding, categories="sets", ranges=ranges)
    assert found.of_class[0] == "{a, b}"
    assert labels.read(found.of_class[1]) == labels.OneOf(("", "a, b", "{x}"))
    assert found.loss.tolist() == pytest.approx([1 / 4, 2 / 4])  # of five values, missing among them
    assert np.isnan(found.level).all()


def test_a_set_is_what_occurs_not_what_lies_between() -> None:
    found = shown(["a", "b", "c", "a", "c"], [1, 0, 1, 1, 1], Observed(), categories="sets")
    assert found.of_class == ["b", "{a, c}"]
    assert found.loss.tolist() == pytest.approx([0.0, 1 / 2])


@pytest.mark.parametrize("ranges", ["tight", "cut"])
def test_missing_values_and_numbers_together_are_anything(ranges: str) -> None:
    assert labels_of(["1", "?", "5", "6"], [0, 0, 1, 1], ranges=ranges)[:2] == ["*", "*"]
    assert labels_of(["?", "?", "5", "6"], [0, 0, 1, 1], ranges=ranges)[:2] == ["", ""]
    assert shown(["1", "?", "5", "6"], [0, 0, 1, 1], ranges=ranges).loss[0] == 1.0


def test_only_what_is_observed_cannot_be_published_with_boundaries_of_cuts() -> None:
    assert 'Hint: set ranges = "tight"' in Observed.refuses("cut")
    assert "publishes the smallest and largest value of each class" in Observed.refuses("cut")
    assert Observed.refuses("tight") == ""
    for recoding in ALL:
        assert recoding is Observed or recoding.refuses("cut") == recoding.refuses("tight") == ""


@given(
    st.lists(st.tuples(st.sampled_from(["1", "2", "5", "9", "?"]), st.sampled_from(sorted(TREE)), st.integers(0, 2))),
    st.sampled_from(["hierarchy", "sets"]),
)
@settings(max_examples=examples(60), deadline=None)
def test_an_observed_label_covers_its_class_and_nothing_smaller_does(
    pets: Path, rows: list[tuple[str, str, int]], categories: str
) -> None:
    """Rows with the same values are in one class."""
    class_of_values = {(n, p): c for n, p, c in rows}
    if not rows:
        return
    numbers = {c: number for number, c in enumerate(dict.fromkeys(class_of_values.values()))}
    class_of = [numbers[class_of_values[n, p]] for n, p, _ in rows]
    table = Classed(
        {"n": [n for n, *_ in rows], "p": [p for _, p, _ in rows]},
        class_of,
        trees={"p": shoal.tree(str(pets))},
        categories=categories,
    )
    found = table.shown(Observed())
    for c in range(table.classes):
        ages = {n for (n, _, _), of in zip(rows, class_of, strict=True) if of == c}
        held = {p for (_, p, _), of in zip(rows, class_of, strict=True) if of == c}
        assert found["n"].of_class[c] == _range_of(ages)
        kinds = {TREE[p] for p in held}
        if categories == "sets":
            assert found["p"].of_class[c] == labels.one_of(held)
        else:
            lowest = held if len(held) == 1 else kinds if len(kinds) == 1 else {"*"}
            assert {found["p"].of_class[c]} == lowest


def _range_of(texts: set[str]) -> str:
    if "?" in texts:
        return "*" if len(texts) > 1 else ""
    return labels.span(str(min(map(int, texts))), str(max(map(int, texts))))


# -- boxes where ranges end at cuts -----------------------------------------------------------------------------------


def test_cut_ranges_say_nobody_s_value() -> None:
    found = labels_of(["11", "15", "19", "27"], [0, 0, 1, 1], ranges="cut")
    low, high = labels.read(found[0]), labels.read(found[2])
    assert isinstance(low, labels.Range) and isinstance(high, labels.Range)
    assert int(low.high) + 1 == int(high.low)  # every whole number is in one of the two
    assert int(low.low) < 11 and int(high.high) > 27


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["134", "150", "180", "211"], ["[130, 165]", "[166, 215]"]),  # the tallest is one person
        (["20", "30", "40", "70"], ["[15, 35]", "[36, 75]"]),
        (["0", "3", "5", "9"], ["[0, 4]", "[5, 10]"]),
        (["11.8", "11.8", "11.9", "11.9"], ["[11.799, 11.85]", "[11.85, 11.901]"]),
    ],
)
def test_cut_ranges_are_round_numbers_outside(values: list[str], expected: list[str]) -> None:
    assert labels_of(values, [0, 0, 1, 1], ranges="cut")[::2] == expected


def test_cut_ranges_lose_what_their_boundaries_lose() -> None:
    values = ["0", "4", "6", "10"]
    assert shown(values, [0, 0, 1, 1], ranges="tight").loss.tolist() == pytest.approx([0.4, 0.4])
    assert shown(values, [0, 0, 1, 1], ranges="cut").loss.tolist() == pytest.approx([0.5, 0.4])  # [0, 5] and [6, 10]


def test_a_box_may_be_wider_than_its_class() -> None:
    """Where nobody lives between a cut and the class, the boundary is that of the cut all the same."""
    table = Classed({"q": ["0", "4", "6", "10", "20"]}, [0, 0, 1, 1, 2], ranges="cut")
    wide = Boxes(np.array([[[0, 1]], [[2, 3]], [[3, 4]]], np.int32))
    assert table.shown(wide)["q"].of_class == ["[0, 5]", "[6, 15]", "[9, 25]"]


@given(st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=2, max_size=12, unique=True))
@settings(max_examples=examples(60), deadline=None)
def test_boundaries_of_reals_cover_their_class(values: list[float]) -> None:
    ordered = sorted(values)
    class_of = [int(ordered.index(value) >= len(values) // 2) for value in values]
    if len({value + 0.0 for value in values}) < len(values):
        return
    for value, label in zip(values, labels_of(values, class_of, ranges="cut"), strict=True):
        meaning = labels.read(label)
        low, high = (meaning.low, meaning.high) if isinstance(meaning, labels.Range) else (meaning.value,) * 2  # type: ignore[union-attr]
        assert float(low) <= value <= float(high)


# -- levels -----------------------------------------------------------------------------------------------------------


def in_pets(pets: Path, by_level: bool = True) -> Classed:
    """Insects in class 0, mammals in class 1, the fish in class 2; and as many towns."""
    columns = {"pet": ["ant", "bee", "cat", "dog", "eel"], "town": ["A", "A", "B", "B", "B"]}
    return Classed(columns, [0, 0, 1, 1, 2], trees={"pet": shoal.tree(str(pets))}, by_level=by_level)


def test_levels_show_the_node_at_the_level_of_the_class(pets: Path) -> None:
    table = in_pets(pets)
    recoding = Levels(np.array([[1, 0], [2, 0], [0, 1]], np.int16))
    pet, town = table.shown(recoding).values()
    assert pet.of_class == ["insect", "*", "eel"] and town.of_class == ["A", "B", "*"]
    assert pet.loss.tolist() == pytest.approx([1 / 4, 1.0, 0.0]) and town.loss.tolist() == [0.0, 0.0, 1.0]
    assert pet.level.tolist() == [0.5, 1.0, 0.0]
    levels = recoding.class_levels()
    assert levels is not None and levels.tolist() == [[1, 0], [2, 0], [0, 1]]


def test_a_column_at_one_level_in_every_class_has_a_rule(pets: Path) -> None:
    table = in_pets(pets)
    rule = Levels(np.array([[1, 0], [1, 0], [1, 1]], np.int16)).rule(table.coded, table.members)
    assert list(rule) == ["pet"]
    assert dict(zip(table.coded.quasi[0].texts, rule["pet"], strict=True)) == TREE
    nothing = Members(np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int64))
    assert Levels(np.zeros((0, 2), np.int16)).rule(table.coded, nothing) == {}


def test_learned_bands_are_named_by_what_is_released() -> None:
    columns = {"q": [str(n) for n in range(8)]}
    table = Classed(columns, [0] * 8, by_level=True)
    level = table.coded.quasi[0].tree.levels[1].of_leaf
    released = np.flatnonzero(level == level[0])[1:]  # the first of its band is left out
    members = Members(released, np.array([0, len(released)]), np.ones(len(released), np.int64))
    label = Levels(np.array([[1]], np.int16)).shown(table.coded, members, 0).of_class
    texts = [table.coded.quasi[0].texts[code] for code in table.coded.counted.quasi[0, released]]
    assert label == [labels.span(min(texts, key=int), max(texts, key=int))]


# -- cuts -------------------------------------------------------------------------------------------------------------


def test_cuts_show_the_same_value_for_a_code_in_every_class(pets: Path) -> None:
    columns = {"age": ["1", "2", "5", "9"], "pet": ["cat", "dog", "eel", "eel"]}
    table = Classed(columns, [0, 0, 1, 2], trees={"pet": shoal.tree(str(pets))})
    order = table.coded.quasi[1].texts
    ends = {text: [order.index(text)] * 2 for text in order}
    ends["cat"] = ends["dog"] = sorted([order.index("cat"), order.index("dog")])
    recoding = Cuts(
        (np.array([[0, 1], [0, 1], [2, 3], [2, 3]], np.int32), np.array([ends[text] for text in order], np.int32))
    )
    age, pet = table.shown(recoding).values()
    assert age.of_class == ["[1, 2]", "[5, 9]", "[5, 9]"] and pet.of_class == ["mammal", "eel", "eel"]
    assert age.loss.tolist() == pytest.approx([1 / 8, 4 / 8, 4 / 8])
    assert pet.loss.tolist() == pytest.approx([1 / 4, 0, 0]) and pet.level.tolist() == [0.5, 0.0, 0.0]
    rule = recoding.rule(table.coded, table.members)
    assert rule["age"] == ["[1, 2]", "[1, 2]", "[5, 9]", "[5, 9]"]
    assert dict(zip(order, rule["pet"], strict=True)) == {"cat": "mammal", "dog": "mammal", "eel": "eel"}


def test_cuts_of_sets_list_all_values_between_even_those_of_other_classes() -> None:
    table = Classed({"q": ["a", "b", "c", "d"]}, [0, 1, 0, 2], categories="sets")
    found = table.shown(Cuts((np.array([[0, 2], [0, 2], [0, 2], [3, 3]], np.int32),)))["q"]
    assert found.of_class == ["{a, b, c}", "{a, b, c}", "d"]
    assert found.loss.tolist() == pytest.approx([2 / 3, 2 / 3, 0])


def test_cut_ranges_of_cuts_end_at_boundaries() -> None:
    table = Classed({"q": ["0", "4", "6", "10"]}, [0, 0, 1, 1], ranges="cut")
    recoding = Cuts((np.array([[0, 1], [0, 1], [2, 3], [2, 3]], np.int32),))
    assert table.shown(recoding)["q"].of_class == ["[0, 5]", "[6, 12]"]


# -- composed ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("categories", ["hierarchy", "sets"])
def test_composed_shows_every_class_as_its_own_recoding_does(pets: Path, categories: str) -> None:
    columns = {"age": ["1", "5", "5", "9", "9", "2"], "pet": ["ant", "bee", "ant", "ant", "ant", "cat"]}
    table = Classed(columns, [2, 2, 1, 0, 0, 3], trees={"pet": shoal.tree(str(pets))}, categories=categories)
    recoding = Composed(((np.array([3, 0]), Exact()), (np.array([1, 2]), Observed())))
    exact, observed, found = (table.shown(each) for each in (Exact(), Observed(), recoding))
    for name, column in found.items():
        for c, own in ((0, exact), (3, exact), (1, observed), (2, observed)):
            assert column.of_class[c] == own[name].of_class[c]
            assert column.loss[c] == own[name].loss[c]
            assert np.array_equal(column.level[c], own[name].level[c], equal_nan=True)
    assert found["age"].of_class == ["9", "5", "[1, 5]", "2"]
    assert recoding.class_levels() is None and recoding.rule(table.coded, table.members) == {}


def test_a_part_without_classes_shows_nothing(pets: Path) -> None:
    columns = {"age": ["1", "5"], "pet": ["ant", "bee"], "town": ["A", "B"]}
    nobody = np.zeros(0, np.int64)
    for categories in ("hierarchy", "sets"):
        table = Classed(columns, [0, 1], trees={"pet": shoal.tree(str(pets))}, categories=categories)
        boxes = Boxes(np.zeros((0, 3, 2), np.int32))
        recoding = Composed(((nobody, Observed()), (np.array([0, 1]), Exact()), (nobody, Exact()), (nobody, boxes)))
        for name, column in table.shown(recoding).items():
            assert column.of_class == table.shown(Exact())[name].of_class


# -- what a reader will take for one class ----------------------------------------------------------------------------


def test_classes_are_alike_where_all_their_labels_are() -> None:
    """An exact 5 and a range from 5 to 5 read the same, whoever wrote them."""
    table = Classed({"n": ["5", "5", "1", "5"], "t": ["a", "b", "a", "a"]}, [0, 1, 2, 0])
    recoding = Composed(((np.array([0]), Exact()), (np.array([1, 2]), Observed())))
    both = list(table.shown(recoding).values())
    assert len(set(alike(both).tolist())) == 3
    numbers = label_numbers(both)
    assert numbers[0, 0] == numbers[1, 0] != numbers[2, 0] and numbers[0, 1] == numbers[2, 1] != numbers[1, 1]
    of_numbers = alike(both[:1])
    assert of_numbers[0] == of_numbers[1] != of_numbers[2]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=10))
@settings(deadline=None)
def test_alike_goes_by_labels_not_by_codes(codes: list[tuple[int, int]]) -> None:
    texts = ["x", "y", "x", "z", "y"]
    nothing = np.zeros(len(codes))
    columns = [Shown(np.array(column), texts, nothing, nothing) for column in zip(*codes, strict=True)]
    told = [(texts[a], texts[b]) for a, b in codes]
    found, numbers = alike(columns).tolist(), label_numbers(columns).tolist()
    for i in range(len(codes)):
        for j in range(len(codes)):
            assert (found[i] == found[j]) == (told[i] == told[j]) == (numbers[i] == numbers[j])


def test_no_class_shows_nothing(pets: Path) -> None:
    table = in_pets(pets)
    nobody = Members(np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int64))
    ranges = tuple(np.array([[0, domain.size - 1]] * domain.size, np.int32) for domain in table.coded.quasi)
    none: list[Recoding] = [
        Exact(),
        Observed(),
        Boxes(np.zeros((0, 2, 2), np.int32)),
        Levels(np.zeros((0, 2), np.int16)),
    ]
    for recoding in [*none, Cuts(ranges), Composed(())]:
        found = shown_columns(recoding, table.coded, nobody)
        assert list(found) == ["pet", "town"]
        assert all(column.of_class == [] and len(column.loss) == 0 for column in found.values())
        assert len(alike(list(found.values()))) == 0


def test_only_levels_are_published_at_levels() -> None:
    table = Classed({"q": ["a", "b"]}, [0, 1])
    for recoding in (Exact(), Observed(), table.boxes(), Cuts(())):
        assert recoding.class_levels() is None
    assert Observed().rule(table.coded, table.members) == {}


def test_labels_that_are_given_are_shown_as_they_are() -> None:
    table = Classed({"age": [1, 2, 5, 6]}, [0, 0, 1, 1])
    partition = Partition.of_rows(
        np.array([0, 0, 1, 1]), 2, np.ones(4, np.int64), Given((("[1, 2]",) * 2 + ("*",) * 2,))
    )
    shown = shown_columns(partition.recoding, table.coded, partition.members)["age"]
    assert shown.of_class == ["[1, 2]", "*"] and np.isnan(shown.loss).all()
    assert partition.recoding.rule(table.coded, partition.members) == {"age": ["[1, 2]", "[1, 2]", "*", "*"]}
    assert Given((("a", None),)).rule(table.coded, partition.members) == {}


def test_a_partition_has_the_rule_and_the_levels_that_all_classes_share(pets: Path) -> None:
    tree = shoal.hierarchies.File(str(pets))
    table = Classed({"pet": ["ant", "cat"], "age": [1, 2]}, [0, 1], {"pet": tree}, by_level=True)
    for levels, shared in (([[1, 1], [1, 1]], {"pet": 1, "age": 1}), ([[0, 1], [1, 1]], {"age": 1})):
        recoding = Levels(np.array(levels, np.int16))
        partition = Partition.of_rows(np.array([0, 1]), 2, np.ones(2, np.int64), recoding)
        assert partition.levels(table.coded) == shared
        assert set(partition.rule(table.coded)) == set(shared)
        assert partition.rule(table.coded)["age"].rows() == [(1, "*"), (2, "*")]
    assert Partition.of_rows(np.array([0, 1]), 2, np.ones(2, np.int64), Exact()).levels(table.coded) == {}
