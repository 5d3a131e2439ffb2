"""A real studio: it starts soon, withstands attacks, survives being killed, and leaves nothing behind."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from shoal.errors import MissingExtra, ShoalError
from shoal.studio.project import Project
from shoal.studio.server import Options, require_extra
from shoal.studio.states import State
from shoal.studio.steps import STEPS
from tests.studio.running import Running, running
from tests.studio.tables import plan_of, write_clinic


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def studio(folder: Path) -> Iterator[Running]:
    with running(folder / "p", "--upload-limit", 1) as studio:
        yield studio


@pytest.fixture(scope="module")
def failing(folder: Path) -> Iterator[Running]:
    """A studio of which a step and a page fail."""
    with running(folder / "failing", program=("-c", FAILING)) as studio:
        yield studio


def raw(studio: Running, *lines: str, connection: str = "close") -> str:
    """The answer to a request that is written by hand."""
    with socket.create_connection(("127.0.0.1", studio.port), timeout=10) as wire:
        wire.sendall("\r\n".join([*lines, f"Connection: {connection}", "", ""]).encode())
        answer = b""
        while chunk := wire.recv(65536):
            answer += chunk
            if connection != "close" and b"\r\n\r\n" in answer:
                break
    return answer.decode("utf-8", "replace")


def upgrade(studio: Running, *headers: str) -> str:
    """The first line of the answer to the handshake of a web socket."""
    return raw(
        studio,
        "GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1",
        *headers,
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        connection="Upgrade",
    ).partition("\r\n")[0]


def test_an_attacker_finds_no_way_in(studio: Running, folder: Path) -> None:
    """Before the link is used: other names, other sites, guesses, sockets, paths, and requests that are malformed."""
    host = f"Host: 127.0.0.1:{studio.port}"
    assert raw(studio, "GET / HTTP/1.1", "Host: evil.example").startswith("HTTP/1.1 421")
    assert raw(studio, "GET / HTTP/1.1", host, "Host: evil.example")[9:12] in ("400", "421")
    assert raw(studio, "GET / HTTP/1.0").startswith("HTTP/1.1 421")
    assert raw(studio, "GET http://evil.example/ HTTP/1.1", "Host: evil.example").startswith("HTTP/1.1 421")
    assert raw(studio, "GET /api/v1/status HTTP/1.1", host).startswith("HTTP/1.1 401")
    assert raw(studio, "GET /_nicegui/../api/v1/status HTTP/1.1", host).startswith("HTTP/1.1 401")
    assert raw(studio, "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1", host).startswith("HTTP/1.1 401")
    assert raw(studio, "POST /api/v1/runs HTTP/1.1", host, "Origin: null").startswith("HTTP/1.1 403")
    assert "403" in upgrade(studio, host, f"Origin: http://127.0.0.1:{studio.port}")
    assert "403" in upgrade(studio, host, "Origin: http://evil.example")
    assert "403" in upgrade(studio, "Host: evil.example", "Origin: http://evil.example")
    assert [path.name for path in folder.iterdir()] == ["p"]


def test_a_browser_knows_the_name_of_the_studio_and_signs_out(folder: Path, browser: Any) -> None:
    with running(folder / "named") as named:
        context = browser.new_context()
        page = context.new_page()
        page.goto(named.own_link)
        page.wait_for_selector("h1:has-text('Open a table')", timeout=60_000)
        (cookie,) = context.cookies()
        assert cookie["domain"].endswith(".localhost") and cookie["domain"].startswith("shoal-")
        assert context.cookies("http://127.0.0.1/") == context.cookies("http://localhost/") == []
        page.click("button[aria-label='Sign out']")
        page.wait_for_selector("input[name=token]")
        context.close()


def test_a_link_opens_the_studio_once_and_sockets_need_its_cookie(studio: Running) -> None:
    with httpx.Client() as browser:
        first = browser.get(studio.link)
        assert first.status_code == 200 and "HttpOnly; SameSite=Strict" in first.headers["set-cookie"]
        began = time.monotonic()
        page = browser.get(studio.url + "/")
        assert page.status_code == 200 and time.monotonic() - began < 4
        assert "'unsafe-inline'" not in page.headers["content-security-policy"].partition("style-src")[0]
        assert page.headers["x-frame-options"] == "DENY"
        cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        host, origin = f"Host: 127.0.0.1:{studio.port}", f"Origin: {studio.url}"
        assert "101" in upgrade(studio, host, origin, f"Cookie: {cookie}")
        assert "403" in upgrade(studio, host, "Origin: http://evil.example", f"Cookie: {cookie}")
        assert "403" in upgrade(studio, host, f"Cookie: {cookie}")
        assert browser.post(f"{studio.url}/api/v1/runs", json={"plan": ""}).status_code == 403
        assert browser.get(f"{studio.url}/docs").status_code == 404
        nonsense = browser.get(f"{studio.url}/nonsense")
        assert nonsense.status_code == 404 and "Go to the first step" in nonsense.text
        assert browser.get(f"{studio.url}/api/v1/nonsense").headers["content-type"] == "application/json"
    assert httpx.get(studio.link).status_code == 401


def test_uploads_are_limited_on_the_way(studio: Running) -> None:
    with studio.client() as client:
        assert client.post("/uploads", params={"name": "a"}, content=b"x" * 1_000_000).status_code == 201
        assert client.post("/uploads", params={"name": "b"}, content=b"x" * 1_000_001).status_code == 413

        def endless() -> Iterator[bytes]:
            for _ in range(100):
                yield b"x" * 100_000

        assert client.post("/uploads", params={"name": "c"}, content=endless()).status_code == 413
        assert [each["name"] for each in client.get("/uploads").json()] == ["a"]
        assert client.delete("/uploads/a").status_code == 204


@pytest.mark.parametrize("size", [1_000_001, 1_050_000, 20_000_000])
@pytest.mark.parametrize("has_length", [True, False])
def test_a_program_that_uploads_too_much_is_told_so(studio: Running, size: int, has_length: bool) -> None:
    """Also one that reads the answer only when it has sent everything, and closes the connection then."""
    body = b"x" * size
    parts = body if has_length else (body[place : place + 100_000] for place in range(0, size, 100_000))
    asked = urllib.request.Request(f"{studio.url}/api/v1/uploads?name=b", parts, studio.known, method="POST")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(asked, timeout=60)
    assert caught.value.code == 413 and json.loads(caught.value.read())["exit_code"] == 2


def test_every_method_is_answered_with_json(studio: Running) -> None:
    with studio.client() as client:
        for method, path, status in (("TRACE", "/status", 405), ("TRACE", "/nothing", 404), ("PURGE", "/runs", 405)):
            answer = client.request(method, path)
            assert answer.status_code == status and answer.json()["error"]


def test_html_in_names_stays_text(studio: Running) -> None:
    name = "<img src=x onerror=alert(1)>"
    (studio.project.parent / "html.csv").write_text(f'"{name}"\n<script>alert(1)</script>\n', encoding="utf-8")
    with studio.client() as client:
        job = waited(client, "jobs", client.post("/sample", json={"source": "../html.csv"}).json())
        answer = client.get(f"/jobs/{job['id']}/result")
        assert answer.json()["columns"] == [name] and answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]


def waited(client: httpx.Client, kind: str, found: dict[str, Any], state: str = "") -> dict[str, Any]:
    """A job or run when it is final, or running if that is wanted."""
    for _ in range(1200):
        found = client.get(f"/{kind}/{found['id']}").json()
        if found["state"] not in ("queued", "running") or (state and found["step"] == state):
            return found
        time.sleep(0.05)
    raise AssertionError(found)


def test_a_killed_studio_leaves_no_half_release(folder: Path) -> None:
    """It is killed while a run reads its table; then the project is opened again, and the run is made anew."""
    project = folder / "killed"
    os.mkfifo(folder / "endless.csv")
    clinic = write_clinic(folder)
    with running(project) as studio:
        with studio.client() as client:
            run = client.post("/runs", json={"plan": plan_of(folder / "endless.csv")}).json()
            waited(client, "runs", run, "read")
            other = client.post("/runs", json={"plan": plan_of(clinic), "name": "cancelled"}).json()
            began = time.monotonic()
            client.post(f"/runs/{other['id']}/cancel")
            assert waited(client, "runs", other)["state"] == "cancelled" and time.monotonic() - began < 3
        workers = children(studio.process.pid)
        assert workers
        assert studio.ended(signal.SIGKILL) == -signal.SIGKILL
    for _ in range(100):
        if not any(Path(f"/proc/{pid}").exists() for pid in workers):
            break
        time.sleep(0.05)
    else:
        raise AssertionError("a worker outlived its studio")
    assert (project / ".scratch").exists()
    opened = Project.open(project)
    states = {each.name: each.state for each in opened.runs()}
    assert states == {"0001-run": State.INTERRUPTED, "cancelled": State.CANCELLED}
    left = sorted(path.name for run in opened.runs() for path in run.folder.iterdir())
    assert left == ["plan.toml", "plan.toml", "run.json", "run.json"]
    assert not (project / ".scratch").exists()
    opened.close()


def children(pid: int) -> list[int]:
    """The processes that a process started."""
    return [int(each) for path in Path(f"/proc/{pid}/task").glob("*/children") for each in path.read_text().split()]


def test_sigterm_ends_it_and_removes_temporary_files(studio: Running) -> None:
    """The last test: it ends the studio that the others share."""
    assert studio.ended(signal.SIGTERM) == 0
    assert not (studio.project / ".scratch").exists()
    assert sorted(path.name for path in studio.project.iterdir()) == [".lock", "project.json", "runs", "uploads"]
    assert json.loads((studio.project / "project.json").read_text(encoding="utf-8"))["format"] == 1


def test_without_the_extra_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    require_extra()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtra, match=r"shoal\[studio\]"):
        require_extra()


def test_options_are_checked_before_anything_is_made(tmp_path: Path) -> None:
    Options(tmp_path).check()
    for wrong in ({"host": "0.0.0.0"}, {"port": -1}, {"tls_key": tmp_path}, {"upload_limit": 0}):
        with pytest.raises(ShoalError):
            Options(tmp_path, **wrong).check()


def test_the_pages_say_who_can_open_the_studio(tmp_path: Path) -> None:
    assert "this machine only" in Options(tmp_path).reach
    assert Options(tmp_path, host="h", token_file=tmp_path).reach.endswith("the token, not encrypted")
    for shared in ({"tls_cert": tmp_path, "host": "h"}, {}):
        assert Options(tmp_path, token_file=tmp_path, **shared).reach == "open to everyone who knows the token"


def test_the_first_page_waits_for_no_more_than_it_shows() -> None:
    """What makes, judges and reports releases is imported by the processes of jobs, or when a page needs it."""
    code = (
        "import sys, shoal.cli.app, shoal.studio.server, shoal.studio.api; from shoal.studio.pages import frame\n"
        "sys.exit(str(sorted({'shoal.release', 'shoal.report', 'shoal.pipeline', 'numba'} & set(sys.modules)) or ''))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert found.stderr.strip() == "", found.stderr


FAILING = """
from shoal.cli import main
from shoal.studio.pages import frame

