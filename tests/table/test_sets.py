"""Sets of items: their canonical text, lists, and what a separator inside an item does."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import TableError
from shoal.table.sets import canonical_sets, read_sets, set_texts, with_lists, with_set_texts

MISSING = ("", "?", "NA")
ITEMS = st.text(st.characters(codec="utf-8", exclude_characters="\x00\x1c\x1d\x1e\x1f|;"), max_size=4)
CELLS = st.none() | st.lists(ITEMS | st.sampled_from(["a", "b", "NA", " a ", "?"]), max_size=5).map("|".join)


def expected(cell: str | None, separator: str = "|") -> list[str]:
    """The items of a cell, straight from the definition."""
    parts = pl.Series((cell or "").split(separator), dtype=pl.String).str.strip_chars().to_list()
    return sorted({part for part in parts if part not in MISSING})


@given(st.lists(CELLS, max_size=8))
def test_sets_have_the_items_of_the_definition(cells: list[str | None]) -> None:
    sets = read_sets(pl.Series("s", cells, dtype=pl.String), "|", MISSING)
    assert sets.lists.to_list() == [expected(cell) for cell in cells]
    assert sets.items.to_list() == sorted({item for cell in cells for item in expected(cell)})
    assert sets.texts("|").to_list() == ["|".join(expected(cell)) or None for cell in cells]


@given(st.lists(CELLS, max_size=8))
def test_canonical_text_stays_as_it_is(cells: list[str | None]) -> None:
    once = canonical_sets(pl.Series("s", cells, dtype=pl.String), "|", MISSING)
    assert canonical_sets(once, "|", MISSING).equals(once)
    assert canonical_sets(once, "|").equals(once)


@given(st.lists(CELLS, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_order_and_repetition_do_not_change_a_set(cells: list[str | None], random: object) -> None:
    def shuffled(cell: str | None) -> str | None:
        parts = [] if cell is None else [*cell.split("|"), *cell.split("|")]
        random.shuffle(parts)  # type: ignore[attr-defined]
        return "|".join(f" {part}" for part in parts)

    other = pl.Series("s", [shuffled(cell) for cell in cells], dtype=pl.String)
    assert canonical_sets(other, "|", MISSING).equals(
        canonical_sets(pl.Series("s", cells, dtype=pl.String), "|", MISSING)
    )


@given(st.lists(st.none() | st.lists(st.none() | ITEMS, max_size=4), max_size=6))
def test_lists_and_their_texts_have_the_same_items(cells: list[list[str | None] | None]) -> None:
    lists = pl.Series("s", cells, dtype=pl.List(pl.String))
    texts = pl.Series("s", ["|".join(item or "" for item in cell or []) for cell in cells], dtype=pl.String)
    assert canonical_sets(lists, "|", MISSING).equals(canonical_sets(texts, "|", MISSING))


def test_lists_of_numbers_and_fixed_length_are_sets_too() -> None:
    assert set_texts(pl.Series("s", [[2, 10], []]), "|").to_list() == ["2|10", None]
    assert set_texts(pl.Series("s", [[1.0, 2.5]]), "|").to_list() == ["1|2.5"]
    assert set_texts(pl.Series("s", [["b", "a"]], dtype=pl.Array(pl.String, 2)), "|").to_list() == ["b|a"]
    assert set_texts(pl.Series("s", ["a|b", None]), "|").to_list() == ["a|b", None]


def test_a_list_with_an_empty_item_does_not_read_as_the_empty_list() -> None:
    assert set_texts(pl.Series("s", [[""], ["", ""], [None], [], None]), "|").to_list() == ["|", "|", "|", None, None]


def test_an_item_with_the_separator_is_refused_without_showing_it() -> None:
    column = pl.Series("symptoms", [["fever", "se|cret"], ["a|b|c"]])
    with pytest.raises(TableError, match="2 items that contain the separator") as refused:
        set_texts(column, "|")
    assert "secret" not in str(refused.value).replace("|", "")
    assert 'items = ";"' in str(refused.value)
    assert set_texts(column, ";").to_list() == ["fever;se|cret", "a|b|c"]


def test_lists_of_records_are_refused() -> None:
    with pytest.raises(TableError, match="Struct"):
        set_texts(pl.Series("s", [[{"a": 1}]]), "|")


def test_frames_change_only_in_the_given_columns() -> None:
    frame = pl.DataFrame({"age": [1, 2], "s": [["a", "b"], []], "t": ["x", "y"]})
    texts = with_set_texts(frame, {"s": "|", "t": "|", "gone": "|"})
    assert texts.to_dict(as_series=False) == {"age": [1, 2], "s": ["a|b", None], "t": ["x", "y"]}
    assert with_lists(texts, {"s": "|", "gone": ";"}).equals(frame)
