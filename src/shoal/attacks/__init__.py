"""Attacks on a release. A new attack is one file and one entry in `ALL`."""

from shoal.attacks.base import Attack, Exposed, Outcome
from shoal.attacks.elimination import Elimination, Trap, trap, trap_in_folder
from shoal.attacks.homogeneity import Homogeneity
from shoal.attacks.indirect import Indirect
from shoal.attacks.intersection import Intersection
from shoal.attacks.known_items import KnownItems
from shoal.attacks.known_values import KnownValues
from shoal.attacks.learned import Learned
from shoal.attacks.linkage import Linkage
from shoal.attacks.minimality import Minimality
from shoal.attacks.missing_patterns import MissingPatterns
from shoal.attacks.row_order import RowOrder
from shoal.attacks.running import not_tried, run_all
from shoal.attacks.similarity import Similarity
from shoal.attacks.skewness import Skewness
from shoal.attacks.target import Target

ALL: tuple[type[Attack], ...] = (
    Linkage,
    Homogeneity,
    Elimination,
    Skewness,
    Similarity,
    Indirect,
    KnownValues,
    KnownItems,
    Intersection,
    Minimality,
    MissingPatterns,
    RowOrder,
    Learned,
)

__all__ = [
    "ALL",
    "Attack",
    "Elimination",
    "Exposed",
    "Homogeneity",
    "Indirect",
    "Intersection",
    "KnownItems",
    "KnownValues",
    "Learned",
    "Linkage",
    "Minimality",
    "MissingPatterns",
    "Outcome",
    "RowOrder",
    "Similarity",
    "Skewness",
    "Target",
    "Trap",
    "not_tried",
    "run_all",
    "trap",
    "trap_in_folder",
]
