"""Small files of a project: each is written completely or not at all, and only the owner can read it."""

from __future__ import annotations

import json
import os
import re
import secrets
from pathlib import Path
from typing import Any

from shoal.errors import OutputError, ShoalError

_PARTIAL = re.compile(r"\..+\.[0-9a-f]{8}\.partial", re.DOTALL)


def is_partial(path: Path) -> bool:
    """Whether a file is one that `write_text` had begun, by its name."""
    return _PARTIAL.fullmatch(path.name) is not None


def write_text(path: Path, text: str) -> None:
    """Replaces a file by one with this text; whoever reads it sees the old or the new text, never a part."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        part.replace(path)
    except UnicodeEncodeError:
        raise ShoalError("The text has characters that UTF-8 does not have, such as a lone surrogate.") from None
    except OSError as error:
        raise OutputError(f"'{path}' cannot be written: {error.strerror or 'unknown reason'}.") from None
    finally:
        part.unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    """Replaces a file by one with this value as JSON; numbers that JSON does not have become null."""
    try:
        text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        from shoal.release.output import plain  # imported late: the first page does not wait for it

        text = json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False, default=str)
    write_text(path, text + "\n")


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file; empty if there is none, or if it cannot be read or written again."""
    if not path.is_file():  # reading from a pipe would wait for ever
        return {}
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()  # neither NaN nor half a character
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
