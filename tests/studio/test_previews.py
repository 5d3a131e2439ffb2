"""Previews of hierarchies on counted values."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta

from shoal.roles.columns import Data, dates, intervals, prefixes, quasi
from shoal.studio.previews import FEWEST_ROWS, preview, type_of

AGES = [("30", 9), ("31", 6), ("47", 2), (None, 3)]


def test_frequent_values_are_shown_at_every_level() -> None:
    found = preview(AGES, quasi(intervals(10, 20)), Data())
    assert found is not None and found.type == "integer"
    assert found.paths == ((("30", "[30, 39]", "[20, 39]", "*"), 9), (("31", "[30, 39]", "[20, 39]", "*"), 6))
    assert [(level.labels, level.smallest) for level in found.levels] == [(3, 2), (2, 2), (2, 2), (1, 17)]


def test_rare_values_are_counted_and_not_shown() -> None:
    found = preview(AGES, quasi(intervals(10)), Data())
    assert found is not None
    shown = [label for level in found.levels for label in level.examples]
    assert "47" not in shown and "[40, 49]" not in shown and FEWEST_ROWS == 5


def test_numbers_without_a_hierarchy_have_no_preview() -> None:
    assert preview(AGES, quasi(), Data()) is None
    assert type_of(AGES, quasi(), Data()) == "integer"


def test_text_without_a_hierarchy_is_kept_or_hidden() -> None:
    found = preview([("a", 5), ("b", 7)], quasi(), Data())
    assert found is not None and [path for path, _ in found.paths] == [("b", "*"), ("a", "*")]


def test_prefixes_and_dates() -> None:
    zips = preview([("10115", 8), ("10117", 5)], quasi(prefixes(3), type="text"), Data())
    assert zips is not None and zips.paths[0][0] == ("10115", "101*", "*")
    days = preview([("2020-02-01", 5)], quasi(dates("year")), Data())
    assert days is not None and days.paths == ((("2020-02-01", "2020", "*"), 5),)


def test_values_that_the_hierarchy_lacks_are_counted(pets: object) -> None:
    from shoal.hierarchies import File

    found = preview([("cat", 5), ("dragon", 5)], quasi(File(str(pets))), Data())
    assert found is not None and found.uncovered == 1 and found.lacking == ("dragon",) and not found.paths
    assert "dragon" not in repr(found)


def test_rare_values_are_in_the_counts_of_their_labels() -> None:
    """36,000 birth dates of few rows each, as in a table of a million rows."""
    first = date(1920, 1, 1)
    values = [(str(first + timedelta(days=day)), 1 + day % 50) for day in range(36_000)]
    found = preview(values, quasi(dates("year")), Data())
    assert found is not None and found.levels[0].labels == 36_000 and found.levels[-1].smallest == 918_000
    years = Counter[str]()
    for value, rows in values:
        years[value[:4]] += rows
    assert (found.levels[1].labels, found.levels[1].smallest) == (len(years), min(years.values()))
