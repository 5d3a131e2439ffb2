"""Every value gets the label that covers it, or none."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import labels
from shoal.applying.earlier import Earlier
from shoal.applying.labelling import labels_of
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.errors import TableError
from tests.effort import examples


def labelled(
    values: list[Any],
    released: list[str],
    column: shoal.Column | None = None,
    level: int | None = None,
    algorithm: Any = None,
    **release: Any,
) -> list[str | None]:
    """The label of each of these values, in their order."""
    frame = pl.DataFrame({"c": pl.Series(values)})
    algorithm = algorithm or (shoal.Pais() if level is None else shoal.Optimal())
    plan = shoal.Plan(
        columns={"c": column or shoal.quasi()},
        models=[shoal.KAnonymity(k=2)],
        algorithm=algorithm,
        release=shoal.ReleaseSettings(**release),
    )
    fitted = fit(LocalEngine(frame), plan)
    levels = {} if level is None else {"c": level}
    earlier = Earlier("old", "9f2c", plan, levels, {"c": tuple(released)})
    (texts,) = labels_of(fitted.coded, earlier).of_code
    of_value = dict(zip(fitted.engine.distinct("c").values.to_list(), fitted.quasi_codes["c"].tolist(), strict=True))
    return [texts[of_value[value]] for value in values]


def test_numbers_lie_in_ranges() -> None:
    released = ["[20, 29]", "31", "[40, 49]"]
    assert labelled([20, 29, 30, 31, 45, 50, 1], released) == [
        "[20, 29]",
        "[20, 29]",
        None,
        "31",
        "[40, 49]",
        None,
        None,
    ]


def test_reals_may_lie_on_a_shared_end() -> None:
    assert labelled([1.0, 2.5, 3.0], ["[0, 2.5]", "[2.5, 4]"]) == ["[0, 2.5]", "[2.5, 4]", "[2.5, 4]"]


def test_whole_numbers_are_compared_with_reals_and_days_with_times() -> None:
    assert labelled([1, 2], ["[0.5, 1.5]", "[1.75, 4]"]) == ["[0.5, 1.5]", "[1.75, 4]"]
    assert labelled([1.5, 2.0], ["[1, 2]"]) == ["[1, 2]", "[1, 2]"]
    label = "[2020-01-01 06:00:00, 2020-01-03 00:00:00]"
    assert labelled([date(2020, 1, 1), date(2020, 1, 2)], [label]) == [None, label]
    assert labelled([datetime(2020, 1, 2, 3)], ["[2020-01-01, 2020-01-03]"]) == ["[2020-01-01, 2020-01-03]"]


def test_numbers_are_compared_with_labels_of_text_as_text() -> None:
    """Codes such as ZIP codes are text in one table and numbers in another, if none begins with a zero."""
    assert labelled([10001, 2139], ["02139", "10001"]) == ["10001", None]
    assert labelled([10001, 2139], ["02139", "10001", "*"]) == ["10001", "*"]
    assert labelled([1, 2], ["{1, A}"], categories="sets") == ["{1, A}", None]


@pytest.mark.parametrize(("level", "star"), [(1, 3), (None, None)])
def test_intervals_are_written_as_before_if_all_new_numbers_are_whole(level: int | None, star: int | None) -> None:
    """Those of real numbers end where the next begins; those of whole numbers end one before."""
    intervals = shoal.quasi(shoal.intervals(5, 10))
    assert labelled([20, 24, None], ["[20, 25]"], intervals, level=level) == ["[20, 25]", "[20, 25]", ""]
    assert labelled([20, 24], ["[20, 24]"], intervals, level=level) == ["[20, 24]", "[20, 24]"]
    assert labelled([20, 24], ["*"], intervals, level=star) == ["*", "*"]
    with pytest.raises(TableError, match="is real in the new table, but integer in the earlier release"):
        labelled([20.5, 24.0], ["[20, 24]"], intervals, level=level)
    coarse = shoal.quasi(shoal.intervals(5, 10), finest=1)
    with pytest.raises(TableError, match="is integer in the new table, but real in the earlier release"):
        labelled([20, 24], ["[20, 25]"], coarse, level=level)


@pytest.mark.parametrize(
    ("values", "released"), [(["x"], ["[1, 2]"]), ([1], ["[2020-01-01, 2020-01-03]"]), ([date(2020, 1, 1)], ["[1, 2]"])]
)
def test_another_type_is_refused(values: list[Any], released: list[str]) -> None:
    with pytest.raises(TableError, match=r"Column 'c' is .* in the new table, but .* in the earlier release"):
        labelled(values, released)


def test_missing_is_a_value_of_its_own_unless_all_is_generalized() -> None:
    assert labelled([1, None], ["[0, 9]"]) == ["[0, 9]", ""]
    assert labelled([1, None], ["*"]) == ["*", "*"]
    assert labelled([1, None], ["*", ""]) == ["*", ""]
    assert labelled(["a", None], ["a"], categories="sets") == ["a", ""]
    assert labelled(["a", None], ["{, a}"], categories="sets") == ["{, a}", "{, a}"]
    assert labelled(["a", None], ["a"]) == ["a", ""]


def test_sets_and_escaped_values() -> None:
    released = ["{a, b}", "\\*", "c"]
    assert labelled(["a", "*", "c", "d"], released, categories="sets") == ["{a, b}", "\\*", "c", None]
    assert labelled(["a", "d"], ["a", "*"], categories="sets") == ["a", "*"]


def test_rare_values_stay_under_the_star() -> None:
    assert labelled(["a", "z", "*"], ["a", "*"]) == ["a", "*", "*"]
    assert labelled(["*"], ["\\*"]) == ["\\*"]


@pytest.mark.parametrize(
    ("released", "column", "level", "label"),
    [
        (["[20, 24]", "[25, 29]"], shoal.quasi(shoal.intervals(5, 20)), 1, ""),
        (["[20, 29]", "31"], shoal.quasi(), None, ""),
        (["[20, 29]", "*"], shoal.quasi(), None, "*"),
        (["[20, 29]", "*", ""], shoal.quasi(), None, ""),
        (["{, a}", "b"], shoal.quasi(), None, "{, a}"),
        (["2020", "2021"], shoal.quasi(shoal.dates("year")), 1, ""),
        (["*"], shoal.quasi(shoal.prefixes()), 5, "*"),
    ],
)
def test_a_column_may_have_no_values(released: list[str], column: shoal.Column, level: int | None, label: str) -> None:
    assert labelled([None, None], released, column, level) == [label, label]


def test_the_lowest_released_node_is_taken(pets: Path) -> None:
    tree = shoal.quasi(shoal.hierarchies.File(str(pets)))
    assert labelled(["ant", "cat", "eel"], ["insect", "cat", "*"], tree) == ["insect", "cat", "*"]
    assert labelled(["ant", "dog"], ["insect", "cat"], tree) == ["insect", None]


def test_a_level_covers_every_value(pets: Path) -> None:
    tree = shoal.quasi(shoal.hierarchies.File(str(pets)))
    assert labelled(["ant", "eel"], ["insect"], tree, level=1) == ["insect", "fish"]
    assert labelled(["ant", None], ["*"], tree, level=2) == ["*", "*"]
    assert labelled(["a", "*"], ["b"], level=0) == ["a", "\\*"]
    limited = shoal.quasi(shoal.hierarchies.File(str(pets)), finest=1)
    assert labelled(["ant", "eel"], ["insect"], limited, level=1) == ["insect", "fish"]


def test_bands_that_were_learned_are_those_of_the_earlier_release() -> None:
    assert labelled([1, 5, 9, 12], ["[1, 4]", "[5, 9]"], level=1) == ["[1, 4]", "[5, 9]", "[5, 9]", None]
    learned = shoal.quasi(shoal.hierarchies.Learned())
    assert labelled(["a", "b", "x"], ["{a, b}", "c"], learned, level=1) == ["{a, b}", "{a, b}", None]
    assert labelled(["a", "b"], ["group 1 of 4"], learned, level=1) == [None, None]


def test_prefixes_keep_as_many_characters_as_before() -> None:
    prefixes = shoal.quasi(shoal.prefixes())
    assert labelled(["123456", "12", "123"], ["021*"], prefixes, level=2) == ["123*", "12", "123*"]
    assert labelled(["123456", None], ["*"], prefixes, level=4) == ["*", "*"]
    assert labelled(["\\abc", "1234"], ["\\\\ab*", "1"], prefixes, level=1) == ["\\\\ab*", "123*"]
    fixed = shoal.quasi(shoal.hierarchies.Prefix((3, 1)))
    assert labelled(["123456", "02"], ["021*"], fixed, level=1) == ["123*", "02"]


@settings(max_examples=examples(40))
@given(st.lists(st.integers(-50, 50), min_size=1), st.lists(st.integers(-50, 50), min_size=2, unique=True))
def test_every_number_lies_in_its_label_or_in_none(values: list[int], ends: list[int]) -> None:
    ends = sorted(ends)[: len(ends) // 2 * 2]
    ranges = [(low, high) for low, high in zip(ends[::2], ends[1::2], strict=True)]
    released = [labels.span(str(low), str(high)) for low, high in ranges]
    for value, label in zip(values, labelled(values, released), strict=True):
        inside = [text for (low, high), text in zip(ranges, released, strict=True) if low <= value <= high]
        assert [label] == (inside or [None])
