"""The gate, attacked: other names and sites, no session, old links, large bodies; by pages, programs and sockets."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from shoal.studio import security
from shoal.studio.access import Access
from shoal.studio.security import Gate, Rules, is_upload
from tests import loops

PORT = 8000
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"


class Called:
    """An application that notes what reaches it."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.paths.append(scope["path"])
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
        await send({"type": "http.response.body", "body": b"<script>a()</script>", "more_body": True})
        await send({"type": "http.response.body", "body": b"end"})


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "_SLOW", 0)


@pytest.fixture
def called() -> Called:
    return Called()


@pytest.fixture
def gate(called: Called) -> Gate:
    return Gate(called, Access(), Rules.of("127.0.0.1", PORT, upload_limit=1000))


def ask(
    gate: Gate, method: str = "GET", path: str = "/", query: str = "", body: tuple[bytes, ...] = (b"",), **headers: str
) -> tuple[int, dict[str, str], bytes]:
    given = {"host": HOST, **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in given.items() if value is not None],
    }
    sent: list[Any] = []
    parts = [{"type": "http.request", "body": part, "more_body": n < len(body) - 1} for n, part in enumerate(body)]

    async def receive() -> Any:
        return parts.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    loops.run(gate(scope, receive, send))
    head = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], head, b"".join(message.get("body", b"") for message in sent[1:])


def connect(gate: Gate, **headers: str) -> str:
    """The answer to a web socket: websocket.accept or websocket.close."""
    given = {"host": HOST, **headers}
    scope = {
        "type": "websocket",
        "path": "/_nicegui_ws/socket.io/",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    loops.run(gate(scope, receive, send))
    return str(sent[0]["type"])


def cookie(gate: Gate) -> str:
    _, headers, _ = ask(gate, query=f"token={gate.access.link}")
    return headers["set-cookie"].partition(";")[0]


def test_a_link_is_exchanged_once_for_a_strict_cookie(gate: Gate, called: Called) -> None:
    status, headers, _ = ask(gate, query=f"token={gate.access.link}")
    assert status == 200 and "location" not in headers
    assert headers["set-cookie"].startswith(f"shoal_studio_{PORT}=")
    assert headers["set-cookie"].endswith("; Path=/; HttpOnly; SameSite=Strict")
    session = headers["set-cookie"].partition(";")[0]
    again, headers, body = ask(gate, query=f"token={gate.access.link}")
    assert again == 401 and "set-cookie" not in headers and b"used already" in body
    known, headers, body = ask(gate, query=f"token={gate.access.link}", cookie=session)
    assert known == 200 and "set-cookie" not in headers and b"Open the studio" in body
    assert called.paths == []


def test_a_cookie_opens_pages_and_sockets(gate: Gate, called: Called) -> None:
    session = cookie(gate)
    status, headers, body = ask(gate, cookie=session)
    assert status == 200 and body == b"<script>a()</script>end"
    assert "'sha256-" in headers["content-security-policy"]
    assert connect(gate, cookie=session, origin=ORIGIN) == "websocket.accept"


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.evil.example:{PORT}", ""),
        *(f"{HOST}@evil.example", f"0.0.0.0:{PORT}", f"[::2]:{PORT}", f"localhost.:{PORT}", f"{HOST}:{PORT}", "a:b:c"),
    ],
)
def test_other_names_are_refused_even_with_a_session(gate: Gate, called: Called, host: str) -> None:
    """DNS rebinding: the browser sends the attacker's name, and in the worst case the cookie."""
    session = cookie(gate)
    assert ask(gate, host=host, cookie=session)[0] == 421
    assert ask(gate, host=host, query=f"token={gate.access.link}")[0] == 421
    assert connect(gate, host=host, cookie=session, origin=f"http://{host}") == "websocket.close"
    assert called.paths == []


def test_a_browser_at_the_address_of_an_earlier_studio_is_told_what_to_do(gate: Gate) -> None:
    former = f"shoal-00000000.localhost:{PORT}"
    status, headers, body = ask(gate, host=former, accept="text/html,*/*")
    assert status == 421 and headers["content-type"].startswith("text/html") and b"shoal studio" in body
    assert gate.access.link.encode() not in body and headers["content-security-policy"].startswith("default-src 'none'")
    status, headers, body = ask(gate, host=former, accept="*/*")
    assert status == 421 and headers["content-type"] == "application/json"


@pytest.mark.parametrize("host", [HOST, f"localhost:{PORT}", f"LOCALHOST:{PORT}", f"[::1]:{PORT}"])
def test_own_names_are_known(gate: Gate, host: str) -> None:
    assert ask(gate, host=host, cookie=cookie(gate))[0] == 200


