"""The interface of an attack: it measures what an intruder with given knowledge learns from a release."""

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
    """The number of classes in which an attack exposes an individual, and the number of their rows."""

    classes: int
    classes_exposed: int
    rows: int
    rows_exposed: int


class Attack(Protocol):
    """A way to learn what a release should hide about an individual. Implementations are frozen dataclasses."""

    kind: ClassVar[str]
    about: ClassVar[str]
    against: ClassVar[str]
    """The kind of model that prevents the attack."""

    def run(self, evidence: Evidence) -> Exposed:
        """Attacks every class of a release that shows which values share a row."""
        ...

    @staticmethod
    def found_in(tables: Mapping[str, pl.DataFrame], plan: Plan) -> tuple[str, ...]:
        """The results on tables to be published, in sentences; empty if the attack does not apply."""
        ...

    @staticmethod
    def shown_on(folder: Path) -> tuple[str, ...]:
        """The results on a published release, in sentences; empty if the attack does not apply."""
        ...
