"""Shoal: a toolkit for anonymizing patient tables.

The stub next to this file lists the public names. They are imported on first use, so that `import shoal` and the
command line start fast.
"""

from __future__ import annotations

import importlib
from typing import Any

import lazy_loader

from shoal.version import VERSION

__version__ = VERSION

_listed, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    try:
        return _listed(name)
    except AttributeError:
        # Only classes: `from shoal import models` also asks here first, in the middle of other imports.
        member = _member(name) if name[:1].isupper() else None
        if member is None:
            raise
        return member


def _member(name: str) -> Any:
    """A model, algorithm or statistic that the stub does not list yet; `make generate` adds it."""
    families = (importlib.import_module(f"shoal.{family}") for family in ("models", "algorithms", "statistics"))
    return next((cls for family in families for cls in family.ALL if cls.__name__ == name), None)
