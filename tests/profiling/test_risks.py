from __future__ import annotations

from shoal.profiling.risks import risks


def test_a_missing_header_line_is_told_without_the_names() -> None:
    (only,) = risks(["Ann", "F", "flu", "34"], {"F", "flu"}, {})
    assert only.serious and "no header line" in only.text and "flu" not in only.text


def test_spellings_are_told_of_columns_that_may_be_sensitive() -> None:
    found = list(risks(["age", "ill", "fit"], set(), {"ill": 1, "fit": 0}))
    assert [("'ill'" in each.text, each.serious) for each in found] == [(True, True)]
    assert not list(risks(["age", "ill"], set(), {}))
