"""Privacy models. A new one is one file here and one line in `ALL`."""

from __future__ import annotations

from shoal.errors import PlanError, did_you_mean
from shoal.models.alpha_k import AlphaK
from shoal.models.base import About, ClassModel, ColumnModel, ColumnsModel, KnowledgeModel, Monotone
from shoal.models.beta_likeness import BetaLikeness
from shoal.models.delta_disclosure import DeltaDisclosure
from shoal.models.evidence import Evidence, Finding, SensitiveFacts
from shoal.models.exponential_l import ExponentialL
from shoal.models.k_anonymity import KAnonymity
from shoal.models.l_diversity import LDiversity
from shoal.models.lkc import LKC
from shoal.models.multi_sensitive import MultiSensitive
from shoal.models.p_sensitive import PSensitive
from shoal.models.t_closeness import TCloseness

__all__ = [
    "ALL",
    "LKC",
    "About",
    "AlphaK",
    "BetaLikeness",
    "ClassModel",
    "ColumnModel",
    "ColumnsModel",
    "DeltaDisclosure",
    "Evidence",
    "ExponentialL",
    "Finding",
    "KAnonymity",
    "KnowledgeModel",
    "LDiversity",
    "Monotone",
    "MultiSensitive",
    "PSensitive",
    "SensitiveFacts",
    "TCloseness",
    "by_kind",
]

ALL: tuple[type[ClassModel], ...] = (
    KAnonymity,
    LDiversity,
    TCloseness,
    AlphaK,
    PSensitive,
    BetaLikeness,
    DeltaDisclosure,
    MultiSensitive,
    ExponentialL,
    LKC,
)


def by_kind(kind: str) -> type[ClassModel]:
    """The model of that kind, as the plan writes it.

    >>> by_kind("k-anonymity").__name__
    'KAnonymity'
    """
    kinds = {model.kind: model for model in ALL}
    if kind not in kinds:
        known = ", ".join(f"'{name}'" for name in kinds)
        raise PlanError(f"There is no model '{kind}'.", allowed=f"Models are {known}.", hint=did_you_mean(kind, kinds))
    return kinds[kind]
