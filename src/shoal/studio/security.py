"""The gate in front of the studio: every request, also of web sockets, passes here before anything else sees it.

It checks the name by which the studio was called (DNS rebinding), the page that calls it (cross-site requests), the
session or the token, and the size of the body; and it adds the headers for security to every answer.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from shoal.studio import plain_pages
from shoal.studio.access import Access
from shoal.studio.headers import plain_policy, policy, secured

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Message, Receive, Send], Awaitable[None]]

LOCAL = ("127.0.0.1", "localhost", "[::1]")
BODY_AT_MOST = 40_000_000
"""Bytes of a request that is no upload: more than the largest plan."""
_FORM_AT_MOST = 10_000
_SLOW = 0.5
"""Seconds before a wrong token is answered."""
_MULTIPART = 100_000
"""Bytes that the form of an upload may have besides the file."""
_BEAT = "3"
"""What a page answers to the server's question whether it is there, in the protocol of Engine.IO."""
_DRAINED = 30.0
"""Seconds in which the rest of a body that is refused may arrive, to be read and forgotten."""
_SAFE = ("GET", "HEAD", "OPTIONS")
_ANOTHER_NAME = 421
"""The status of a request that calls the studio by a name that is not its own."""


@dataclass(frozen=True)
class Rules:
    """What a request must fulfil.

    `hosts`: the names by which the studio may be called, in lower case; `any_address`: whether any numerical address
    will do, if it listens on all of them. `uploads`: whether files may be uploaded, of at most `upload_limit` bytes.
    """

    port: int
    hosts: tuple[str, ...] = LOCAL
    any_address: bool = False
    tls: bool = False
    uploads: bool = True
    upload_limit: int = 0
    own_name: str = ""
    """A name that no other server of this machine has, so that browsers send the cookie to this one only."""

    @classmethod
    def of(cls, host: str, port: int, **others: Any) -> Rules:
        """The rules of a studio that listens on `host`."""
        own = f"[{host}]" if ":" in host else host.lower()
        is_everywhere = host in ("0.0.0.0", "::")
        names = (socket.gethostname().lower(), socket.getfqdn().lower()) if is_everywhere else (own,)
        is_private = own in LOCAL and not others.get("tls")  # a certificate has other names
        own_name = f"shoal-{secrets.token_hex(4)}.localhost" if is_private else ""
        hosts = dict.fromkeys(name for name in (*LOCAL, *names, own_name) if name)
        return cls(port, tuple(hosts), is_everywhere, own_name=own_name, **others)

    @property
    def scheme(self) -> str:
        """http or https."""
        return "https" if self.tls else "http"

    @property
    def cookie(self) -> str:
        """The name of the cookie; ports share cookies, so that two studios need two names."""
        return f"shoal_studio_{self.port}"

    def allows_host(self, host: str) -> bool:
        """Whether a Host header names this studio, and not a name that someone else made point here."""
        name, given, port = host.lower().rpartition(":")
        if not given or port.endswith("]"):
            name, port = host.lower(), "443" if self.tls else "80"
        if port != str(self.port):
            return False
        return name in self.hosts or (self.any_address and _is_address(name))

    def allows_origin(self, origin: str, host: str) -> bool:
        """Whether a page that calls is one of this studio, as it was called."""
        return origin.lower() == f"{self.scheme}://{host.lower()}"

    def body_limit(self, path: str, method: str) -> int:
        """The largest body of a request to a path, in bytes; -1 if the request is refused."""
        if is_upload(path) and method not in _SAFE:
            return self.upload_limit + _MULTIPART if self.uploads else -1
        return BODY_AT_MOST


