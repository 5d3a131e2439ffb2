"""Sample uniques: rows that are the only ones with their quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from shoal.progress import Progress
from shoal.risks.base import Comparison, Figures, Limit, Sample

_BELOW = (2, 3, 5, 11, 20)


class Uniques:
    """The rows in classes of size 1 (`rows`, and `share` of all rows), and the share of rows in other small classes.

    `share_below`: size → the share of rows in classes smaller than this size. Eleven and twenty are common minimum cell
    sizes of statistical offices and registries.
    Paper: Bethlehem, Keller, Pannekoek, Disclosure control of microdata, JASA 85(409), 1990.
    """

    name: ClassVar[str] = "sample_uniques"
    about: ClassVar[str] = "rows that no other row equals in all quasi-identifiers"
    compares: ClassVar[Comparison] = "equality"
    limits: ClassVar[Mapping[str, Limit]] = {"uniques": Limit("share")}

    def lacks(self, _sample: Sample) -> str:
        return ""

    def of(self, sample: Sample, _progress: Progress) -> Figures:
        unique = int(np.count_nonzero(sample.sizes == 1))
        below = {str(size): int(sample.sizes[sample.sizes < size].sum()) / sample.total for size in _BELOW}
        return {"rows": unique, "share": unique / sample.total, "share_below": below}
