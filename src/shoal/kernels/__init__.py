"""Numba kernels: arrays in, arrays out.

Importing this package sets the folder in which compiled code is cached. `compiling` is true while a kernel is being
compiled.

Functions that Python calls are `njit(cache=True, nogil=True)`, functions that only kernels call are a `part`. A kernel
releases the interpreter lock (`nogil`), so that Ctrl-C can end the process while it runs. It is compiled when it is
first used, so keep this cheap: every numpy function that a kernel calls, such as `sort`, `full` or `diff`, and every
assignment to a slice takes 0.1 s to 2 s to compile. A loop takes almost no time.

The cache holds executable code, so it must be a folder that only this user can write; in any other, someone else could
plant code. Without one, kernels are compiled again in every process, in a temporary folder that is removed at its end.
"""

from __future__ import annotations

import atexit
import os
import stat
import tempfile
import zlib
from pathlib import Path
from typing import Any

from shoal.unfinished import register, remove
from shoal.version import VERSION


def _cache() -> Path:
    """The folder for compiled code: a permanent one if it is safe, else a temporary one."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    try:
        folder = Path(chosen) if chosen else _usual_cache()
        own = [] if chosen else [folder.parent.parent, folder.parent]
        if _is_safe(folder, own):
            return folder
    except (OSError, RuntimeError):  # it cannot be created, or there is no home
        pass
    return _temporary_cache()


def _usual_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    # A kernel contains the parts that it calls, also from other modules, whose changes numba would not notice.
    code = 0
    for path in sorted(Path(__file__).parent.glob("*.py")):
        code = zlib.crc32(path.name.encode() + path.read_bytes(), code)
    return Path(base) / "shoal" / "numba" / f"{VERSION}-{code:08x}"


def _is_safe(folder: Path, above: list[Path]) -> bool:
    """Creates a folder where needed; whether it, what it contains and the folders above it are this user's alone."""
    own = [*above, folder]
    own[0].parent.mkdir(parents=True, exist_ok=True)
    for each in own:
        each.mkdir(mode=0o700, exist_ok=True)
    if not hasattr(os, "geteuid"):
        return True
    found = folder.lstat()
    writable_by_others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if not stat.S_ISDIR(found.st_mode) or writable_by_others or not os.access(folder, os.W_OK):
        return False
    return all(path.lstat().st_uid == os.geteuid() for path in (*own, *folder.rglob("*")))


def _temporary_cache() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="shoal-numba-"))
    register(folder)  # for the command line, which ends without the functions of `atexit`
    atexit.register(_remove, folder, os.getpid())
    return folder


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # a forked process still uses the folder of its parent
        remove(folder)


os.environ["NUMBA_CACHE_DIR"] = str(_cache())

from numba.core import event  # noqa: E402  # reads the setting above
from numba.extending import register_jitable  # noqa: E402

part = register_jitable(no_cfunc_wrapper=True)
"""Decorates a function that only kernels call.

Unlike `njit`, it compiles no wrappers for calls from Python, where the function remains a plain function. Calls with
literal numbers share one compiled version.
"""


class _Compiling(event.Listener):
    """The number of kernels that are being compiled: one, and those that it calls."""

    def __init__(self) -> None:
        self.kernels = 0

    def __bool__(self) -> bool:
        return self.kernels > 0

    def on_start(self, event: Any) -> None:
        self.kernels += 1

    def on_end(self, event: Any) -> None:
        self.kernels -= 1


compiling = _Compiling()
event.register("numba:compile", compiling)  # type: ignore[no-untyped-call]
