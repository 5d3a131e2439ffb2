"""Plots with two axes."""

from __future__ import annotations

from shoal.report.charts.plot import dot, joined, plot, stretched


def test_positions_are_shares_from_the_lower_left() -> None:
    assert joined([(0.0, 0.0), (1.0, 1.0)]) == "M0 1000L1000 0"
    assert 'cx="25%" cy="75%"' in dot(0.25, 0.25, "dot", "<tip>") and "&lt;tip&gt;" in dot(0, 0, "dot", "<tip>")


def test_the_frame_has_round_numbers_on_both_axes() -> None:
    drawn = plot("", (0.4, "share"), (0.0, 20.0), "count", "x & y")
    assert all(f">{each} %</text>" in drawn for each in (0, 10, 20, 30, 40))
    assert all(f">{each}</text>" in drawn for each in (0, 5, 10, 15, 20)) and "x &amp; y" in drawn


def test_lines_keep_their_width_however_wide_the_page_is() -> None:
    assert "non-scaling-stroke" in stretched("M0 0", "line") and 'preserveAspectRatio="none"' in stretched("", "line")
