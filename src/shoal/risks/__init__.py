"""Measures of risk. To add one, write one file here and list its class in `ALL`."""

from shoal.risks.base import Candidates, RiskMeasure, Sample
from shoal.risks.contribution import Contribution
from shoal.risks.disclosure import Disclosure
from shoal.risks.individual import Individual
from shoal.risks.journalist import Journalist
from shoal.risks.k_map import KMap
from shoal.risks.marketer import Marketer
from shoal.risks.population import Population
from shoal.risks.presence import Presence
from shoal.risks.prosecutor import Prosecutor
from shoal.risks.special_uniques import SpecialUniques
from shoal.risks.uniques import Uniques

ALL: tuple[type[RiskMeasure], ...] = (
    Prosecutor,
    Journalist,
    Marketer,
    Uniques,
    Population,
    Individual,
    KMap,
    Presence,
    SpecialUniques,
    Contribution,
    Disclosure,
)

__all__ = [
    "ALL",
    "Candidates",
    "Contribution",
    "Disclosure",
    "Individual",
    "Journalist",
    "KMap",
    "Marketer",
    "Population",
    "Presence",
    "Prosecutor",
    "RiskMeasure",
    "Sample",
    "SpecialUniques",
    "Uniques",
]
