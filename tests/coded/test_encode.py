"""Encoding: integers that mean the same as the table, whatever the order of its rows."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.coded.encode import Encoded, dictionary, distinct_rows, encode, encode_quasi, encode_sensitive
from shoal.errors import HierarchyError, PlanError
from shoal.hierarchies import Dates, File, Intervals, Prefix
from shoal.roles.columns import Column, Data

ABSENT = Data().absent


def quasi(values: list[Any], categories: str = "hierarchy", **settings: Any) -> Any:
    column = Column(role="quasi-identifier", **settings)
    return encode_quasi(pl.Series("q", values), column, ABSENT, categories)


def sensitive(values: list[Any], **settings: Any) -> Any:
    return encode_sensitive(pl.Series("s", values), Column(role="sensitive", **settings), ABSENT)


@given(st.lists(st.one_of(st.none(), st.text(max_size=3)), max_size=30))
@settings(max_examples=50, deadline=None)
def test_a_dictionary_gives_every_value_back(values: list[str | None]) -> None:
    column = pl.Series("x", values, dtype=pl.String)
    codes, distinct = dictionary(column)
    assert [distinct[int(code)] for code in codes] == values
    assert len(distinct) == len(set(values)) == distinct.n_unique()


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([1, 2, None, 1]),
        pl.Series([1.5, None, 2.0, 1.5]),
        pl.Series([True, False, None, True]),
        pl.Series([datetime.date(2020, 1, 1), None, datetime.date(2020, 1, 1), datetime.date(1999, 1, 1)]),
        pl.Series(["a", "b", None, "a"], dtype=pl.Categorical),
        pl.Series([None, None], dtype=pl.String),
    ],
)
def test_a_dictionary_takes_every_kind_of_column(column: pl.Series) -> None:
    codes, distinct = dictionary(column)
    assert [distinct[int(code)] for code in codes] == column.to_list()


def decoded(encoded: Encoded, row: int) -> tuple[str, ...]:
    codes = encoded.codes[encoded.row_of[row]]
    return tuple(column.texts[code] for column, code in zip(encoded.quasi, codes, strict=True))


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "30", "?", ""]),
        st.sampled_from(["a", "b", "NA", "*"]),
        st.sampled_from(["flu", "HIV", None]),
        st.sampled_from(["p", "q", "r"]),
    ),
    min_size=1,
    max_size=20,
)
COLUMNS = {
    "n": Column(role="quasi-identifier"),
    "t": Column(role="quasi-identifier"),
    "d": Column(role="sensitive"),
    "who": Column(role="identifier"),
}


@given(ROWS, st.sampled_from([None, "who"]), st.sampled_from(["hierarchy", "sets"]), st.randoms())
@settings(max_examples=60, deadline=None)
def test_distinct_rows_mean_the_same_as_the_table(
    rows: list[Any], person: str | None, categories: str, rng: Any
) -> None:
    frame = pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")
    found = encode(frame, COLUMNS, Data(person=person), ("d",), categories)
    gone = {"?": "", "NA": "", None: ""}
    for i, (n, t, d, _) in enumerate(rows):
        assert decoded(found, i) == (gone.get(n, n), gone.get(t, t))
        code = found.rows.sensitive["d"].codes[found.row_of[i]]
        assert found.rows.sensitive["d"].labels[code] == (d or "")
    assert found.rows.weight.sum() == len(rows)
    assert np.array_equal(np.bincount(found.row_of, minlength=len(found.codes)), found.rows.weight)
    if person:
        told_apart = {(decoded(found, i), rows[i][2], rows[i][3]) for i in range(len(rows))}
        assert len(found.codes) == len(told_apart)
    order = list(range(len(rows)))
    rng.shuffle(order)
    if not person:  # persons are numbered as they come, and nothing else follows from their numbers
        again = encode(frame[order], COLUMNS, Data(person=person), ("d",), categories)
        assert np.array_equal(again.codes, found.codes)
        assert np.array_equal(again.rows.weight, found.rows.weight)
        assert np.array_equal(again.row_of, found.row_of[order])


def test_more_columns_than_fit_one_number_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 5000, 400).astype(np.int32) for _ in range(30)]
    columns = [np.concatenate([column, column]) for column in columns]
    ids, firsts, counts = distinct_rows(columns)
    assert len(firsts) == 400 and (counts == 2).all()
    assert np.array_equal(ids[:400], ids[400:])
    stacked = np.stack(columns, axis=1)
    assert np.array_equal(stacked[firsts][ids], stacked)
    in_order = [tuple(row) for row in stacked[firsts].tolist()]
    assert in_order == sorted(in_order)


def test_numbers_stand_in_their_order_and_missing_first() -> None:
    column, codes = quasi(["10", "9", "?", "-1", "9"])
    assert column.type == "integer"
    assert column.values.to_list() == [None, -1, 9, 10]
    assert codes.tolist() == [3, 2, 0, 1, 2]
    assert column.has_missing and column.texts == ["", "-1", "9", "10"]
    assert column.position.tolist() == [-1.0, 0.0, 10 / 11, 1.0]


def test_minus_zero_is_zero() -> None:
    column, codes = quasi(["-0.0", "0.0", "1.5"])
    assert column.texts == ["0", "1.5"]
    assert codes.tolist() == [0, 0, 1]


def test_neighbours_beyond_doubles_stay_apart() -> None:
    column, _ = quasi([str(2**62 + n) for n in (0, 1, 4)])
    assert column.position.tolist() == [0.0, 0.25, 1.0]


@pytest.mark.parametrize(
    "values",
    [[str(-(2**63)), "0", str(2**63 - 1)], ["-1.7e308", "0", "1.7e308"], ["5e-324", "1e-323", "1.5e-323"]],
)
def test_positions_of_extreme_numbers_run_from_0_to_1(values: list[str]) -> None:
    column, _ = quasi(values, type="integer" if "." not in values[0] and "e" not in values[0] else "real")
    assert column.position[0] == 0.0 and column.position[-1] == 1.0
    assert 0.3 < column.position[1] < 0.7


def test_one_value_loses_nothing() -> None:
    assert quasi(["7", "7"])[0].position.tolist() == [0.0]
    assert quasi(["?", None])[0].values.to_list() == [None]


def test_top_and_bottom_come_before_anything_else() -> None:
    column, codes = quasi(["3", "50", "95", "120"], bottom=10, top=90)
    assert column.texts == ["10", "50", "90"]
    assert codes.tolist() == [0, 1, 2, 2]
    dates, _ = quasi(["1899-01-01", "2001-05-05"], bottom=datetime.date(1930, 1, 1))
    assert dates.texts == ["1930-01-01", "2001-05-05"]


def test_a_bound_of_another_kind_is_a_plan_error() -> None:
    column, _ = quasi(["-40", "3", "50", "95"], bottom=-30.5, top=60.5)
    assert column.values.to_list() == [-30, 3, 50, 60]  # whole numbers inside the bounds
    column, _ = quasi(["3", "50"], bottom=-(10**30), top=1e300)
    assert column.values.to_list() == [3, 50]
    column, _ = quasi(["3.5", "50"], top=10**30)
    assert column.values.to_list() == [3.5, 50]
    with pytest.raises(PlanError, match="Column 'q' is text, and its top is not"):
        quasi(["a", "b"], top=3)
    with pytest.raises(PlanError, match="Column 'q' is integer, and its top is not"):
        quasi(["1", "2"], top=datetime.date(2020, 1, 1))
    with pytest.raises(PlanError, match="Column 'q' is date, and its top is not"):
        quasi(["2020-01-01"], top=3)


def test_a_tree_stands_depth_first_with_frequent_siblings_first() -> None:
    column, codes = quasi(["a1", "b1", "b2", "b2", "b2", "a1"], hierarchy=Prefix())
    assert column.texts == ["b2", "b1", "a1"]
    assert codes.tolist() == [2, 1, 0, 0, 0, 2]
    assert column.hierarchy.leaves == ("b2", "b1", "a1")


def test_leaves_that_nobody_has_count_for_the_loss(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;x;*\nb;x;*\nc;x;*\nd;y;*\n")
    column, _ = quasi(["a", "b", "d", "?"], hierarchy=File(str(tmp_path / "t.csv")))
    assert column.leaves == 5  # and one for missing
    under = dict(zip(column.texts, column.leaves_under[1].tolist(), strict=True))
    assert under == {"a": 3, "b": 3, "d": 1, "": 1}


def test_ranges_over_a_hierarchy_count_its_leaves(tmp_path: Path) -> None:
    lines = [f"{age};{age // 10}x;*" for age in range(10)] + ["unknown;none;*"]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    column, _ = quasi(["0", "5", "9"], "sets", hierarchy=File(str(tmp_path / "t.csv")))
    assert column.published == "range"
    assert column.leaves == 11
    assert column.position.tolist() == pytest.approx([0.0, 0.5, 0.9])


@pytest.mark.parametrize("categories", ["hierarchy", "sets", "levels"])
@pytest.mark.parametrize("hierarchy", [None, Intervals(widths=(5,)), Dates(), Prefix()])
def test_a_column_of_missing_values_alone_is_a_column(categories: str, hierarchy: Any) -> None:
    column, codes = quasi(["?", None, ""], categories, hierarchy=hierarchy)
    assert codes.tolist() == [0, 0, 0]
    assert column.texts == [""]


def test_a_value_outside_the_hierarchy_is_counted_not_shown(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;*\n")
    with pytest.raises(HierarchyError, match=r"Column 'q': .*does not cover 2 of the column's 3") as caught:
        quasi(["a", "SECRET-1", "SECRET-2"], hierarchy=File(str(tmp_path / "t.csv")))
    assert "SECRET" not in str(caught.value)


def test_sensitive_codes_follow_value_order() -> None:
    assert sensitive(["10", "9", None, "9"], type="integer").labels == ("", "9", "10")
    assert sensitive(["10", "9"]).labels == ("10", "9")  # text, unless the plan says otherwise
    assert sensitive(["2020-05-01", "1999-12-31"], type="date").labels == ("1999-12-31", "2020-05-01")


def test_missing_counts_only_where_the_plan_says_so() -> None:
    assert sensitive(["a", "?"]).missing == 0
    assert sensitive(["a", "?"], missing_counts=True).missing == -1
    assert sensitive(["a", "b"]).missing == -1


def test_a_missing_sensitive_value_is_a_branch_of_its_own_whatever_a_file_says(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;left;*\n;left;*\nb;right;*\n")
    found = sensitive(["b", "a", None], hierarchy=File(str(tmp_path / "t.csv")))
    assert found.labels == ("", "a", "b")
    assert found.hierarchy is not None
    assert found.hierarchy.path(0) == ("", "", "*")
    assert found.hierarchy.path(1) == ("a", "left", "*")


@pytest.mark.parametrize("empty", ["", "  "])
def test_empty_text_is_missing_even_where_the_plan_lists_other_tokens(empty: str) -> None:
    column, _ = encode_quasi(
        pl.Series("q", ["a", empty]), Column(role="quasi-identifier"), Data(missing=("?",)).absent, "hierarchy"
    )
    assert sorted(column.texts) == ["", "a"]
    assert column.has_missing
