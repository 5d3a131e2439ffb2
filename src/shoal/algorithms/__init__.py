"""Algorithms. To add one, write one file here and list its class in `ALL`."""

from shoal.algorithms.base import Algorithm as Algorithm
from shoal.algorithms.incognito import Incognito as Incognito
from shoal.algorithms.k_member import KMember as KMember
from shoal.algorithms.mondrian import Mondrian as Mondrian
from shoal.algorithms.optimal import Optimal as Optimal
from shoal.algorithms.pais import Pais as Pais
from shoal.algorithms.samarati import Samarati as Samarati
from shoal.algorithms.scba import Scba as Scba

ALL: tuple[type[Algorithm], ...] = (Mondrian, Optimal, Incognito, Samarati, Pais, KMember, Scba)
