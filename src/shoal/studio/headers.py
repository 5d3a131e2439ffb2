"""The headers of every answer: what a browser may load, run, frame and remember."""

from __future__ import annotations

import base64
import hashlib
import re

_SCRIPT = re.compile(rb"<script(?P<attributes>[^>]*)>(?P<code>.*?)</script>", re.DOTALL | re.IGNORECASE)

_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), usb=(), payment=()"),
)
_REPLACED = {name for name, _ in _ALWAYS} | {b"content-security-policy", b"x-frame-options", b"server"}

REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; script-src 'none'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
"""For files of a release, which have no scripts: in a sandbox they can reach neither the studio nor the network."""


def policy(body: bytes, socket: str) -> str:
    """The content security policy of a page: of inline scripts, only those that the page has when it is sent may run.

    NiceGUI compiles its templates in the browser, which needs 'unsafe-eval', and sets styles inline. `socket`: the
    address of the web socket, which old browsers do not count as 'self'.
    """
    hashes = " ".join(f"'sha256-{_hash(code)}'" for code in _inline(body))
    return (
        f"default-src 'none'; script-src 'self' 'unsafe-eval' {hashes}; style-src 'self' 'unsafe-inline'; "
        f"img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' {socket}; frame-src 'self'; "
        "base-uri 'none'; form-action 'self'; object-src 'none'; frame-ancestors 'none'"
    )


def plain_policy() -> str:
    """The policy of answers that are no pages: nothing may be loaded."""
    return "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"


def secured(
    headers: list[tuple[bytes, bytes]], *, content_policy: str, tls: bool, path: str
) -> list[tuple[bytes, bytes]]:
    """The headers of an answer with those for security; a policy that the answer has itself is kept."""
    given = dict(headers)
    own = given.get(b"content-security-policy", content_policy.encode())
    framed = b"SAMEORIGIN" if b"frame-ancestors 'self'" in own else b"DENY"
    kept = [(name, value) for name, value in headers if name.lower() not in _REPLACED]
    if not path.startswith("/_nicegui/"):  # its files have the version in their path; all else may show data
        kept = [(name, value) for name, value in kept if name.lower() != b"cache-control"]
        kept.append((b"cache-control", b"no-store"))
    added = [(b"content-security-policy", own), (b"x-frame-options", framed)]
    if tls:
        added.append((b"strict-transport-security", b"max-age=31536000"))
    return [*kept, *_ALWAYS, *added]


def _inline(body: bytes) -> list[bytes]:
    found = [match for match in _SCRIPT.finditer(body) if b"src=" not in match["attributes"]]
    return list(dict.fromkeys(match["code"] for match in found))


def _hash(code: bytes) -> str:
    return base64.b64encode(hashlib.sha256(code).digest()).decode()
