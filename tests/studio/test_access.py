"""Links open a studio once, tokens as often as needed, and nothing else does."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.studio.access import IDLE, Access, read_token, write_token


def test_a_link_is_good_for_one_session() -> None:
    access = Access()
    assert access.opened("") is None and access.opened(access.token) is None
    session = access.opened(access.link)
    assert session and access.is_session(session)
    assert access.opened(access.link) is None
    assert not access.is_session(access.link) and not access.is_token(access.link)
    access.ended(session)
    assert not access.is_session(session)


def test_a_token_is_good_for_many() -> None:
    access = Access("x" * 30)
    first, second = access.entered("x" * 30), access.entered("x" * 30)
    assert first and second and first != second
    assert access.entered("x" * 31) is None and access.entered("é") is None
    assert access.is_token("x" * 30) and not access.is_session("x" * 30)


def test_sessions_end_when_they_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    access = Access("x" * 30)
    used, idle = access.entered("x" * 30), access.entered("x" * 30)
    assert used and idle
    clock[0] = IDLE - 1
    assert access.is_session(used) and access.is_session(idle, used=False)
    clock[0] = IDLE + 1
    assert access.is_session(used) and not access.is_session(idle)


def test_secrets_differ() -> None:
    one, other = Access(), Access()
    assert len({one.token, one.link, other.token, other.link}) == 4


def test_a_token_file_is_private_and_long(tmp_path: Path) -> None:
    path = write_token(tmp_path, "t" * 30)
    assert read_token(path) == "t" * 30 and path.stat().st_mode & 0o777 == 0o600
    for mode in (0o644, 0o640, 0o620, 0o604):
        path.chmod(mode)
        with pytest.raises(ShoalError, match="chmod 600"):
            read_token(path)
    for text in ("short", "", "two words that are long enough", "é" * 30):
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)
        with pytest.raises(ShoalError, match="not safe") as raised:
            read_token(path)
        assert not text or text not in str(raised.value)
    with pytest.raises(ShoalError, match="cannot be read"):
        read_token(tmp_path / "none")
