"""What a cancelled process removes; `tests/test_interrupts.py` cancels real ones."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal import unfinished


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(unfinished, "_paths", set())
    monkeypatch.setattr(unfinished, "_placing", threading.Lock())
    monkeypatch.setattr(unfinished, "_placed", threading.Event())
    handler = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, handler)


def test_unfinished_files_and_folders_are_removed(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    for name in ("part/a.csv", "b.csv", "finished.csv"):
        (tmp_path / name).write_text("x")
    for name in ("part", "b.csv", "finished.csv", "never made"):
        unfinished.register(tmp_path / name)
    unfinished.finished(tmp_path / "finished.csv")
    assert unfinished.abandoned()
    assert [path.name for path in tmp_path.iterdir()] == ["finished.csv"]


def test_after_that_nothing_is_put_in_place() -> None:
    assert unfinished.abandoned()
    done: list[str] = []

    def place() -> None:
        with unfinished.placing():
            done.append("placed")

    thread = threading.Thread(target=place, daemon=True)
    thread.start()
    thread.join(0.2)
    assert thread.is_alive() and done == []


def test_what_is_in_place_is_not_abandoned(tmp_path: Path) -> None:
    unfinished.register(tmp_path / "part")
    (tmp_path / "part").mkdir()
    with unfinished.placing():
        pass
    assert not unfinished.abandoned()
    assert (tmp_path / "part").exists()


def test_a_failed_attempt_can_be_abandoned() -> None:
    with pytest.raises(OSError), unfinished.placing():
        raise OSError
    assert unfinished.abandoned()


def test_ctrl_c_is_held_back_and_reported() -> None:
    done: list[str] = []
    with pytest.warns(UserWarning, match="it was completed"), unfinished.placing():
        os.kill(os.getpid(), signal.SIGINT)
        done.append("placed")
    assert done == ["placed"]
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)


def test_a_forked_process_removes_nothing_of_its_parent(tmp_path: Path) -> None:
    unfinished.register(tmp_path / "part")
    (tmp_path / "part").mkdir()
    child = os.fork()
    if not child:
        unfinished.remove_all()
        os._exit(0)
    os.waitpid(child, 0)
    assert (tmp_path / "part").exists()
