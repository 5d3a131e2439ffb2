"""Attacks on a release. A new attack is one file and one entry in `ALL`."""

from shoal.attacks.base import Attack, Exposed
from shoal.attacks.elimination import Elimination, Trap, trap, trap_in_folder

ALL: tuple[type[Attack], ...] = (Elimination,)

__all__ = ["ALL", "Attack", "Elimination", "Exposed", "Trap", "trap", "trap_in_folder"]
