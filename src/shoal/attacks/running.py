"""Runs all attacks that apply to a target."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.attacks.base import Outcome
from shoal.attacks.target import Target
from shoal.errors import ShoalError, did_you_mean
from shoal.progress import Progress, silent

__all__ = ["Target", "not_tried", "run_all"]


def run_all(target: Target, progress: Progress = silent, only: Sequence[str] = ()) -> tuple[Outcome, ...]:
    """The outcomes of all attacks that apply to the target, or of those of the kinds in `only`.

    What an attack computes from `raw` or `reference` is for the steward. It must not be published.
    """
    from shoal.attacks import ALL

    kinds = [attack.kind for attack in ALL]
    for kind in only:
        if kind not in kinds:
            hint = did_you_mean(kind, kinds)
            raise ShoalError(f"There is no attack '{kind}'.", allowed=f"Attacks are {', '.join(kinds)}.", hint=hint)
    chosen = [cls() for cls in ALL if not only or cls.kind in only]
    outcomes: list[Outcome] = []
    for place, attack in enumerate(chosen):
        part = _part(progress, attack.kind, place, len(chosen))
        part("", 0.0)
        if not attack.applies(target):
            outcomes += attack.attack(target, part)
    progress("attack", 1.0)
    return tuple(outcomes)


def not_tried(target: Target) -> dict[str, str]:
    """Kind of attack → why it cannot be tried on the target, for those that cannot."""
    from shoal.attacks import ALL

    reasons = {cls.kind: cls().applies(target) for cls in ALL}
    return {kind: reason for kind, reason in reasons.items() if reason}


def _part(progress: Progress, kind: str, place: int, attacks: int) -> Progress:
    """The progress of one attack as a part of that of all."""
    return lambda _step, share: progress(f"attack: {kind}", (place + share) / attacks)
