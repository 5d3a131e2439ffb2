"""Set-valued columns that are released without an item."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.models import KAnonymity, KmAnonymity

COLUMNS = {"age": shoal.quasi(), "ill": shoal.quasi_sensitive()}


def warned(cells: list[str], k: int) -> list[str]:
    plan = shoal.Plan(columns=COLUMNS, models=[KAnonymity(k=2), KmAnonymity("ill", k=k, m=2)])
    release = shoal.anonymize(pl.DataFrame({"age": [1] * len(cells), "ill": cells}), plan)
    assert not release.manifest.warnings  # how many items the input had is private
    return [each for each in release.warnings if "without any item" in each]


def test_a_column_that_lost_all_its_items_is_warned_of() -> None:
    (found,) = warned(["rash|fever", "rash", "fever", ""], k=5)
    assert found == (
        "Column 'ill' is released without any item: all 4 items of its released rows were removed to keep the promise "
        "of 'km-anonymity'. Weaken the model, or drop the column."
    )


@pytest.mark.parametrize("cells", [["rash|fever", "rash", "rash", ""], ["", "", "", ""]])
def test_a_column_with_items_left_or_without_any_in_the_input_is_not(cells: list[str]) -> None:
    assert not warned(cells, k=3)
