"""Shoal: release patient tables safely.

Public names are imported when they are first used, so that `import shoal` and the command line start at once.
"""

from __future__ import annotations

import importlib
from typing import Any

from shoal.version import VERSION

__version__ = VERSION

_HOMES = {
    "shoal.algorithms": ("Incognito", "Mondrian", "Optimal", "Pais", "Samarati"),
    "shoal.errors": ("ShoalError",),
    "shoal.verification.folder": ("verify_folder",),
    "shoal.models": (
        "AlphaK",
        "BetaLikeness",
        "DeltaDisclosure",
        "ExponentialL",
        "KAnonymity",
        "LDiversity",
        "LKC",
        "MultiSensitive",
        "PSensitive",
        "TCloseness",
    ),
    "shoal.pipeline": ("anonymize", "anonymize_to"),
    "shoal.plan": ("Plan", "ReleaseSettings", "read_plan"),
    "shoal.evaluate.classification_error": ("ClassificationError", "classification_error"),
    "shoal.evaluate.query_error": ("QueryError", "query_error"),
    "shoal.release.release": ("Release",),
    "shoal.roles.columns": (
        "Column",
        "Data",
        "dates",
        "identifier",
        "insensitive",
        "intervals",
        "prefixes",
        "quasi",
        "sensitive",
        "target",
        "tree",
    ),
    "shoal.verification.tables": ("verify",),
    "shoal.verification.verdicts": ("Verification",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})
