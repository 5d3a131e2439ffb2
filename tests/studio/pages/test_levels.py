"""Levels that may be published and protected groups, in words."""

from __future__ import annotations

import pytest

from shoal import hierarchies
from shoal.errors import HierarchyError
from shoal.roles.columns import Column
from shoal.studio.pages.levels import _groups, _names, _require, offered, reason_against
from shoal.studio.previews import LevelPreview, Preview

ICD = Column(role="sensitive", hierarchy=hierarchies.Icd9(), protected=("042", "140-239"))


def test_levels_are_offered_with_an_example() -> None:
    levels = [LevelPreview(0, 9, 1, ()), LevelPreview(1, 1, 9, ("*",))]
    assert offered(levels, 0) == {0: "the values themselves", 1: "level 1, such as *"}
    assert offered((), 2) == {2: "level 2"} and offered((), "") == {}


def test_levels_that_depend_on_the_data_cannot_be_limits() -> None:
    assert reason_against({"kind": "learned"}) and reason_against({"kind": "prefix"})
    assert not reason_against({"kind": "prefix", "steps": [2]}) and not reason_against({"kind": "icd9"})


def test_protected_groups_have_names_and_are_nodes() -> None:
    assert set(_names(ICD)) == {"042", "140-239"} and _names(Column(role="sensitive")) == {}
    _require("ill", "140-239", ICD)
    with pytest.raises(HierarchyError):
        _require("ill", "cancer", ICD)


def test_groups_of_frequent_values_are_offered() -> None:
    level = LevelPreview(0, 1, 9, ())
    found = Preview("text", (level,) * 3, ((("042", "001-139", "*"), 9), (("V08", "V01-V91", "*"), 8)))
    assert _groups(found) == ["001-139", "V01-V91"] and _groups(None) == []
