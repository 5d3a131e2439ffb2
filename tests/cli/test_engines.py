"""The options of engines: the same in every command, and refused before any work is done."""

from __future__ import annotations

import pytest

from shoal.cli.engines import ENGINES, require_engine
from shoal.errors import ShoalError
from tests.cli.conftest import Shoal


@pytest.mark.parametrize("command", ["anonymize", "risk", "verify"])
def test_every_command_with_engines_has_the_same_options(shoal: Shoal, command: str) -> None:
    help = " ".join(shoal(command, "--help").out.split())
    assert "local|stream|spark" in help and "--master" in help and "The master of Spark." in help


@pytest.mark.parametrize("engine", [None, *ENGINES])
def test_known_engines_are_accepted(engine: str | None) -> None:
    require_engine(engine)


def test_unknown_engines_and_masters_of_other_engines_are_refused() -> None:
    with pytest.raises(ShoalError, match=r"no engine 'sparc'.*did you mean 'spark'"):
        require_engine("sparc")
    with pytest.raises(ShoalError, match="--engine spark"):
        require_engine("stream", "local[2]")
    require_engine("spark", "local[2]")
