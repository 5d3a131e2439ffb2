from __future__ import annotations

import pytest

from shoal.table.patterns import identifier_in, is_numbered, is_prose

HASH = "9f86d081884c7d659a2feaa0c55ad015"


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (["123-45-6789", "987-65-4321"], "social security numbers"),
        (["123 45 6789"], "social security numbers"),
        (["a@b.org", "c.d@e.co.uk"], "e-mail addresses"),
        (["+49 170 1234567", "(555) 123-4567", "555-123-4567"], "telephone numbers"),
        (["123e4567-e89b-12d3-a456-426614174000"], "unique codes"),
        ([HASH, HASH.upper(), HASH[::-1], HASH + HASH], "hashes"),
        (["a@b.org"] * 4 + ["none"], "e-mail addresses"),
    ],
)
def test_identifiers_are_known_by_their_form(values: list[str], what: str) -> None:
    found = identifier_in(values)
    assert found is not None and found.what == what


@pytest.mark.parametrize("values", [[], ["flu"], ["E11.9", "C34.1"], ["2020-01-31"], ["a@b.org", "none", "none"]])
def test_other_values_are_not(values: list[str]) -> None:
    assert identifier_in(values) is None


def test_numbers_with_a_common_prefix() -> None:
    assert is_numbered(["P0001", "P9999"]) and is_numbered(["MRN-12345"])
    assert not is_numbered(["E1165", "C3412"]) and not is_numbered(["12345"]) and not is_numbered(["P12"])
    assert not is_numbered([])


def test_free_text_is_long_or_has_many_words() -> None:
    assert is_prose(["seen on the ward with her son"] * 2) and is_prose(["x" * 50])
    assert not is_prose(["flu", "common cold"]) and not is_prose([])
