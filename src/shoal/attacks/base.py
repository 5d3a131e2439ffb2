"""What an attack is: a release and what an intruder is assumed to know in, how much is exposed out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

import polars as pl

from shoal.models.evidence import Evidence
from shoal.plan import Plan


@dataclass(frozen=True)
class Exposed:
    """How many classes an attack exposes a person of, and how many rows they hold; counts alone, never whose."""

    classes: int
    classes_exposed: int
    rows: int
    rows_exposed: int


class Attack(Protocol):
    """A way to learn of a person what a release should hide. Implementations are frozen dataclasses."""

    kind: ClassVar[str]
    about: ClassVar[str]
    against: ClassVar[str]
    """The kind of model that stops it."""

    def run(self, evidence: Evidence) -> Exposed:
        """Attacks every class of a release whose rows are linked."""
        ...

    @staticmethod
    def found_in(tables: Mapping[str, pl.DataFrame], plan: Plan) -> tuple[str, ...]:
        """What the attack finds in tables about to be published, in words; empty where it has nothing to work on."""
        ...

    @staticmethod
    def shown_on(folder: Path) -> tuple[str, ...]:
        """What the attack finds in a published release, in words; empty where it has nothing to work on."""
        ...
