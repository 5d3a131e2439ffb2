from __future__ import annotations

import polars as pl
import pytest

from shoal.roles.columns import quasi
from shoal.warnings.dates import ambiguous_dates
from tests.warnings.cases import case


@pytest.mark.parametrize("time", ["", " 10:15"])
def test_dates_whose_days_and_months_could_be_swapped_are_noticed(time: str) -> None:
    frame = pl.DataFrame({"born": [f"01/02/1970{time}", f"03/04/1971{time}", "?"]})
    (only,) = ambiguous_dates(case(frame, {"born": quasi()}, [0] * 3))
    assert "'born'" in only.text and 'dates = "day-first"' in only.text and "1970" not in only.text


@pytest.mark.parametrize(
    "values", [["31/02/1970", "x"], ["a", "b"], ["31/01/1970", "01/31/1970"], ["31/01/1970"], ["?"]]
)
def test_other_columns_are_not(values: list[str]) -> None:
    assert not list(ambiguous_dates(case(pl.DataFrame({"born": values}), {"born": quasi()}, [0] * len(values))))


def test_a_column_that_the_plan_declares_text_is_not() -> None:
    frame = pl.DataFrame({"born": ["01/02/1970"]})
    assert not list(ambiguous_dates(case(frame, {"born": quasi(type="text")}, [0])))