@pytest.mark.parametrize(
    "origin", ["null", "http://evil.example", "https://" + HOST, "http://127.0.0.1:1", "", "file://"]
)
def test_other_sites_are_refused_even_with_a_session(gate: Gate, called: Called, origin: str) -> None:
    session = cookie(gate)
    assert ask(gate, cookie=session, origin=origin)[0] == 403
    assert ask(gate, "POST", "/api/v1/runs", cookie=session, origin=origin)[0] == 403
    assert connect(gate, cookie=session, origin=origin) == "websocket.close"
    assert called.paths == []


def test_a_browser_must_say_where_it_comes_from(gate: Gate, called: Called) -> None:
    session = cookie(gate)
    assert ask(gate, "POST", "/api/v1/runs", cookie=session)[0] == 403
    assert connect(gate, cookie=session) == "websocket.close"
    assert ask(gate, cookie=session, sec_fetch_site="cross-site", sec_fetch_mode="no-cors")[0] == 403
    assert called.paths == []
    assert ask(gate, "POST", "/api/v1/runs", cookie=session, origin=ORIGIN)[0] == 200
    assert ask(gate, cookie=session, sec_fetch_site="cross-site", sec_fetch_mode="navigate")[0] == 200


def test_nothing_is_seen_without_a_session(gate: Gate, called: Called) -> None:
    name = gate.rules.cookie
    for given in (
        {},
        {"cookie": f"{name}="},
        {"cookie": f"{name}=guess"},
        {"cookie": "a=b;;=\x01"},
        {"authorization": "Bearer x"},
    ):
        for path in ("/", "/_nicegui/3/static/nicegui.js", "/api/v1/status", "/api/v1/openapi.json", "/download/x"):
            status, _, body = ask(gate, path=path, **given)
            assert status == 401 and (body.startswith(b"{") == path.startswith("/api/"))
        assert connect(gate, origin=ORIGIN, **given) == "websocket.close"
    assert ask(gate, authorization=f"Bearer {gate.access.link}")[0] == 401
    assert called.paths == []


def test_programs_use_the_token(gate: Gate, called: Called) -> None:
    assert ask(gate, "POST", "/api/v1/runs", authorization=f"Bearer {gate.access.token}")[0] == 200
    assert (
        ask(gate, "GET", "/api/v1/runs", query=f"token={gate.access.token}")[0] == 401
    )  # tokens are not for addresses
    assert called.paths == ["/api/v1/runs"]


def test_signing_in_with_the_token(gate: Gate) -> None:
    wrong = ask(gate, "POST", "/login", body=(b"token=wrong",), origin=ORIGIN)
    assert wrong[0] == 401 and "set-cookie" not in wrong[1]
    assert ask(gate, "POST", "/login", body=(b"token=" + b"x" * 20_000,), origin=ORIGIN)[0] == 401
    right = ask(gate, "POST", "/login", body=(f"token={gate.access.token}".encode(),), origin=ORIGIN)
    assert ask(gate, cookie=right[1]["set-cookie"].partition(";")[0])[0] == 200
    assert ask(gate, "POST", "/login", body=(b"token=x",), origin="http://evil.example")[0] == 403


def test_with_tls_the_cookie_is_secure(called: Called) -> None:
    gate = Gate(called, Access(), Rules.of("127.0.0.1", PORT, tls=True))
    _, headers, _ = ask(gate, query=f"token={gate.access.link}")
    assert headers["set-cookie"].endswith("; Secure") and "strict-transport-security" in headers


def test_uploads_are_limited_by_what_comes_not_by_what_is_said(gate: Gate, called: Called) -> None:
    known = {"authorization": f"Bearer {gate.access.token}"}
    large = (b"x" * 60_000, b"x" * 60_000)
    assert ask(gate, "POST", "/api/v1/uploads", body=large, content_length="120000", **known)[0] == 413
    assert ask(gate, "POST", "/api/v1/uploads", body=large, **known)[0] == 413
    assert ask(gate, "POST", "/api/v1/uploads", body=large, content_length="10", **known)[0] == 413
    assert ask(gate, "POST", "/api/v1/uploads", content_length="-5", **known)[0] == 413
    assert ask(gate, "POST", "/api/v1/uploads", body=(b"x" * 1000,), **known)[0] == 200


