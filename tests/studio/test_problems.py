"""Errors of the studio are errors of Shoal: they have parts, and the exit code of bad input."""

from __future__ import annotations

import pytest

from shoal.errors import ShoalError
from shoal.studio import problems


@pytest.mark.parametrize("kind", [problems.NoSuchThing, problems.Busy, problems.Refused, problems.TooLarge])
def test_they_are_errors_of_shoal(kind: type[ShoalError]) -> None:
    assert str(kind("No.", hint="yes.")) == "No. Hint: yes." and kind.exit_code == 2
