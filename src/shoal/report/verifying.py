"""How a reader verifies a release: the command, what its words mean, and what it needs besides the published files."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from shoal.counts import some_of
from shoal.manifest import Manifest

_ANYONE = (
    "Without the digest, verification detects accidental changes. With it, verification also detects a folder whose "
    "plan and hashes were rewritten together."
)
_FILE = (
    "FILE is the knowledge table of the column, in any form that a plan accepts; the data steward has it. Verification "
    "compares its hash with that of the published plan."
)


class Verifying(NamedTuple):
    """The command that verifies a release, and the meaning of its words.

    `needs`: what it needs besides the published files, in sentences; empty if they are sufficient.
    """

    command: str
    help: str
    needs: str


def verifying(manifest: Manifest, digest: str | None, folder: str | None) -> Verifying:
    """How to verify the release of a manifest; `digest` and `folder` are those of the saved release, if known."""
    needed = manifest.knowledge_needed
    tables = [word for name in needed for word in ("--knowledge", f"{name}=FILE")]
    words = ["shoal", "verify", folder or "DIR", "--digest", digest or "DIGEST", *tables]
    return Verifying(shlex.join(words), " ".join(_help(digest, folder, bool(needed))), _needs(needed))


def _help(digest: str | None, folder: str | None, tables: bool) -> list[str]:
    """What the words in capitals of the command mean, and what the digest is for."""
    words = [
        "DIR is this folder" if folder is None else "",
        "DIGEST is the digest that was printed when the release was made" if digest is None else "",
    ]
    meaning = ", and ".join(word for word in words if word)
    return [*([f"{meaning}."] if meaning else []), *([_FILE] if tables else []), _ANYONE]


def _needs(columns: tuple[str, ...]) -> str:
    if not columns:
        return ""
    one = len(columns) == 1
    return (
        f"Anyone who has the knowledge {'table' if one else 'tables'} of {some_of(columns)} can verify the release on "
        f"any machine. The published files contain only {'its hash' if one else 'their hashes'}:"
    )
