from __future__ import annotations

import polars as pl
import pytest

from shoal.labels import read
from shoal.regulation.dates import HAS_DATE, is_within_a_year

FINER = (
    *("2020-01-05", "2020-01", "2020/01/05", "05.01.2020", "1/5/2020", "01/05/20", "03/2020", "2020-01-05 14:30"),
    *("2020-01-05T14:30:00Z", "Jan 2020", "January, 2020", "Jan-20", "5 January", "5th of January", "January 5"),
    *("Jan 5, 2020", "5 January 2020", "05-JAN-2020", "05JAN2020", "2020-Jan-05", "2020 Jan"),
    *("2020-Q1", "Q1 2020", "2020Q1", "Q1/2020", "H2 2020", "2020-W05", "2020W05", "W05 2020", "week 5, 2020"),
    *("[2020-01-01, 2020-12-30]", "[2020-Q1, 2020-Q2]", "{2020-01, 2020-02}", "2020-01-01 to 2020-06-30"),
    "2020-01-01/2020-06-30",
)
OTHER = (
    *("2020", "[2020, 2029]", "20-29", "C34.1", "2020.5", "120/80", "8/9/10", "MARCH1", "SEPT2", "12345-6789", "5 mg"),
    *("May", "Q1", "555-123-4567", "5 marbles", "1.2.3", "2020-13", "192.168.1.1", "*", "unknown"),
)


def has_date(label: str) -> bool:
    return bool(pl.Series([label]).str.contains(HAS_DATE).item())


@pytest.mark.parametrize("label", FINER)
def test_parts_of_a_year_are_known_by_their_form(label: str) -> None:
    assert has_date(label) and is_within_a_year(read(label))


@pytest.mark.parametrize("label", OTHER)
def test_other_values_are_no_dates(label: str) -> None:
    assert not has_date(label)


@pytest.mark.parametrize("label", ["[2020-01-01, 2021-12-31]", "[2020-01, 2020-12]", "[2020-Q1, 2021-Q4]", "2020"])
def test_whole_years_are_not_finer_than_a_year(label: str) -> None:
    assert not is_within_a_year(read(label))
