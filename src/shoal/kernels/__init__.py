"""Numba kernels: arrays in, arrays out. Importing this package settles where compiled code is cached, and `compiling`
tells whether some is being made just now.

Functions that Python calls are `njit(cache=True)`, functions that only kernels call are a `part`. A kernel is compiled
when it is first used, so keep that cheap: every numpy function that a kernel calls, such as `sort`, `full` or `diff`,
and every assignment to a slice take between 0.1 s and 2 s to compile, a loop next to nothing.

Compiled code is loaded as code, so the cache must be a folder only this user can write: a shared temporary folder
would let others plant code, and a read-only install has nowhere else to put it.
"""

from __future__ import annotations

import os
import sys
import zlib
from pathlib import Path
from typing import Any

from shoal.version import VERSION


def _private_cache() -> str:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    # Cached code names the modules it was compiled from: another set of them would not find its own.
    modules = " ".join(sorted(path.name for path in Path(__file__).parent.glob("*.py")))
    folder = Path(base) / "shoal" / "numba" / f"{VERSION}-{zlib.crc32(modules.encode()):08x}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return str(folder)


if "NUMBA_CACHE_DIR" not in os.environ:
    try:
        os.environ["NUMBA_CACHE_DIR"] = _private_cache()
    except OSError:
        import tempfile

        # No writable home: compile anew in a folder nobody else can open.
        os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(prefix="shoal-numba-")

from numba.core import event  # noqa: E402  # reads the setting above
from numba.extending import register_jitable  # noqa: E402

for _module in ("scipy", "yaml"):  # the command line hides them from numba, and from nobody else
    if sys.modules.get(_module, "") is None:
        del sys.modules[_module]

part = register_jitable(no_cfunc_wrapper=True)
"""Decorates a function that only kernels call. Compared with `njit`, no wrappers are compiled for calls from Python
(where it remains a plain function), and calls with literal numbers share one compiled version."""


class _Compiling(event.Listener):
    """How many kernels are being compiled: one, and those that it calls."""

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
