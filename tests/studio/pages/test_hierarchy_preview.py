"""What previews say about a hierarchy that does not fit."""

from __future__ import annotations

from shoal.errors import ShoalError
from shoal.studio.pages.hierarchy_preview import lacks, problem_of
from shoal.studio.previews import Preview


def test_a_hierarchy_that_lacks_values_has_a_problem() -> None:
    assert problem_of(None, None) == "" and problem_of(Preview("text", (), ()), None) == ""
    assert problem_of(Preview("text", (), (), 3), None) == "lacks 3 values"
    assert problem_of(None, ShoalError("broken")) == "broken"


def test_the_steward_sees_which_values_a_hierarchy_lacks() -> None:
    found = Preview("text", (), (), 7, tuple("abcdefg"))
    assert lacks(found) == "The hierarchy does not have 7 of the values: 'a', 'b', 'c', 'd', 'e' and 2 more."
    assert "lacking" not in repr(found)
