from __future__ import annotations

import pytest

from shoal.table.header import may_be_absent, seems_absent

ROW = ["Ann Lee", "1970-01-31", "12345", "F", "flu"]


def test_a_row_of_data_is_recognized() -> None:
    assert seems_absent(ROW, lambda name: name in ("F", "flu"))
    assert seems_absent(["F", "flu"], lambda name: True) and seems_absent(["F"], lambda name: True)


@pytest.mark.parametrize(
    "names",
    [["name", "birth", "zip", "sex", "diagnosis"], ["country", "2019", "2020", "2021"], ["2019", "2020"], ["F"]],
)
def test_names_are_not_taken_for_data(names: list[str]) -> None:
    assert not seems_absent(names, lambda name: False)


def test_one_column_that_contains_its_name_proves_nothing() -> None:
    assert not seems_absent(["sex", "age", "diagnosis", "ill"], lambda name: name == "ill")


def test_errors_are_careful_with_names_that_may_be_data() -> None:
    assert may_be_absent(ROW) and may_be_absent(["34", "F"]) and may_be_absent(["a@b.org", "sex"])
    assert not may_be_absent(["age", "sex"]) and not may_be_absent(["country", "area", "2019"])
