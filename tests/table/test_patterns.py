from __future__ import annotations

import pytest

from shoal.table.patterns import identifier_in, identifier_inside, is_numbered, is_prose

HASH = "9f86d081884c7d659a2feaa0c55ad015"


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (["123-45-6789", "987-65-4321"], "social security numbers"),
        (["123 45 6789"], "social security numbers"),
        (["a@b.org", "c.d@e.co.uk"], "e-mail addresses"),
        (["+49 170 1234567", "(555) 123-4567", "555-123-4567"], "telephone numbers"),
        (["2001:db8::1", "fe80::1%eth0", "::ffff:192.0.2.1", "2001:db8::/32", "1:2:3:4:5:6:7:8"], "network addresses"),
        (["123e4567-e89b-12d3-a456-426614174000"], "unique codes"),
        ([HASH, HASH.upper(), HASH[::-1], HASH + HASH], "hashes"),
        (["a@b.org"] * 4 + ["none"], "e-mail addresses"),
    ],
)
def test_identifiers_are_known_by_their_form(values: list[str], what: str) -> None:
    found = identifier_in(values)
    assert found is not None and found.what == what


@pytest.mark.parametrize(
    "values", [[], ["flu"], ["E11.9", "C34.1"], ["2020-01-31"], ["12:30:45"], ["a@b.org", "none", "none"]]
)
def test_other_values_are_not(values: list[str]) -> None:
    assert identifier_in(values) is None


@pytest.mark.parametrize(
    "text",
    [
        "call 555-123-4567 please",
        "call (202) 555-0147 please",
        "tel 2025550147",
        "Tel.: 030 1234567",
        "phone no. 5550147",
        "cell 2025550147, evenings",
        "daughter: 202.555.0147",
        "202 555 0147 (work)",
        "+1 202 555 0147",
        "1-202-555-0147",
        "reach her at +1 (202) 555-0147.",
    ],
)
def test_telephone_numbers_are_known_inside_texts(text: str) -> None:
    found = identifier_inside(["stable", text])
    assert found is not None and found.what == "telephone numbers"


@pytest.mark.parametrize(
    "text",
    [
        "record 2025550147",
        "MRN-555-123-4567",
        "order 555-123-4567-89",
        "E11.9 and C34.1",
        "seen 2020-01-05 and 05.01.2020",
        "call 2020-01-05",
        "tel 20200105",
        "lives in 12345-6789",
        "cell 1234567 counted",
        "hotel 2025550147",
        "doses 100 200 3000",
        "from 192.168.100.200",
    ],
)
def test_other_numbers_inside_texts_are_not(text: str) -> None:
    assert identifier_inside([text]) is None


def test_numbers_with_a_common_prefix() -> None:
    assert is_numbered(["P0001", "P9999"]) and is_numbered(["MRN-12345"])
    assert not is_numbered(["E1165", "C3412"]) and not is_numbered(["12345"]) and not is_numbered(["P12"])
    assert not is_numbered([])


def test_free_text_is_long_or_has_many_words() -> None:
    assert is_prose(["seen on the ward with her son"] * 2) and is_prose(["x" * 50])
    assert not is_prose(["flu", "common cold"]) and not is_prose([])
