"""Ranges."""

from __future__ import annotations

from shoal.report.charts.ranges import ranges
from shoal.report.document import Chart, Column, Table
from tests.report.charts.drawings import example


def test_a_range_from_low_to_high_with_its_middle_and_reference() -> None:
    drawn = ranges(example("ranges"))
    assert '<rect class="range" x="16.667%" y="8.0" width="83.333%"' in drawn and "10 % to 60 %" in drawn
    assert '<line class="reference" x1="50%" x2="50%"' in drawn
    assert drawn.count('class="reference"') == 2, "one row has a reference, and the key"


def test_the_key_names_every_mark() -> None:
    drawn = ranges(example("ranges"))
    assert all(f"</svg>{name}</span>" in drawn for name in ("5 % to 95 %", "median", "table"))


def test_negative_numbers_lie_left_of_zero() -> None:
    columns = (Column("pair"), *(Column(name, "number") for name in ("low", "after", "high")))
    drawn = ranges(Chart("ranges", "r", "", Table(columns, (("a, b", -1.0, -0.5, 0.0),))))
    assert '<rect class="range" x="0%" y="8.0" width="50%"' in drawn and 'cx="25%"' in drawn
