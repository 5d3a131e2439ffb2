"""Bars."""

from __future__ import annotations

import re

from shoal.report.charts.bars import bars
from shoal.report.document import Chart, Column, Table
from tests.report.charts.drawings import example


def test_bars_are_as_long_as_their_shares() -> None:
    drawn = bars(example("bars"))
    assert re.findall(r'class="mark[^"]*" y="\d+" width="([\d.]+%)"', drawn) == [
        "50%",
        "25%",
        "0%",
        "3.1%",
        "0%",
        "100%",
    ]
    assert "<b>&" not in drawn and "&lt;b&gt;&amp;" in drawn


def test_numbers_stand_beside_their_bars() -> None:
    assert '<span class="numbers">50 %<br>25 %</span>' in bars(example("bars"))
    assert '<span class="numbers">–<br>100 %</span>' in bars(example("bars"))


def test_series_have_a_key_if_there_are_several() -> None:
    assert "share of classes</span>" in bars(example("bars"))


def test_numbers_of_another_kind_stand_in_the_table_only() -> None:
    columns = (Column("size"), Column("share", "share"), Column("rows", "count"))
    drawn = bars(Chart("bars", "b", "", Table(columns, (("5", 0.5, 77),))))
    assert "50 %" in drawn and "77" not in drawn


def test_only_bars_that_are_parts_of_a_whole_have_a_track() -> None:
    """Readers take the track for 100 %."""
    columns = (Column("value"), Column("share", "share"))
    parts = (("flu", 0.2), ("cold", 0.1))
    assert "track" not in bars(Chart("bars", "b", "", Table(columns, parts)))
    assert bars(Chart("bars", "b", "", Table(columns, (*parts, ("gout", 0.9))))).count("track") == 3
