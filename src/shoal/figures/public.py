"""Public figures: what both reports show, from the published tables, the published plan and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from shoal.attacks import Target
from shoal.figures.attacked import Attempts, attempts
from shoal.figures.class_sizes import ClassSizes, class_sizes
from shoal.figures.columns import ReleasedColumns, released_columns
from shoal.figures.sensitive import SensitiveColumn, sensitive_columns
from shoal.plan import Plan
from shoal.table import Runs
from shoal.verification.labelled import Labelled
from shoal.verification.verdicts import Verification


@dataclass(frozen=True)
class PublicFigures:
    """Figures that follow from the released tables, the published plan and the row counts; both reports show them.

    `provenance`: what the plan says about the origin of the release.
    """

    class_sizes: ClassSizes | None = None
    columns: ReleasedColumns | None = None
    sensitive: tuple[SensitiveColumn, ...] = ()
    attacks: Attempts | None = None
    provenance: Mapping[str, str] = field(default_factory=dict)


def public_figures(
    tables: Mapping[str, Runs], plan: Plan, columns: Mapping[str, Labelled], verification: Verification
) -> PublicFigures:
    """The figures of published tables; `verification` is that of the tables alone, `plan` the published plan."""
    target = Target(tables, plan)
    return PublicFigures(
        class_sizes=class_sizes(verification.sizes.to_numpy().astype(np.int64)),
        columns=released_columns(tables, plan, columns),
        sensitive=sensitive_columns(target),
        attacks=attempts(target),
        provenance=plan.release.provenance,
    )
