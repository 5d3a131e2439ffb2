"""The algorithms. A new one is one file and one line in ALL."""

from shoal.algorithms.base import Algorithm
from shoal.algorithms.mondrian import Mondrian

ALL: tuple[type[Algorithm], ...] = (Mondrian,)

__all__ = ["ALL", "Algorithm", "Mondrian"]
