"""Earlier releases of the same table: whoever has two releases learns more than each of them promises."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from shoal.manifest import STEWARD
from shoal.verification.folder import PRIVATE
from shoal.warnings import Warning

_REMEDY = "Measure it with `shoal risk OLD NEW`, and publish only one."
_LARGEST = 10_000_000
"""The most bytes of a steward's file that are read."""


def earlier_releases(folder: Path, input_sha256: str | None) -> Iterator[Warning]:
    """Warns of releases beside a new one that were made from the same table, by the hash that their steward has."""
    if input_sha256 is None:
        return
    names = sorted(
        place.name.removesuffix(PRIVATE)
        for place in folder.absolute().parent.glob(f"*{PRIVATE}")
        if place.name != f"{folder.absolute().name}{PRIVATE}" and _input_of(place) == input_sha256
    )
    if names:
        both = "both" if len(names) == 1 else "several of them"
        yield Warning(
            f"{_holders(names)} of the same table. Whoever has {both} learns more about an individual than each of "
            f"them promises. {_REMEDY}",
            remedy=_REMEDY,
        )


def _holders(names: Sequence[str]) -> str:
    """The folders that have earlier releases, as the beginning of a sentence."""
    if len(names) == 1:
        return f"The folder '{names[0]}' has an earlier release"
    if len(names) == 2:
        return f"The folders '{names[0]}' and '{names[1]}' have earlier releases"
    return f"The folder '{names[0]}' and {len(names) - 1} more folders have earlier releases"


def _input_of(private: Path) -> str | None:
    """The hash of the input that a private folder states; None if it is no such folder."""
    path = private / STEWARD
    try:
        if path.stat().st_size > _LARGEST:
            return None
        stated = json.loads(path.read_text(encoding="utf-8"))["input_sha256"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return stated if isinstance(stated, str) else None
