"""Attacks on a release. A new attack is one file and one entry in `ALL`."""

from shoal.attacks.base import Attack, Exposed, Outcome
from shoal.attacks.elimination import Elimination, Trap, trap, trap_in_folder
from shoal.attacks.running import not_tried, run_all
from shoal.attacks.target import Target

ALL: tuple[type[Attack], ...] = (Elimination,)

__all__ = [
    "ALL",
    "Attack",
    "Elimination",
    "Exposed",
    "Outcome",
    "Target",
    "Trap",
    "not_tried",
    "run_all",
    "trap",
    "trap_in_folder",
]
