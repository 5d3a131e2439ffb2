"""Every kind of hierarchy is offered for a type that it fits."""

from __future__ import annotations

from typing import get_args

from shoal import hierarchies
from shoal.roles.columns import Type
from shoal.studio.pages.hierarchies import _OF_TYPE, KINDS, _kind_of, _tree_path


def test_every_kind_is_offered() -> None:
    kinds = {cls.kind for cls in hierarchies.ALL}
    assert set(KINDS) == (kinds - {"flat"}) | {"", "tree"}  # "" is value → * for text
    assert set(_OF_TYPE) == set(get_args(Type)) and {kind for kinds in _OF_TYPE.values() for kind in kinds} == set(
        KINDS
    )


def test_groups_that_were_made_here_are_a_tree() -> None:
    assert _kind_of("job", {"kind": "file", "path": _tree_path("job")}) == "tree"
    assert _kind_of("job", {"kind": "file", "path": "other.csv"}) == "file"
    assert _kind_of("job", None) == ""


def test_columns_of_similar_names_have_files_of_their_own() -> None:
    assert _tree_path("Job title") != _tree_path("job-title")
    assert "/" not in _tree_path("../../etc/passwd").removeprefix("hierarchies/")
