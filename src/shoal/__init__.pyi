"""Shoal: release patient tables safely."""

from .algorithms import Incognito as Incognito
from .algorithms import Mondrian as Mondrian
from .algorithms import Optimal as Optimal
from .algorithms import Pais as Pais
from .algorithms import Samarati as Samarati
from .errors import ShoalError as ShoalError
from .evaluate.classification_error import ClassificationError as ClassificationError
from .evaluate.classification_error import classification_error as classification_error
from .evaluate.query_error import QueryError as QueryError
from .evaluate.query_error import query_error as query_error
from .manifest import Manifest as Manifest
from .models import LKC as LKC
from .models import AlphaK as AlphaK
from .models import BetaLikeness as BetaLikeness
from .models import DeltaDisclosure as DeltaDisclosure
from .models import ExponentialL as ExponentialL
from .models import KAnonymity as KAnonymity
from .models import LDiversity as LDiversity
from .models import MultiSensitive as MultiSensitive
from .models import PSensitive as PSensitive
from .models import TCloseness as TCloseness
from .pipeline import anonymize as anonymize
from .pipeline import anonymize_to as anonymize_to
from .plan import Plan as Plan
from .plan import ReleaseSettings as ReleaseSettings
from .plan import read_plan as read_plan
from .release import Release as Release
from .roles.columns import Column as Column
from .roles.columns import Data as Data
from .roles.columns import dates as dates
from .roles.columns import identifier as identifier
from .roles.columns import insensitive as insensitive
from .roles.columns import intervals as intervals
from .roles.columns import prefixes as prefixes
from .roles.columns import quasi as quasi
from .roles.columns import sensitive as sensitive
from .roles.columns import target as target
from .roles.columns import tree as tree
from .verification.folder import verify_folder as verify_folder
from .verification.tables import verify as verify
from .verification.verdicts import Verification as Verification

__version__: str
