"""Attacks with known outcomes, in place of the real ones, which have tests of their own."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest


@dataclass(frozen=True)
class Told:
    """An outcome as attacks report it."""

    kind: str = "linkage"
    knows: str = "the quasi-identifiers of an individual"
    column: str | None = None
    tried: int = 10
    success: float = 0.5
    low: float = 0.25
    high: float = 0.75
    baseline: float = 0.1
    bound: float | None = None
    measured: str = "the share of individuals who are found"
    case: str = ""

    @property
    def holds(self) -> bool:
        return self.bound is None or self.low <= self.bound

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "holds": self.holds}


@dataclass(frozen=True)
class Given:
    """A target as the attacks get it."""

    tables: Any
    plan: Any
    raw: Any = None
    reference: Any = None
    earlier: Any = None
    seed: int = 0
    counted: bool = False


@dataclass
class Attacks:
    """What the attacks were given, and what they tell."""

    outcomes: tuple[Told, ...] = ()
    targets: list[Given] = field(default_factory=list)

    def run_all(self, target: Given, _progress: object = None, only: object = ()) -> tuple[Told, ...]:
        self.targets.append(target)
        return self.outcomes


def pretend(monkeypatch: pytest.MonkeyPatch, *outcomes: Told) -> Attacks:
    """Replaces all attacks by ones with these outcomes."""
    attacks = Attacks(outcomes)
    running = SimpleNamespace(Target=Given, run_all=attacks.run_all)
    monkeypatch.setitem(sys.modules, "shoal.attacks.running", running)
    return attacks
