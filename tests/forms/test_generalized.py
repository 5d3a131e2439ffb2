"""The generalized form: labels that cover their class, sorted rows, nothing else that travels along."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import labels
from shoal.coded.encode import encode
from shoal.coded.partition import Partition
from shoal.forms import Generalized
from shoal.hierarchies import Prefix
from shoal.roles.columns import Column, Data


def released(frame: pl.DataFrame, class_of: list[int], ranges: str = "tight", categories: str = "hierarchy") -> Any:
    """A frame released with these classes; `q` is the quasi-identifier, everything else as it is."""
    columns = {"q": Column(role="quasi-identifier")}
    encoded = encode(frame, columns, Data(), (), categories)
    of_distinct = np.empty(len(encoded.codes), np.int64)
    of_distinct[encoded.row_of] = class_of
    classes = max(class_of) + 1
    low = [min(encoded.codes[np.flatnonzero(of_distinct == c), 0]) for c in range(classes)]
    high = [max(encoded.codes[np.flatnonzero(of_distinct == c), 0]) for c in range(classes)]
    boxes = np.array([[[a, b]] for a, b in zip(low, high, strict=True)], np.int32)
    partition = Partition(of_distinct, classes, boxes=boxes)
    return Generalized().release(frame, encoded, partition, ranges, ())


def labels_of(values: list[Any], class_of: list[int], **how: str) -> list[str]:
    frame = pl.DataFrame({"q": values, "n": [f"{i:02d}" for i in range(len(values))]})
    table = released(frame, class_of, **how).tables["release"]
    return table.sort("n")["q"].cast(pl.String).to_list()  # type: ignore[no-any-return]


def test_ranges_are_tight() -> None:
    assert labels_of(["1", "5", "9", "7"], [0, 0, 1, 1]) == ["[1, 5]", "[1, 5]", "[7, 9]", "[7, 9]"]
    assert labels_of(["3", "3"], [0, 0]) == ["3", "3"]


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
    frame = pl.DataFrame({"q": ["0", "4", "6", "10"]})
    assert released(frame, [0, 0, 1, 1], "tight").loss.ravel().tolist() == pytest.approx([0.4, 0.4])
    assert released(frame, [0, 0, 1, 1], "cut").loss.ravel().tolist() == pytest.approx([0.5, 0.4])  # [0, 5] and [6, 10]


@pytest.mark.parametrize("ranges", ["tight", "cut"])
def test_missing_values_and_numbers_together_are_anything(ranges: str) -> None:
    assert labels_of(["1", "?", "5", "6"], [0, 0, 1, 1], ranges=ranges)[:2] == ["*", "*"]
    assert labels_of(["?", "?", "5", "6"], [0, 0, 1, 1], ranges=ranges)[:2] == ["", ""]
    mixed = released(pl.DataFrame({"q": ["1", "?", "5", "6"]}), [0, 0, 1, 1], ranges)
    assert mixed.loss[0, 0] == 1.0


def test_sets_are_sorted_and_read_back() -> None:
    found = labels_of(["b", "a", "a, b", "{x}", "?"], [0, 0, 1, 1, 1], categories="sets")
    assert found[0] == "{a, b}"
    assert labels.read(found[2]) == labels.OneOf(("", "a, b", "{x}"))


@given(st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=2, max_size=12, unique=True))
@settings(max_examples=60, deadline=None)
def test_boundaries_of_reals_cover_their_class(values: list[float]) -> None:
    ordered = sorted(values)
    class_of = [int(ordered.index(value) >= len(values) // 2) for value in values]
    frame = pl.DataFrame({"q": values, "n": [f"{i:02d}" for i in range(len(values))]})
    if len({value + 0.0 for value in values}) < len(values):
        return
    table = released(frame, class_of, "cut").tables["release"].sort("n")
    for value, label in zip(values, table["q"].cast(pl.String), strict=True):
        meaning = labels.read(label)
        low, high = (meaning.low, meaning.high) if isinstance(meaning, labels.Range) else (meaning.value,) * 2  # type: ignore[union-attr]
        assert float(low) <= value <= float(high)


# -- rows ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "column",
    [
        [0.0, -0.0, 0.0, -0.0],
        [float("nan"), None, float("nan"), None],
        [1.0, 1.5, -2.0, 10.0],
        [10, 9, None, -1],
        ["b", None, "", "a"],
        [True, False, None, True],
    ],
    ids=["zeros", "no numbers", "reals", "integers", "text", "flags"],
)
def test_row_order_is_a_function_of_content(column: list[Any]) -> None:
    frame = pl.DataFrame({"q": ["1"] * 4, "x": pl.Series(column, strict=False)})
    tables = [released(frame[order], [0] * 4).tables["release"] for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1])]
    shown = [str(table["x"].to_list()) for table in tables]
    assert shown[0] == shown[1] == shown[2]
    assert sorted(shown[0]) == sorted(str(column))


def test_suppressed_rows_are_nowhere() -> None:
    frame = pl.DataFrame({"q": ["1", "2", "3"], "x": ["a", "GONE", "b"]})
    found = released(frame, [0, -1, 0])
    assert found.row.tolist() == [0, 2]
    assert "GONE" not in found.tables["release"].write_csv()
    assert found.rows.tolist() == [2]


def test_no_dictionary_travels_along() -> None:
    """A categorical's dictionary could list values that no released row has."""
    frame = pl.DataFrame({"q": ["1", "1", "2"], "x": pl.Series(["a", "b", "GONE"], dtype=pl.Categorical)})
    plan = shoal.Plan(columns={"q": shoal.quasi(Prefix()), "x": shoal.insensitive()}, models=[shoal.KAnonymity(k=2)])
    for out in (
        shoal.anonymize(frame[:2], plan).frame,
        shoal.anonymize(frame.filter(pl.col("x") != "GONE"), plan).frame,
    ):
        assert out["x"].dtype == pl.String
        assert out["q"].dtype == pl.String
