"""Parameters describe themselves."""

from __future__ import annotations

from dataclasses import dataclass, fields

import pytest

from shoal import algorithms, hierarchies, models
from shoal.roles.described import parameters

EVERY = [*models.ALL, *algorithms.ALL, *hierarchies.ALL]


@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.kind)
def test_every_field_has_a_meaning_without_marks(cls: type) -> None:
    found = parameters(cls)
    assert [each.name for each in found] == [item.name for item in fields(cls) if item.init]
    for each in found:
        assert each.plain_meaning.endswith(".") and each.allowed
        assert "](" not in each.plain_meaning + each.plain_allowed and "`" not in each.plain_meaning


def test_a_default_is_one_of_the_allowed_words() -> None:
    with_words = [each for cls in EVERY for each in parameters(cls) if each.words]
    assert len(with_words) > 5
    assert all(each.required or each.default in each.words for each in with_words)


def test_a_list_and_a_table_are_told_apart() -> None:
    types = {each.name: each.types for each in parameters(models.MultiSensitive)}
    assert tuple in types["columns"] and tuple not in types["limits"]


def test_a_parameter_without_a_description_is_noticed() -> None:
    @dataclass
    class Silent:
        k: int

    with pytest.raises(AssertionError, match="below k of Silent, write the meaning"):
        parameters(Silent)
