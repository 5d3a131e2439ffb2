from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator

import pytest

from shoal.cli import interrupts


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    handler, trace = signal.getsignal(signal.SIGINT), sys.gettrace()
    yield
    signal.signal(signal.SIGINT, handler)
    sys.settrace(trace)


def _run_as(module: str, code: str, **names: object) -> dict[str, object]:
    """Runs code as if it stood in that module."""
    space = {"__name__": module, "kill": lambda: os.kill(os.getpid(), signal.SIGINT), **names}
    exec(compile(code, module, "exec"), space)
    return space


def test_foreign_code_runs_to_its_end() -> None:
    """The library finishes what it was doing; the line of Shoal's after the call is never reached."""
    done: list[str] = []
    library = _run_as(
        "elsewhere", "def work():\n    kill()\n    done.append('work')\n    done.append('end')", done=done
    )
    interrupts.watch()
    with pytest.raises(KeyboardInterrupt):
        _run_as("shoal.made_up", "work()\ndone.append('after')", work=library["work"], done=done)
    assert done == ["work", "end"]


def test_a_frame_that_returns_is_stopped_too() -> None:
    interrupts.watch()
    with pytest.raises(KeyboardInterrupt):
        _run_as("shoal.made_up", "def f(): return kill()\nf()\nreached = 1")


def test_cleaning_up_is_not_interrupted_again() -> None:
    done: list[str] = []
    interrupts.watch()
    with pytest.raises(KeyboardInterrupt):
        _run_as(
            "shoal.made_up",
            "try:\n    kill()\n    reached = 1\nfinally:\n    kill()\n    done.append('clean')",
            done=done,
        )
    assert done == ["clean"]


def test_without_shoal_on_the_way_it_is_the_usual_interrupt() -> None:
    interrupts.watch()
    with pytest.raises(KeyboardInterrupt):
        _run_as("elsewhere", "kill()\nwhile True: pass")
