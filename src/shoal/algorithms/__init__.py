"""The algorithms. A new one is one file and one line in ALL."""

from shoal.algorithms.base import Algorithm
from shoal.algorithms.incognito import Incognito
from shoal.algorithms.mondrian import Mondrian
from shoal.algorithms.optimal import Optimal
from shoal.algorithms.pais import Pais
from shoal.algorithms.samarati import Samarati

ALL: tuple[type[Algorithm], ...] = (Mondrian, Optimal, Incognito, Samarati, Pais)

__all__ = ["ALL", "Algorithm", "Incognito", "Mondrian", "Optimal", "Pais", "Samarati"]
