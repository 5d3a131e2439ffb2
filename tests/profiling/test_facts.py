"""Facts of columns: exact counts, and the same codes for text and typed columns."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.profiling.facts import _encoded, _encoded_by_hash, coded, facts
from shoal.roles.columns import Data
from shoal.table import typed
from tests.effort import examples


def test_text_and_numbers_have_the_same_codes() -> None:
    numbers = pl.Series("x", [7, None, 7, 12])
    for column in (numbers, numbers.cast(pl.String), pl.Series("x", ["7", "?", " 7", "12"])):
        found = coded(column)
        assert (found.type, found.codes.tolist(), found.counts.tolist()) == ("integer", [0, -1, 0, 1], [2, 1])


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        (["a", "b", "c"], [0, 1, 2]),  # all differ
        (["1", "2", "3"], [0, 1, 2]),
        (["1", "01", "1"], [0, 1, 0]),
        (["1.0", "1", "?"], [0, 0, -1]),  # one number in two spellings
        ([None, None], [-1, -1]),
    ],
)
def test_codes(values: list[str | None], codes: list[int]) -> None:
    assert coded(pl.Series("x", values, dtype=pl.String)).codes.tolist() == codes


@given(st.lists(st.one_of(st.none(), st.sampled_from(["a", "b", "?", "7", " 7", "8.5"])), max_size=30))
@settings(max_examples=examples(100), deadline=None)
def test_counts_are_exact(cells: list[str | None]) -> None:
    about, codes = facts(pl.Series("x", cells, dtype=pl.String))
    present = [cell for cell in cells if cell not in (None, "?")]
    counts = Counter(float(cell) if about.is_number else cell for cell in present)
    assert (about.rows, about.known, about.distinct) == (len(cells), len(present), len(counts))
    assert about.once == sum(times == 1 for times in counts.values())
    assert sorted(codes.counts.tolist()) == sorted(counts.values())


def test_what_a_column_is() -> None:
    def about(values: list[Any]) -> Any:
        return facts(pl.Series("x", values))[0]

    assert about([1, 2, 2]).span == (1.0, 2.0)
    assert about(["a", "b"]).span == about([]).span == (0.0, 0.0)
    assert about([f"She came on day {i} and was seen by the doctor of the ward" for i in range(50)]).is_prose
    assert not about(["Malignant neoplasm of the upper lobe of the right lung", "flu"] * 50).is_prose
    assert about([date(2020, 1, 1)]).type == "date"
    assert about(list(range(100))).nearly_unique and not about([1, 1, 2]).nearly_unique


def test_a_sample_is_small_and_repeatable() -> None:
    column = pl.Series("x", [f"v{i}" for i in range(1_000)])
    assert len(facts(column)[0].sample) == 40
    assert facts(column)[0].sample == facts(column)[0].sample


@given(st.lists(st.one_of(st.none(), st.sampled_from(["a", "b", "?", "", "ä", "7"])), min_size=1, max_size=20))
@settings(max_examples=examples(100), deadline=None)
def test_hashes_give_the_codes_of_texts(cells: list[str | None]) -> None:
    column = pl.Series("x", cells, dtype=pl.String)
    plain_codes, plain = _encoded(column)
    hashed = _encoded_by_hash(column)
    assert hashed is not None
    assert (hashed[0].tolist(), hashed[1].to_list()) == (plain_codes.tolist(), plain.to_list())


def test_texts_with_the_same_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pl.Series, "hash", lambda texts: pl.Series([0] * len(texts), dtype=pl.UInt64))
    column = pl.Series("x", ["a", "b", "a"])
    assert _encoded_by_hash(column) is None
    monkeypatch.setattr("shoal.profiling.facts._LONG", 0)
    assert coded(column).codes.tolist() == [0, 1, 0]


@given(
    st.lists(
        st.from_regex(r"-?0?[0-9]{1,19}|1e3|x7|2020-01-0[1-9]|1,5|-?0?[0-9]{1,3}[.][0-9]{0,20}", fullmatch=True),
        max_size=8,
    )
)
@settings(max_examples=examples(200), deadline=None)
def test_shortcuts_infer_the_type_that_the_table_has(cells: list[str]) -> None:
    column = pl.Series("x", cells, dtype=pl.String)
    expected = typed(column, type=None, missing=Data().missing)
    assert coded(column).type == expected.type
    assert coded(column).values.to_list() == expected.values.drop_nulls().unique(maintain_order=True).to_list()
