"""Forms: what is typed becomes what a plan contains."""

from __future__ import annotations

import pytest

from shoal.studio.pages.forms import _inline, _numbers, _written


def test_numbers_are_read_between_commas_and_spaces() -> None:
    assert _numbers("5, 10 20.5") == [5, 10, 20.5] and _numbers("") == []
    with pytest.raises(ValueError):
        _numbers("five")


@pytest.mark.parametrize(
    ("text", "value"), [("12", 12), ("ncp = 0.2", {"ncp": 0.2}), ("{ a = 1 }", {"a": 1}), ("", None)]
)
def test_a_table_is_read_as_toml(text: str, value: object) -> None:
    assert _inline(text) == value


def test_what_is_no_toml_is_refused() -> None:
    with pytest.raises(ValueError):
        _inline("a = = 1")


def test_a_table_is_written_as_it_is_read() -> None:
    assert _inline(_written({"ncp": 0.2})) == {"ncp": 0.2} and _written(None) == "" and _written(3) == "3"
