"""The sections of a report, one a file: `ALL` lists them in the order in which a report shows them.

A section is a class with a `key`, a `title`, whether it is `private`, and `of(facts)`, which gives its blocks, or none
if the release has nothing to show there. Public sections see only what may be published.
"""

from __future__ import annotations

from shoal.report.sections.attacked import Attacked
from shoal.report.sections.base import Facts, ReportSection
from shoal.report.sections.class_sizes import SizesOfClasses
from shoal.report.sections.compared_columns import ColumnsBeforeAndAfter
from shoal.report.sections.counted_rows import CountedRows
from shoal.report.sections.disclosed import Disclosed
from shoal.report.sections.errors import ErrorsOfUse
from shoal.report.sections.hashed import Hashed
from shoal.report.sections.items import Items
from shoal.report.sections.label_syntax import LabelSyntax
from shoal.report.sections.loss import Loss
from shoal.report.sections.loss_by_column import LossByColumn
from shoal.report.sections.made import Made
from shoal.report.sections.meaning import Meaning
from shoal.report.sections.noted import Noted
from shoal.report.sections.origin import Origin
from shoal.report.sections.planned import Planned
from shoal.report.sections.promises import Promises
from shoal.report.sections.released_columns import ColumnsReleased
from shoal.report.sections.risk import ReleasedRisk
from shoal.report.sections.searched_lattice import SearchedLattice
from shoal.report.sections.sensitive_by_class import SensitiveByClass
from shoal.report.sections.specialized import Specialized
from shoal.report.sections.statistics import Statistics
from shoal.report.sections.suppressed import SuppressedRows
from shoal.report.sections.timed import Timed
from shoal.report.sections.unprotected import Unprotected
from shoal.report.sections.verified import Verified
from shoal.report.sections.warned import Warned

ALL: tuple[type[ReportSection], ...] = (
    CountedRows,
    Origin,
    Warned,
    Promises,
    Meaning,
    Unprotected,
    SizesOfClasses,
    Loss,
    LossByColumn,
    Statistics,
    ErrorsOfUse,
    LabelSyntax,
    ColumnsReleased,
    ColumnsBeforeAndAfter,
    SensitiveByClass,
    SuppressedRows,
    Specialized,
    SearchedLattice,
    Attacked,
    Disclosed,
    ReleasedRisk,
    Items,
    Noted,
    Made,
    Timed,
    Hashed,
    Planned,
    Verified,
)

__all__ = ["ALL", "Facts", "ReportSection"]
