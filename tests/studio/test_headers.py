"""Headers: of inline scripts, only those of the page run; files of a release are in a sandbox; nothing is cached."""

from __future__ import annotations

import base64
import hashlib

from shoal.studio.headers import REPORT_POLICY, plain_policy, policy, secured

PAGE = b'<html><script src="/a.js"></script><script type="module">go()</script><b onclick="steal()">x</b></html>'


def test_scripts_are_named_by_their_hash() -> None:
    said = policy(PAGE, "ws://127.0.0.1:1")
    own = base64.b64encode(hashlib.sha256(b"go()").digest()).decode()
    assert said.count("'sha256-") == 1 and f"'sha256-{own}'" in said
    assert "script-src 'self' 'unsafe-eval' 'sha256" in said
    assert "frame-ancestors 'none'" in said and "default-src 'none'" in said


def test_every_answer_is_secured() -> None:
    given = [
        (b"content-type", b"text/csv"),
        (b"server", b"x"),
        (b"cache-control", b"public"),
        (b"x-frame-options", b"ALLOW"),
    ]
    found = secured(given, content_policy=plain_policy(), tls=True, path="/api/v1/runs")
    values = dict(found)
    assert len(values) == len(found) and b"server" not in values
    assert values[b"x-frame-options"] == b"DENY" and values[b"cache-control"] == b"no-store"
    assert values[b"x-content-type-options"] == b"nosniff" and values[b"referrer-policy"] == b"no-referrer"
    assert b"strict-transport-security" in values
    assert b"strict-transport-security" not in dict(secured(given, content_policy="", tls=False, path="/"))


def test_reports_may_be_framed_by_the_studio_in_a_sandbox() -> None:
    values = dict(
        secured([(b"content-security-policy", REPORT_POLICY.encode())], content_policy="x", tls=False, path="/")
    )
    assert values[b"content-security-policy"].startswith(b"sandbox; ")  # nothing is allowed: no scripts, no popups
    assert b"script-src 'none'" in values[b"content-security-policy"]
    assert b"allow-same-origin" not in values[b"content-security-policy"]
    assert values[b"x-frame-options"] == b"SAMEORIGIN"


def test_static_files_of_nicegui_may_be_cached() -> None:
    assert (b"cache-control", b"public") in secured(
        [(b"cache-control", b"public")], content_policy="", tls=False, path="/_nicegui/3/static/a.js"
    )
