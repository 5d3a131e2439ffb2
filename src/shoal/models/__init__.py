"""Privacy models. To add one, write one file here and list its class in `ALL`."""

from __future__ import annotations

from shoal.errors import PlanError, did_you_mean
from shoal.models.about import About as About
from shoal.models.about import Weak as Weak
from shoal.models.alpha_k import AlphaK as AlphaK
from shoal.models.base import ClassModel as ClassModel
from shoal.models.base import ColumnModel as ColumnModel
from shoal.models.base import ColumnsModel as ColumnsModel
from shoal.models.base import KnowledgeModel as KnowledgeModel
from shoal.models.base import Monotone as Monotone
from shoal.models.beta_likeness import BetaLikeness as BetaLikeness
from shoal.models.delta_disclosure import DeltaDisclosure as DeltaDisclosure
from shoal.models.evidence import Evidence as Evidence
from shoal.models.evidence import Finding as Finding
from shoal.models.evidence import SensitiveFacts as SensitiveFacts
from shoal.models.exponential_l import ExponentialL as ExponentialL
from shoal.models.extended_p_sensitive import ExtendedPSensitive as ExtendedPSensitive
from shoal.models.items import ItemModel as ItemModel
from shoal.models.items import LinkingModel as LinkingModel
from shoal.models.k_anonymity import KAnonymity as KAnonymity
from shoal.models.km_anonymity import KmAnonymity as KmAnonymity
from shoal.models.kpqr import KPQR as KPQR
from shoal.models.l_diversity import LDiversity as LDiversity
from shoal.models.lkc import LKC as LKC
from shoal.models.multi_sensitive import MultiSensitive as MultiSensitive
from shoal.models.p_sensitive import PSensitive as PSensitive
from shoal.models.qs_closeness import QSCloseness as QSCloseness
from shoal.models.qs_diversity import QSDiversity as QSDiversity
from shoal.models.t_closeness import TCloseness as TCloseness

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
    KPQR,
    ExtendedPSensitive,
    QSDiversity,
    QSCloseness,
    KmAnonymity,
)


def by_kind(kind: str) -> type[ClassModel]:
    """The model class of this kind, as a plan names it.

    >>> by_kind("k-anonymity").__name__
    'KAnonymity'
    """
    kinds = {model.kind: model for model in ALL}
    if kind not in kinds:
        known = ", ".join(f"'{name}'" for name in kinds)
        raise PlanError(f"There is no model '{kind}'.", allowed=f"Models are {known}.", hint=did_you_mean(kind, kinds))
    return kinds[kind]