class Gate:
    """An ASGI application in front of another, `app`."""

    def __init__(self, app: ASGIApp, access: Access, rules: Rules) -> None:
        self.app = app
        self.access = access
        self.rules = rules

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = _headers(scope)
        refusal = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if refusal is not None or not self._is_known(headers):
                await receive()
                await send({"type": "websocket.close", "code": 1008})
                return
            await self.app(scope, self._while_known(receive, headers), send)
            return
        answer = _Answer(send, self.rules, scope)
        if refusal is not None:
            await answer.refusal(*refusal)
        elif scope["path"] == "/" and "token" in parse_qs(_query(scope)):
            await self._open(scope, answer, headers)
        elif scope["path"] == "/login":
            await self._sign_in(scope, receive, answer)
        elif not self._is_known(headers):
            await answer.unknown()
        elif scope["path"] == "/logout" and scope["method"] == "POST":
            self.access.ended(_cookie(headers, self.rules.cookie))
            await answer.unknown("You are signed out. Enter the token to open the studio again.")
        else:
            await self._forward(scope, receive, answer, headers)

    def _refusal(self, scope: Message, headers: dict[str, str]) -> tuple[int, str] | None:
        """Why a request is refused, whoever sends it."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self.rules.allows_host(host):
            return _ANOTHER_NAME, "This studio does not answer to that name."
        if origin is not None and not self.rules.allows_origin(origin, host):
            return 403, "Another site may not use this studio."
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
            return 403, "Another site may not use this studio."
        changes = scope["type"] == "websocket" or scope["method"] not in _SAFE
        if changes and origin is None and "cookie" in headers and "authorization" not in headers:
            return 403, "A browser that changes something must say where it comes from."
        return None

    def _while_known(self, receive: Receive, headers: dict[str, str]) -> Receive:
        """What a web socket receives, until its session ends; the beats of an open page are no use of it."""

        async def received() -> Message:
            message = await receive()
            if self._is_known(headers, used=message.get("text") != _BEAT):
                return message
            return {"type": "websocket.disconnect", "code": 1008}

        return received

    def _is_known(self, headers: dict[str, str], *, used: bool = True) -> bool:
        """Whether a request has a session or the token; `used`: whether the session goes on because of it."""
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return self.access.is_token(token.strip())
        session = _cookie(headers, self.rules.cookie)
        return bool(session) and self.access.is_session(session, used=used)

    async def _open(self, scope: Message, answer: _Answer, headers: dict[str, str]) -> None:
        """Exchanges the secret of the link for a session; whoever has one already needs no other."""
        given = parse_qs(_query(scope)).get("token", [""])[0]
        session = self.access.opened(given) if scope["method"] == "GET" else None
        if session is None and self._is_known(headers):
            await answer.page(200, plain_pages.go_on())
        elif session is None:
            await asyncio.sleep(_SLOW)
            await answer.unknown("This link was used already, or is not the one that was printed.")
        else:
            await answer.page(200, plain_pages.go_on(), session=session)

    async def _sign_in(self, scope: Message, receive: Receive, answer: _Answer) -> None:
        """Exchanges the token, from a form, for a session."""
        if scope["method"] != "POST":
            await answer.unknown()
            return
        body = await _body(receive, _FORM_AT_MOST)
        token = parse_qs((body or b"").decode("utf-8", "replace")).get("token", [""])[0].strip()
        session = self.access.entered(token)
        if session is None:
            await asyncio.sleep(_SLOW)
            await answer.unknown("That is not the token of this studio.")
        else:
            await answer.page(200, plain_pages.go_on(), session=session)

    async def _forward(self, scope: Message, receive: Receive, answer: _Answer, headers: dict[str, str]) -> None:
        """Lets the application answer, unless the body of the request is too large."""
        limit, received = self.rules.body_limit(scope["path"], scope["method"]), 0
        length = headers.get("content-length", "0")
        if limit < 0:
            await _drain(receive, headers)
            await answer.error(403, "This studio takes no uploads.")
            return
        if not length.isdecimal() or int(length) > limit:
            await _drain(receive, headers, limit)
            await answer.too_large(limit)
            return

        async def limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                if message.get("more_body"):
                    await _drain(receive, headers, limit)
                await answer.too_large(limit)
                raise _TooLarge
            return message

        with suppress(_TooLarge):
            await self.app(scope, limited, answer.send)


class _TooLarge(Exception):
    """The body of a request exceeds its limit."""


class _Answer:
    """Sends an answer with the headers for security; pages are held back until they are complete, to hash scripts."""

    def __init__(self, send: Send, rules: Rules, scope: Message) -> None:
        self._send = send
        self._rules = rules
        self._path = str(scope["path"])
        self._host = _headers(scope).get("host", "")
        self._asks_for_page = "text/html" in _headers(scope).get("accept", "")
        self._start: Message | None = None
        self._is_page = False
        self._is_sent = False
        self._is_refused = False
        self._body = b""

    async def send(self, message: Message) -> None:
        """What the application calls in place of `send`; nothing more is sent after a refusal."""
        if self._is_refused:
            return
        if message["type"] == "http.response.start":
            self._start = message
            kind = dict(message.get("headers", [])).get(b"content-type", b"")
            self._is_page = kind.startswith(b"text/html") and not self._has_policy(message)
            if not self._is_page:
                await self._begin(plain_policy())
        elif message["type"] == "http.response.body" and self._is_page:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                socket_scheme = "wss" if self._rules.tls else "ws"
                await self._begin(policy(self._body, f"{socket_scheme}://{self._host}"))
                await self._send({"type": "http.response.body", "body": self._body})
        else:
            await self._send(message)

    async def page(self, status: int, text: str, session: str | None = None) -> None:
        """A page without scripts, which may begin a session."""
        headers = [(b"content-type", b"text/html; charset=utf-8")]
        if session is not None:
            cookie = f"{self._rules.cookie}={session}; Path=/; HttpOnly; SameSite=Strict"
            headers.append((b"set-cookie", (cookie + ("; Secure" if self._rules.tls else "")).encode()))
        await self._whole(status, headers, text.encode())

    async def unknown(self, sentence: str = "Open the link that `shoal studio` printed, or enter the token.") -> None:
        """Says that a session or the token is needed: with a form, or to a program as JSON."""
        if self._path.startswith("/api/"):
            await self.error(401, "The token of this studio is needed: Authorization: Bearer TOKEN.")
        else:
            await self.page(401, plain_pages.sign_in(sentence))

    async def refusal(self, status: int, fact: str) -> None:
        """Refuses a request; a browser that asks for a page of an earlier studio is told where the studio is now."""
        if status == _ANOTHER_NAME and self._asks_for_page:
            await self.page(status, plain_pages.other_address())
        else:
            await self.error(status, fact)

    async def error(self, status: int, fact: str) -> None:
        """A refusal as JSON, in the form of all errors of the interface."""
        if self._is_sent:
            return
        body = {"error": fact, "allowed": "", "hint": "", "exit_code": 2}
        headers = [(b"content-type", b"application/json")]
        headers += [(b"www-authenticate", b"Bearer")] if status == 401 else []
        headers += [(b"connection", b"close")] if status == 413 else []  # the rest of the body may still come
        await self._whole(status, headers, json.dumps(body).encode())
        self._is_refused = True

    async def too_large(self, limit: int) -> None:
        """The refusal of a body with more than `limit` bytes."""
        await self.error(413, f"The request is larger than {limit:,} bytes.")

    async def _whole(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        self._start = {
            "type": "http.response.start",
            "status": status,
            "headers": [*headers, (b"content-length", str(len(body)).encode())],
        }
        await self._begin(plain_policy())
        await self._send({"type": "http.response.body", "body": body})

    async def _begin(self, content_policy: str) -> None:
        assert self._start is not None
        self._is_sent = True
        headers = secured(
            list(self._start.get("headers", [])), content_policy=content_policy, tls=self._rules.tls, path=self._path
        )
        await self._send({**self._start, "headers": headers})

    @staticmethod
    def _has_policy(message: Message) -> bool:
        return any(name.lower() == b"content-security-policy" for name, _ in message.get("headers", []))


def is_upload(path: str) -> bool:
    """Whether files are uploaded to a path: that of the interface, or one of NiceGUI."""
    return path == "/api/v1/uploads" or (path.startswith("/_nicegui/client/") and "/upload/" in path)


def _headers(scope: Message) -> dict[str, str]:
    """The headers by name, in lower case; several of a name are joined, so that two hosts match nothing."""
    found: dict[str, str] = {}
    for name, value in scope.get("headers", []):
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}; {text}" if key in found else text
    return found


def _cookie(headers: dict[str, str], name: str) -> str:
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return morsel.value if morsel else ""


def _query(scope: Message) -> str:
    return str(scope.get("query_string", b"").decode("latin-1"))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


async def _drain(receive: Receive, headers: dict[str, str], limit: int = 0) -> None:
    """Reads what is left of a body and forgets it: most programs read no answer before they have sent everything.

    Not if it is far larger than `limit` or too slow, nor if the sender waits for the answer before it sends anything.
    """
    length, most = headers.get("content-length", "0"), max(limit, BODY_AT_MOST)
    if "expect" in headers or not length.isdecimal() or int(length) > limit + most:
        return
    received, more = 0, True
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAINED):
            while more and received <= most:
                message = await receive()
                received += len(message.get("body", b""))
                more = message["type"] == "http.request" and message.get("more_body", False)


async def _body(receive: Receive, limit: int) -> bytes | None:
    """The body of a request; None if it is longer than `limit`."""
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > limit or message["type"] == "http.disconnect":
            return None
    return body
