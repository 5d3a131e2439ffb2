"""Words that are one slip away from a known word."""

from __future__ import annotations

import pytest

from shoal.profiling.spelling import corrected, is_one_slip


@pytest.mark.parametrize(
    ("written", "meant"),
    [("protiens", "proteins"), ("phosphotase", "phosphatase"), ("handcap", "handicap"), ("diagnossis", "diagnosis")],
)
def test_one_slip(written: str, meant: str) -> None:
    assert is_one_slip(written, meant) and is_one_slip(meant, written)


@pytest.mark.parametrize(("written", "meant"), [("abcd", "abcd"), ("abcd", "badc"), ("abcd", "ab"), ("abcd", "xbcy")])
def test_no_or_two_slips(written: str, meant: str) -> None:
    assert not is_one_slip(written, meant)


def test_short_ordinary_and_distant_words_are_not_corrected() -> None:
    assert corrected("strok") == () and corrected("content") == () and corrected("qwertyuiop") == ()


def test_all_meanings_must_agree_in_their_role() -> None:
    assert len({sense.idea.role for sense in corrected("hypertensoin")}) == 1