def step(_workspace):
    frame.text("half of it")
    raise KeyError("CANARY")

def page(workspace, built=frame.frame):
    if frame.ui.context.client.sub_pages_router.current_path == "/models":
        raise KeyError("CANARY")
    built(workspace)

frame._PAGES["/roles"] = step
frame.frame = page
main()
"""


@pytest.mark.parametrize(("path", "status"), [("/roles", 200), ("/models", 500)])
def test_a_page_that_fails_says_so_below_a_heading_and_does_not_quote_its_error(
    failing: Running, path: str, status: int
) -> None:
    """A step that fails leaves the frame around it; the message of an exception may quote the data."""
    with httpx.Client() as browser:
        browser.post(f"{failing.url}/login", data={"token": failing.token}, headers={"Origin": failing.url})
        answer = browser.get(f"{failing.url}{path}")
    assert answer.status_code == status and "This page cannot be shown" in answer.text and '"h1"' in answer.text
    assert "Internal error: KeyError" in answer.text and "half of it" not in answer.text
    assert "CANARY" not in answer.text and "produced an error" not in answer.text


def test_a_plan_that_cannot_be_read_locks_nobody_out(folder: Path) -> None:
    project = Project.open(folder / "latin")
    profile = {"rows": 1, "columns": [], "together": None, "riskiest": [], "warnings": []}
    (project.folder / "profile.json").write_text(json.dumps(profile), encoding="utf-8")
    project.plan_path.write_bytes("# geprüft".encode("latin-1"))
    project.close()
    with running(project.folder) as latin, httpx.Client() as browser:
        browser.get(latin.link)
        for step in STEPS:
            answer = browser.get(f"{latin.url}{step.path}")
            assert answer.status_code == 200 and "cannot be shown" not in answer.text
            assert "The plan cannot be read" in answer.text  # at least in the list of steps
            is_explained = "not UTF-8 text" in answer.text
            assert is_explained == (step.path in ("/roles", "/hierarchies", "/models", "/run"))
