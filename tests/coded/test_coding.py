"""Coding: codes follow the values alone, and missing comes first."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.coded.coding import DistinctValues, Publishing, bounded, code_items, code_quasi, code_sensitive, with_tree
from shoal.coded.domains import QuasiDomain, SensitiveDomain
from shoal.errors import HierarchyError, PlanError, TableError
from shoal.hierarchies import Dates, File, Icd10Cm, Intervals, Learned, Prefix
from shoal.roles.columns import Column, Data

ABSENT = Data().absent
HOW = {
    "hierarchy": Publishing(),
    "sets": Publishing(categories="sets"),
    "levels": Publishing(by_level=True),
}


def distinct(name: str, values: Sequence[Any]) -> DistinctValues:
    """The values of a column, each once, as they first appear."""
    column = pl.Series(name, values)
    each = column.unique(maintain_order=True)
    return DistinctValues(each, pl.Series([column.to_list().count(value) for value in each]).to_numpy())


def quasi(values: list[Any], how: str = "hierarchy", **settings: Any) -> tuple[QuasiDomain, list[int]]:
    """The domain of a column with these values, and the code of each."""
    given_values = distinct("q", values)
    domain, codes = code_quasi(given_values, Column(role="quasi-identifier", **settings), ABSENT, HOW[how])
    assert codes.dtype == "int32"
    return domain, [int(codes[given_values.values.to_list().index(value)]) for value in values]


def sensitive(values: list[Any], **settings: Any) -> SensitiveDomain:
    given_values = distinct("s", values)
    domain, codes = code_sensitive(given_values, Column(role="sensitive", **settings), ABSENT)
    assert codes.dtype == "int32" and sorted(set(codes.tolist())) == list(range(domain.size))
    return domain


@given(st.lists(st.sampled_from(["10", "9", "?", "-1", "2.5", None, ""]), min_size=1, max_size=12), st.randoms())
def test_codes_do_not_depend_on_the_order_of_the_values(values: list[str | None], rng: Any) -> None:
    shuffled = list(values)
    rng.shuffle(shuffled)
    domain, codes = quasi(values, type="real")
    again, others = quasi(shuffled, type="real")
    assert again.texts == domain.texts
    assert sorted(zip(values, codes, strict=True), key=str) == sorted(zip(shuffled, others, strict=True), key=str)
    gone = (None, "", "?")
    assert [domain.values[code] for code in codes] == [None if v in gone else float(v or 0) for v in values]


def test_numbers_stand_in_their_order_and_missing_first() -> None:
    column, codes = quasi(["10", "9", "?", "-1", "9"])
    assert column.type == "integer"
    assert column.values.to_list() == [None, -1, 9, 10]
    assert codes == [3, 2, 0, 1, 2]
    assert column.has_missing and column.texts == ["", "-1", "9", "10"]
    assert column.position.tolist() == [-1.0, 0.0, 10 / 11, 1.0]


def test_minus_zero_is_zero() -> None:
    column, codes = quasi(["-0.0", "0.0", "1.5"])
    assert column.texts == ["0", "1.5"]
    assert codes == [0, 0, 1]


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
    assert codes == [0, 1, 2, 2]
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
    assert codes == [2, 1, 0, 0, 0, 2]
    assert column.hierarchy.leaves == ("b2", "b1", "a1")


def test_leaves_that_nobody_has_count_for_the_loss(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;x;*\nb;x;*\nc;x;*\nd;y;*\n")
    column, _ = quasi(["a", "b", "d", "?"], hierarchy=File(str(tmp_path / "t.csv")))
    assert column.leaves == 5  # and one for missing
    under = dict(zip(column.texts, column.leaves_under[1].tolist(), strict=True))
    assert under == {"a": 3, "b": 3, "d": 1, "": 1}


@pytest.mark.parametrize("categories", ["hierarchy", "sets", "levels"])
@pytest.mark.parametrize("hierarchy", [None, Intervals(widths=(5,)), Dates(), Prefix()])
def test_a_column_of_missing_values_alone_is_a_column(categories: str, hierarchy: Any) -> None:
    column, codes = quasi(["?", None, ""], categories, hierarchy=hierarchy)
    assert codes == [0, 0, 0]
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
    absent = Data(missing=("?",)).absent
    column, _ = code_quasi(distinct("q", ["a", empty]), Column(role="quasi-identifier"), absent, Publishing())
    assert sorted(column.texts) == ["", "a"]
    assert column.has_missing


def test_how_a_column_is_published_depends_on_what_it_holds_and_on_the_plan() -> None:
    assert [quasi(["a", "b"], how)[0].published for how in HOW] == ["tree", "set", "tree"]
    assert [quasi(["1", "2"], how)[0].published for how in HOW] == ["range", "range", "tree"]
    with_hierarchy = [quasi(["1", "2"], how, hierarchy=Intervals(widths=(5,)))[0].published for how in HOW]
    assert with_hierarchy == ["tree", "tree", "tree"]


def test_codes_are_nodes_of_the_finest_level() -> None:
    column, codes = quasi(["1", "2", "7", "", "12"], hierarchy=Intervals(widths=(5, 10)), finest=1, coarsest=2)
    assert sorted(column.texts) == ["", "[0, 4]", "[10, 14]", "[5, 9]"]
    assert codes[0] == codes[1] != codes[2]
    assert column.finest == 1 and column.coarsest == 1 and column.tree.height == 2
    assert column.leaves_under is not None and column.leaves_under[0].max() > 1, "of the whole hierarchy"
    assert column.blocks is not None and not column.too_coarse(0, 0)
    assert column.too_coarse(0, column.size - 1)


def test_labels_made_of_the_data_are_marked_as_learned() -> None:
    assert quasi(["1", "2"], "levels")[0].learned  # no hierarchy was given, and levels are needed
    assert quasi(["1", "2"], hierarchy=Learned())[0].learned
    assert not quasi(["1", "2"], hierarchy=Intervals(widths=(5,)))[0].learned


@pytest.mark.parametrize("ranges", ["tight", "cut"])
def test_the_domain_knows_how_ranges_end(ranges: str) -> None:
    column = Column(role="quasi-identifier")
    domain, _ = code_quasi(distinct("q", ["1", "2"]), column, ABSENT, Publishing(ranges=ranges))
    assert domain.ranges == ranges and domain.settings is column


def test_bounds_are_exact_at_the_edges_of_whole_numbers() -> None:
    values = pl.Series([-(2**63), 0, 2**63 - 1])
    column = Column(role="quasi-identifier", bottom=-1e300, top=1e300)
    assert bounded(values, "integer", column, "q").to_list() == values.to_list()


def test_a_value_that_reads_like_a_label_cannot_be_limited() -> None:
    values = ["02139", "02138", "02*", "1"]
    quasi(values, type="text", hierarchy=Prefix(steps=(4, 2)))
    with pytest.raises(TableError, match="has 1 value that would be read as labels"):
        quasi(values, type="text", hierarchy=Prefix(steps=(4, 2)), coarsest=1)
    quasi(values[:2], type="text", hierarchy=Prefix(steps=(4, 2)), coarsest=1)


class TestProtected:
    def test_the_strong_ancestor_is_the_highest_protected_node(self) -> None:
        domain = sensitive(["C50.1", "C18", "J45.9", None, "C61"], hierarchy=Icd10Cm(), protected=("C50", "C00-D49"))
        strong = dict(zip(domain.labels, domain.strong.tolist(), strict=True))
        assert strong["C50.1"] == strong["C18"] == strong["C61"]
        assert len({strong["C18"], strong["J45.9"], strong[""]}) == 3
        assert (abs(domain.strong[1:] - domain.strong[:-1]) > 0).sum() == 2  # values of a subtree are adjacent

    def test_a_label_that_is_no_node_is_refused_with_a_hint(self) -> None:
        with pytest.raises(HierarchyError, match="'s' protects 'C00-D48', which is no node") as caught:
            sensitive(["C50.1"], hierarchy=Icd10Cm(), protected=("C00-D48",))
        assert "did you mean 'C00-D49'?" in str(caught.value)

    def test_labels_made_from_the_data_are_not_shown(self) -> None:
        with pytest.raises(HierarchyError, match="no node") as caught:
            sensitive(["77771", "77772"], type="integer", hierarchy=Intervals((10,)), protected=("[7777, 7778]",))
        assert "77771" not in str(caught.value) and "77770" not in str(caught.value)

    @pytest.mark.parametrize(
        ("tree", "type_", "label", "accepted"),
        [
            (Intervals((10, 20)), "integer", "[50, 59]", True),
            (Intervals((10, 20)), "integer", "[51, 60]", False),
            (Dates(("year",)), "date", "1950", True),
            (Dates(("year",)), "date", "1950s", False),
            (Prefix((1,)), "text", "z*", True),
            (Icd10Cm(), "text", "C00-D49", True),
            (Icd10Cm(), "text", "c00-d49", False),
        ],
    )
    def test_no_value_decides_whether_a_label_is_accepted(
        self, tree: Any, type_: str, label: str, accepted: bool
    ) -> None:
        values = {"integer": ("11", "55"), "date": ("1950-02-01", "1999-02-01"), "text": ("C50.1", "J45")}[type_]
        for value in values:
            if accepted:
                sensitive([value], hierarchy=tree, type=type_, protected=(label,))
            else:
                with pytest.raises(HierarchyError, match="is no node of its hierarchy"):
                    sensitive([value], hierarchy=tree, type=type_, protected=(label,))

    def test_a_label_of_two_nodes_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_text("a;X;T;*\nX;Y;T;*\nb;Z;U;*\n")
        with pytest.raises(HierarchyError, match="protects 'X', which names several nodes"):
            sensitive(["b"], hierarchy=File(str(tmp_path / "t.csv")), protected=("X",))
        (tmp_path / "t.csv").write_text("X;X;T;*\na;X;T;*\nb;Z;U;*\n")
        assert (
            len(set(sensitive(["a", "X", "b"], hierarchy=File(str(tmp_path / "t.csv")), protected=("X",)).strong)) == 2
        )


@given(st.lists(st.none() | st.lists(st.sampled_from(["a", " b", "c ", "NA", "", "ä"]), max_size=4).map("|".join)))
def test_sets_are_coded_by_their_canonical_texts(cells: list[str | None]) -> None:
    given_values = distinct("s", pl.Series(cells, dtype=pl.String))
    domain, codes = code_items(given_values, Column(role="quasi-sensitive"), ABSENT)
    assert codes.dtype == "int32" and domain.members.dtype == "int32" and domain.offsets.dtype == "int64"
    texts = ["|".join(domain.of_set(code)) for code in range(domain.size)]
    assert texts == sorted(set(texts))
    assert domain.texts.fill_null("").to_list() == texts
    for cell, code in zip(given_values.values, codes.tolist(), strict=True):
        parts = {part.strip() for part in (cell or "").split("|")}
        assert domain.of_set(code) == tuple(sorted(parts - set(ABSENT)))
    assert list(domain.items) == sorted({item for code in range(domain.size) for item in domain.of_set(code)})
    assert domain.lengths.tolist() == [len(domain.of_set(code)) for code in range(domain.size)]


def test_the_hierarchy_of_items_has_them_as_leaves_and_counts_all_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "tree.csv").write_text("a;x;*\nb;x;*\nc;y;*\nd;y;*\ne;y;*\n", encoding="utf-8")
    column = Column(role="quasi-sensitive", hierarchy=File(str(tmp_path / "tree.csv")))
    domain, _ = code_items(distinct("s", ["d|a", "c"]), column, ("",))
    assert domain.hierarchy is None  # a released column may have labels that are no leaves
    found = with_tree(domain, ("",))
    assert found.hierarchy is not None and found.leaves_under is not None
    assert found.hierarchy.leaves == found.items == ("a", "c", "d")
    assert found.hierarchy.path(2) == ("d", "y", "*")
    assert found.leaves_under.tolist() == [[1, 1, 1], [2, 3, 3], [5, 5, 5]]
