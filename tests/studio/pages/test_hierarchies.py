"""Every kind of hierarchy is offered for a type that it fits."""

from __future__ import annotations

from typing import get_args

from shoal import hierarchies
from shoal.roles.columns import Type
from shoal.studio import groups
from shoal.studio.pages.hierarchies import _OF_TYPE, KINDS, _in_words, _kind_of


def test_every_kind_is_offered() -> None:
    kinds = {cls.kind for cls in hierarchies.ALL}
    assert set(KINDS) == (kinds - {"flat"}) | {"", "tree"}  # "" is value → * for text
    assert set(_OF_TYPE) == set(get_args(Type)) and {kind for kinds in _OF_TYPE.values() for kind in kinds} == set(
        KINDS
    )


def test_groups_that_were_made_here_are_a_tree() -> None:
    assert _kind_of("job", {"kind": "file", "path": groups.first_of("job")}) == "tree"
    assert _kind_of("job", {"kind": "file", "path": "other.csv"}) == "file"
    assert _kind_of("job", None) == ""


def test_a_sensitive_column_is_released_as_it_is_and_its_tree_is_for_models() -> None:
    assert _in_words("age", {"role": "quasi-identifier"}) == "As needed"
    assert _in_words("ill", {"role": "sensitive"}) == "sensitive · released as it is"
    found = _in_words("ill", {"role": "sensitive", "hierarchy": {"kind": "icd10"}})
    assert found == "sensitive · released as it is; used by models: ICD-10"


def test_a_column_whose_hierarchy_does_not_fit_is_marked_in_the_list() -> None:
    table = {"role": "quasi-identifier", "hierarchy": {"kind": "file", "path": "a.csv"}}
    assert _in_words("age", table, fits=False) == "From a file · does not fit"
