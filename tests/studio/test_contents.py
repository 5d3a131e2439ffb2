"""What a release contains next to its input, in counts that name nobody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.progress import silent
from shoal.studio.contents import contents, lattice

PLAN = """
[data]
source = "t.csv"
[columns.age]
role = "quasi-identifier"
hierarchy = { kind = "intervals", widths = [10, 50] }
[columns.name]
role = "identifier"
[columns.ill]
role = "sensitive"
[[models]]
kind = "k-anonymity"
k = 3
[algorithm]
kind = "optimal"
"""


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("contents")
    rows = [f"{20 + row % 7 + (50 if row == 0 else 0)},n{row},{'flu' if row % 9 else 'rare'}" for row in range(40)]
    (folder / "t.csv").write_text("age,name,ill\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    shoal.anonymize_to(shoal.read_plan(folder / "plan.toml"), folder / "out")
    return folder / "out", folder / "plan.toml"


def test_columns_are_counted_before_and_after(released: tuple[Path, Path]) -> None:
    found = contents(*released, silent)
    by_name: dict[str, dict[str, Any]] = {column["name"]: column for column in found["columns"]}
    assert set(by_name) == {"age", "ill"}
    for column in by_name.values():
        for side in ("before", "after"):
            assert sum(rows for _, rows in column[side]["values"]) + column[side]["rows_of_others"] == 40
    assert by_name["age"]["before"]["distinct"] == 8 > by_name["age"]["after"]["distinct"]
    assert by_name["ill"]["before"] == by_name["ill"]["after"]


def test_values_of_few_rows_are_not_named(released: tuple[Path, Path]) -> None:
    ages = next(column for column in contents(*released, silent)["columns"] if column["name"] == "age")
    assert "70" not in [value for value, _ in ages["before"]["values"]] and ages["before"]["others"] == 1


def test_every_row_is_in_a_class_of_some_size(released: tuple[Path, Path]) -> None:
    sizes = contents(*released, silent)["classes"]
    assert sum(each["rows"] for each in sizes) == 40
    assert all(each["from"] <= each["to"] for each in sizes) and sizes[0]["from"] >= 3


def test_the_lattice_is_explored(released: tuple[Path, Path]) -> None:
    found = lattice(released[1], silent)
    assert found["headline"] and found["svg"].lstrip().startswith("<svg") and found["best"]["rows"]
