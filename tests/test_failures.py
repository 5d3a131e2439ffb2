"""Foreign errors are described without their message, which may quote the data."""

from __future__ import annotations

import pytest

from shoal.errors import Cancelled, PlanError
from shoal.failures import as_shoal_error

SECRET = "patient 4711"


@pytest.mark.parametrize(
    "error", [ValueError(SECRET), KeyError(SECRET), UnicodeDecodeError("utf-8", b"4711", 0, 1, "")]
)
def test_messages_of_foreign_errors_are_not_repeated(error: Exception) -> None:
    described = as_shoal_error(error)
    assert "4711" not in str(described) and type(error).__name__ in str(described)
    assert described.exit_code == 2


def test_what_a_user_can_act_on_is_said() -> None:
    own = PlanError("No.")
    assert as_shoal_error(own) is own
    assert isinstance(as_shoal_error(KeyboardInterrupt()), Cancelled)
    assert "memory" in str(as_shoal_error(MemoryError()))
    assert "'f.csv': No such file" in str(as_shoal_error(FileNotFoundError(2, "No such file", "f.csv")))
