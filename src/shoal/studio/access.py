"""Who may use the studio: whoever opened the link that was printed, once, or knows the token.

The link has a secret of its own, which is worthless after it was used: links stay in the history of a browser. It is
exchanged for a session. The token is for programs, and for people who serve a studio to a team.
"""

from __future__ import annotations

import secrets
import stat
import threading
import time
from pathlib import Path

from shoal.errors import ShoalError
from shoal.studio.files import write_text

SHORTEST_TOKEN = 20
IDLE = 12 * 3600.0
"""Seconds without use after which a session ends."""
_SESSIONS_AT_MOST = 200


class Access:
    """The secrets of a running studio; none of them is written anywhere by this class."""

    def __init__(self, token: str | None = None) -> None:
        self.token = token or secrets.token_urlsafe(32)
        self.link = secrets.token_urlsafe(32)
        self._is_link_used = False
        self._sessions: dict[str, float] = {}
        self._guard = threading.Lock()

    def opened(self, link: str) -> str | None:
        """A new session for the secret of the link, the first time that it is given."""
        with self._guard:
            if self._is_link_used or not _same(link, self.link):
                return None
            self._is_link_used = True
            return self._new_session()

    def entered(self, token: str) -> str | None:
        """A new session for the token."""
        with self._guard:
            return self._new_session() if _same(token, self.token) else None

    def is_session(self, session: str, *, used: bool = True) -> bool:
        """Whether a session is known, and was used in the last hours; `used`: whether this counts as a use."""
        with self._guard:
            now = time.monotonic()
            self._sessions = {known: last for known, last in self._sessions.items() if now - last < IDLE}
            found = [known for known in self._sessions if _same(session, known)]
            if found and used:
                self._sessions[found[0]] = now
            return bool(found)

    def is_token(self, token: str) -> bool:
        """Whether this is the token."""
        return _same(token, self.token)

    def ended(self, session: str) -> None:
        """Ends a session."""
        with self._guard:
            self._sessions = {known: last for known, last in self._sessions.items() if not _same(session, known)}

    def _new_session(self) -> str:
        session = secrets.token_urlsafe(32)
        kept = list(self._sessions.items())[-_SESSIONS_AT_MOST + 1 :]
        self._sessions = {**dict(kept), session: time.monotonic()}
        return session


def read_token(path: Path) -> str:
    """The token in a file that only its owner can read; raises if it is short, or if others can read or write it."""
    try:
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ShoalError(f"Others can read or write the token file '{path}'.", hint=f"chmod 600 {path}")
        token = path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ShoalError(f"The token file '{path}' cannot be read: {reason}.") from None
    if len(token) < SHORTEST_TOKEN or not token.isascii() or len(token.split()) != 1:
        raise ShoalError(
            f"The token in '{path}' is not safe.",
            allowed=f"A token is one word of at least {SHORTEST_TOKEN} ASCII characters.",
            hint="python -c 'import secrets; print(secrets.token_urlsafe(32))' makes one.",
        )
    return token


def write_token(folder: Path, token: str) -> Path:
    """Writes the token of this session to a file that only the owner can read, for programs on this machine."""
    path = folder / "token"
    write_text(path, token + "\n")
    return path


def _same(given: str, known: str) -> bool:
    """Whether both are equal; the time that it takes does not say how much of them is."""
    return secrets.compare_digest(given.encode(), known.encode())
