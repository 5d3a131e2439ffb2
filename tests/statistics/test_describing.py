"""Figures of one column, worked by hand."""

from __future__ import annotations

from shoal.statistics.describing import described
from tests.statistics.sides import Rows, sides


def test_numbers_worked_by_hand() -> None:
    """Ages 20, 24, 30, 40 are released as [20, 24] twice and [30, 40] twice."""
    ages = {"age": [20.0, 24.0, 30.0, 40.0]}
    found = described("age", sides(ages, {"age": [(20, 24), (20, 24), (30, 40), (30, 40)]}))
    by_name = {each.name: each for each in found.figures}
    mean, median = by_name["mean"], by_name["median"]
    assert (mean.before, mean.after, mean.low, mean.high, mean.difference) == (28.5, 28.5, 25.0, 32.0, 0.0)
    assert (median.before, median.after, median.low, median.high) == (27.0, 28.5, 25.0, 32.0)
    # a quarter of four rows is one row: the mean of the first and the second value
    assert (by_name["lower quartile"].before, by_name["lower quartile"].after) == (22.0, 22.0)
    assert by_name["standard deviation"].after == 6.5
    assert (found.rows_before, found.rows_after, found.rows_unknown) == (4, 4, 0)


def test_rows_without_ends_are_left_out_and_counted() -> None:
    inf = float("inf")
    found = described("age", sides({"age": [1.0, 2.0, 3.0]}, {"age": [(1, 3), (-inf, inf), None]}))
    assert (found.rows_after, found.rows_unknown) == (1, 1)
    assert found.figures[0].after == 2.0


def test_few_rows_show_no_figure() -> None:
    found = described("age", sides({"age": [1.0, 2.0]}, {"age": [1.0, 2.0]}, fewest=3))
    assert found.figures == () and "Fewer than 3 rows" in found.notes[0]


def test_frequencies_worked_by_hand() -> None:
    """Of six rows, three are A, two B and one C; one A is released in the set {A, B}."""
    before: Rows = {"job": ["A", "A", "A", "B", "B", "C"]}
    after: Rows = {"job": ["A", "A", {"A", "B"}, "B", "B", "C"]}
    found = described("job", sides(before, after, job=["A", "B"]))
    a, b, others = found.figures
    assert (a.name, a.before, a.after, a.low, a.high) == ("A", 0.5, 0.4166666667, 0.3333333333, 0.5)
    assert (b.before, b.low, b.high) == (0.3333333333, 0.3333333333, 0.5)
    assert (others.name, others.before, others.low, others.high) == ("all other values", *[0.1666666667] * 3)


def test_too_few_others_are_merged_with_missing_values_and_then_with_the_rarest_level() -> None:
    rows: Rows = {"job": ["A"] * 5 + ["B"] * 4 + ["C"] + [None] * 3}
    names = [each.name for each in described("job", sides(rows, rows, 3, job=["A", "B"])).figures]
    assert names == ["A", "B", "all other values, or missing"]
    rows = {"job": ["A"] * 5 + ["B"] * 4 + ["C"]}
    found = described("job", sides(rows, rows, 3, job=["A", "B"]))
    assert [(each.name, each.before) for each in found.figures] == [("A", 0.5), ("all other values", 0.5)]


def test_missing_values_are_a_category_of_their_own() -> None:
    rows: Rows = {"job": ["A"] * 5 + [None] * 5}
    found = described("job", sides(rows, rows, 3, job=["A"]))
    assert [(each.name, each.before) for each in found.figures] == [("A", 0.5), ("missing", 0.5)]
