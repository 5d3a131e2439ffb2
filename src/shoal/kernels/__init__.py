"""Numba kernels: arrays in, arrays out.

Importing this package sets the folder in which compiled code is cached. `compiling` is true while a kernel is being
compiled.

Functions that Python calls are `njit(cache=True, nogil=True)`, functions that only kernels call are a `part`. A kernel
releases the interpreter lock (`nogil`), so that Ctrl-C can end the process while it runs. It is compiled when it is
first used, so keep this cheap: every numpy function that a kernel calls, such as `sort`, `full` or `diff`, and every
assignment to a slice takes 0.1 s to 2 s to compile. A loop takes almost no time.

The cache holds executable code, so it must be a folder that only this user can write. In a shared temporary folder,
others could plant code. A read-only installation has no other place for it.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import Any

from shoal.version import VERSION


def _private_cache() -> str:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    # Cached code refers to the modules it was compiled from, so every set of modules has its own folder.
    modules = " ".join(sorted(path.name for path in Path(__file__).parent.glob("*.py")))
    folder = Path(base) / "shoal" / "numba" / f"{VERSION}-{zlib.crc32(modules.encode()):08x}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return str(folder)


if "NUMBA_CACHE_DIR" not in os.environ:
    try:
        os.environ["NUMBA_CACHE_DIR"] = _private_cache()
    except OSError:
        import tempfile

        # No writable home: compile again, in a folder that no other user can open.
        os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(prefix="shoal-numba-")

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
