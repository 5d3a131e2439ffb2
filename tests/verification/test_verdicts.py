"""What verification found holds only where nothing is wrong and every promise is kept."""

from __future__ import annotations

import polars as pl
import pytest

from shoal.models.evidence import Verdict
from shoal.verification.verdicts import Verification, found_wrong, nothing_verified

KEPT = Verdict("k-anonymity", {"k": 2}, True, {"k": 3})
BROKEN = Verdict("l-diversity", {"column": "ill", "l": 2}, False, {"l": 1}, failing=4)
SIZES = pl.Series([3, 5], dtype=pl.Int64)


@pytest.mark.parametrize(
    ("verdicts", "problems", "holds"),
    [
        ((KEPT,), (), True),
        ((KEPT, KEPT), (), True),
        ((KEPT, BROKEN), (), False),
        ((BROKEN,), (), False),
        ((KEPT,), ("The file 'release.csv' was changed.",), False),
    ],
)
def test_one_broken_promise_or_problem_is_enough(
    verdicts: tuple[Verdict, ...], problems: tuple[str, ...], holds: bool
) -> None:
    found = Verification(verdicts, 8, SIZES, problems, notes=("Rows were counted.",))
    assert found.holds is holds
    assert found.classes == 2


def test_nothing_holds_before_it_was_verified() -> None:
    found = nothing_verified()
    assert not found.holds
    assert (found.verdicts, found.rows, found.classes) == ((), 0, 0)
    assert found.problems == ("The release has not been verified.",)


def test_what_stopped_verification_is_told_with_the_rows_that_were_seen() -> None:
    found = found_wrong("This is wrong.", "And this.", rows=7)
    assert not found.holds and found.problems == ("This is wrong.", "And this.")
    assert (found.rows, found.classes, found.notes) == (7, 0, ())