class Sender:
    """A client that sends parts of a body one after the other, and notes how many of them were read."""

    def __init__(self, parts: int, size: int = 1000, pause: float = 0.0) -> None:
        self.parts, self.size, self.pause, self.read = parts, size, pause, 0

    async def __call__(self) -> Any:
        await asyncio.sleep(self.pause)
        self.read += 1
        return {"type": "http.request", "body": b"x" * self.size, "more_body": self.read < self.parts}


def uploaded(gate: Gate, sender: Sender, **headers: str) -> tuple[int, dict[str, str], int]:
    """Status and headers of the answer to an upload, and the parts that were read before it was sent."""
    given = {"host": HOST, "authorization": f"Bearer {gate.access.token}", **headers}
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items()]
    scope = {"type": "http", "method": "POST", "path": "/api/v1/uploads", "query_string": b"", "headers": named}
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append((message, sender.read))

    loops.run(gate(scope, sender, send))
    start, read = sent[0]
    return start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, read


def test_a_body_that_is_too_large_is_read_before_it_is_refused(gate: Gate) -> None:
    """Programs that send everything before they read the answer would see a broken connection instead."""
    for headers in ({"content_length": "300000"}, {}):
        status, answer, read = uploaded(gate, Sender(300), **headers)
        assert (status, answer["connection"], read) == (413, "close", 300)
    assert uploaded(gate, Sender(300), content_length="300000", expect="100-continue")[::2] == (413, 0)


def test_a_body_without_end_is_not_read_to_its_end(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    most = security.BODY_AT_MOST
    assert uploaded(gate, Sender(10**9, 1_000_000))[2] <= most // 1_000_000 + 2
    assert uploaded(gate, Sender(10**9, 1_000_000), content_length=str(10**15))[2] == 0
    monkeypatch.setattr(security, "_DRAINED", 0.2)
    status, _, read = uploaded(gate, Sender(10**9, 1, pause=0.05), content_length="500000")
    assert status == 413 and read < 10


def test_read_only_inputs_take_no_uploads(called: Called) -> None:
    gate = Gate(called, Access(), Rules.of("127.0.0.1", PORT, uploads=False))
    known = {"authorization": f"Bearer {gate.access.token}"}
    for path in ("/api/v1/uploads", "/_nicegui/client/abc/upload/5"):
        assert is_upload(path) and ask(gate, "POST", path, **known)[0] == 403
    assert called.paths == []
    assert ask(gate, "GET", "/api/v1/uploads", **known)[0] == 200  # what was uploaded before can be listed


def test_a_studio_of_this_machine_has_a_name_of_its_own(gate: Gate) -> None:
    name = gate.rules.own_name
    assert re.fullmatch(r"shoal-[0-9a-f]{8}\.localhost", name)
    host = f"{name}:{PORT}"
    _, headers, _ = ask(gate, query=f"token={gate.access.link}", host=host)
    session = headers["set-cookie"].partition(";")[0]
    assert "domain" not in headers["set-cookie"].lower()  # sent to this name only
    assert ask(gate, "POST", "/api/v1/runs", host=host, origin=f"http://{host}", cookie=session)[0] == 200
    assert ask(gate, "POST", "/api/v1/runs", host=host, origin=ORIGIN, cookie=session)[0] == 403
    assert ask(gate, host=f"shoal-00000000.localhost:{PORT}", cookie=session)[0] == 421
    assert Rules.of("studio.example.org", PORT).own_name == Rules.of("127.0.0.1", PORT, tls=True).own_name == ""


def test_signing_out_ends_the_session_and_its_sockets(gate: Gate, called: Called) -> None:
    session = cookie(gate)
    assert ask(gate, "POST", "/logout", cookie=session)[0] == 403  # another site could sign you out
    assert ask(gate, cookie=session)[0] == 200
    headers = {"cookie": session}

    async def receive() -> Any:
        return {"type": "websocket.receive", "text": "42"}

    received = gate._while_known(receive, headers)
    assert loops.run(received())["type"] == "websocket.receive"
    assert b"signed out" in ask(gate, "POST", "/logout", cookie=session, origin=ORIGIN)[2]
    assert ask(gate, cookie=session)[0] == 401
    assert loops.run(received())["type"] == "websocket.disconnect"


def test_a_studio_on_all_addresses_knows_names_and_addresses_only() -> None:
    rules = Rules.of("0.0.0.0", 443, tls=True)
    assert rules.allows_host("192.168.1.5") and rules.allows_host("[fe80::1]:443")
    assert not rules.allows_host("evil.example") and not rules.allows_host("192.168.1.5:80")
    assert Rules.of("studio.example.org", 443, tls=True).allows_host("Studio.example.org")
