"""A type is stated only if every cell is written in it, and a reader of that type loses nothing."""

from __future__ import annotations

from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.release.field_types import native_type, statistics_type, text_type

MISSING = ["", "?"]


def kind(texts: list[str | None], declared: str | None = None) -> str:
    found = text_type(pl.Series(texts, dtype=pl.String), declared=declared, missing=MISSING)
    return "/".join(found.values())


@pytest.mark.parametrize(
    ("texts", "type"),
    [
        (["1", "-20", "?", ""], "integer"),
        (["01", "2"], "string"),
        (["+1"], "string"),
        ([" 1"], "string"),
        (["9" * 19], "string"),
        (["1", "2.5"], "number"),
        (["1,5"], "string"),
        (["1e999"], "string"),
        (["nan"], "string"),
        (["true", "false"], "boolean"),
        (["2024-02-29"], "date"),
        (["2023-02-29"], "string"),
        (["2024-02-29 10:00:00"], "datetime/%Y-%m-%d %H:%M:%S"),
        (["2024-02-29T10:00:00"], "datetime/%Y-%m-%dT%H:%M:%S"),
        (["2024-02-29T10:00:00Z"], "datetime"),
        (["2024-02-29 25:00:00"], "string"),
        (["2024-02-29 10:00:00", "2024-02-29 10:00:00.5"], "string"),
        (["[1, 2]", "*"], "string"),
        ([None, "?"], "string"),
    ],
)
def test_types_of_text_files(texts: list[str | None], type: str) -> None:
    assert kind(texts) == type


def test_the_plan_decides_where_several_types_fit() -> None:
    assert kind(["1", "2"], "text") == "string"
    assert kind(["1", "2"], "real") == "number"
    assert kind(["1", "2.5"], "integer") == "string"
    assert kind(["2024-01-01"], "datetime") == "date"


@given(st.lists(st.one_of(st.floats(width=32).map(repr), st.integers().map(str), st.sampled_from(["?", "1.", "x"]))))
def test_a_reader_of_the_type_gets_the_number_of_every_text(texts: list[str]) -> None:
    type = kind([*texts])
    if type in ("integer", "number"):
        kept = [text for text in texts if text not in MISSING]
        read = pl.Series(kept).cast(pl.Int64 if type == "integer" else pl.Float64)
        assert read.to_list() == [float(text) if type == "number" else int(text) for text in kept]


def test_categories_are_read_as_texts() -> None:
    cells = pl.Series(["1", "2", None], dtype=pl.Enum(["1", "2"]))
    assert text_type(cells, declared=None, missing=MISSING) == {"type": "integer"}


@pytest.mark.parametrize(
    ("cells", "type"),
    [
        (pl.Series([1], dtype=pl.UInt8), "integer"),
        (pl.Series([1.5]), "number"),
        (pl.Series([True]), "boolean"),
        (pl.Series([date(2024, 1, 1)]), "date"),
        (pl.Series([datetime(2024, 1, 1)]), "datetime"),
        (pl.Series([["a"]]), "array"),
        (pl.Series(["1"]), "string"),
        (pl.Series(["1"], dtype=pl.Categorical), "string"),
    ],
)
def test_native_types(cells: pl.Series, type: str) -> None:
    assert native_type(cells) == {"type": type}


@pytest.mark.parametrize(
    ("texts", "type"),
    [(["1", "2", None], "integer"), (["1", "2.5"], "number"), (["1.50"], "string"), (["a"], "string")],
)
def test_types_of_statistics_files(texts: list[str | None], type: str) -> None:
    assert statistics_type(pl.Series(texts)) == {"type": type}
    assert statistics_type(pl.Series([date(2024, 1, 1)])) == {"type": "date"}
