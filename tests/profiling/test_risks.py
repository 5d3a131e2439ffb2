from __future__ import annotations

import polars as pl

from shoal.profiling.risks import risks


def test_a_missing_header_line_is_told_without_the_names() -> None:
    frame = pl.DataFrame({"Ann": ["Bob"] * 3, "F": ["F", "M", "F"], "flu": ["flu"] * 3, "34": [1, 2, 3]})
    (only,) = risks(frame, [])
    assert only.serious and "no header line" in only.text and "flu" not in only.text


def test_spellings_are_told_of_columns_that_may_be_sensitive() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3], "ill": ["flu", "Flu", "gout"]})
    assert [("'ill'" in each.text, each.serious) for each in risks(frame, ["ill"])] == [(True, True)]
    assert not list(risks(frame, []))
