"""Names and rows that make a frame usable as a table."""

from __future__ import annotations

import polars as pl
import pytest

from shoal.errors import TableError
from shoal.table.columns import check_names, require_rows, without_dictionaries


@pytest.mark.parametrize("names", [["age"], ["age", "Age", "age "], ["^a", "a$", "**", "a*"], ["ä", "名", "x" * 500]])
def test_names_that_occur_once_are_accepted(names: list[str]) -> None:
    check_names(names, "The table")


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ([], "The table has no columns"),
        (["age", ""], "1 column without a name: column 2"),
        (["age", " ", "\t"], "2 columns without a name; the first is column 2"),
        (["age", "*"], "pattern: column 2"),
        (["^a.*$"], "pattern: column 1"),
        (["age", "zip", "age"], "1 repeated column name: columns 1, 3"),
        (["age", "\x00person"], "column 2 has a null character in its name"),
        (["a\x00"], "column 1 has a null character in its name"),
    ],
)
def test_other_names_are_refused_with_where_they_stand(names: list[str], says: str) -> None:
    with pytest.raises(TableError, match=says) as caught:
        check_names(names, "The table", hint="look at it.")
    assert str(caught.value).startswith("The table has") and caught.value.allowed


def test_many_repeated_names_are_shown_by_a_few() -> None:
    names = [f"column {i}" for i in range(9)] * 2
    with pytest.raises(TableError, match="9 ") as caught:
        check_names(names, "The table")
    assert "columns 1, 10; 2, 11; 3, 12; 4, 13; 5, 14; …" in str(caught.value)


def test_no_name_is_shown_because_it_may_be_a_cell() -> None:
    for names in (["Meier", "F", "F"], ["Meier", "*"], ["Meier", "^F$"], ["Meier", ""]):
        with pytest.raises(TableError) as caught:
            check_names(names, "table.csv")
        assert "Meier" not in str(caught.value) and "F" not in str(caught.value)


def test_a_table_needs_rows() -> None:
    require_rows(pl.DataFrame({"age": [None]}))
    for frame in (pl.DataFrame({"age": []}), pl.DataFrame()):
        with pytest.raises(TableError, match="no rows"):
            require_rows(frame)


def test_values_that_no_row_has_any_more_are_gone_with_their_dictionary() -> None:
    frame = pl.DataFrame(
        {
            "kind": pl.Series(["secret", "a", None], dtype=pl.Categorical),
            "fixed": pl.Series(["b", "b", None], dtype=pl.Enum(["secret", "b"])),
            "age": [1, 2, 3],
            "text": ["x", "y", None],
        }
    )[1:]
    found = without_dictionaries(frame)
    assert found.dtypes == [pl.String, pl.String, pl.Int64, pl.String]
    assert found.rows() == [("a", "b", 2, "y"), (None, None, 3, None)]
    assert b"secret" not in found.to_arrow().to_batches()[0].serialize().to_pybytes()
