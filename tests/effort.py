"""How hard property tests try: a share of the examples that each of them asks for at full effort.

Every run draws other examples, so many shorter runs see as much as a few long ones. `make test EFFORT=1` tries all.
"""

from __future__ import annotations

import os

EFFORT = float(os.environ.get("EFFORT", "0.3"))
FEWEST = 10


def examples(number: int) -> int:
    """The number of examples to try of those at full effort; a few are always tried.

    >>> examples(10) >= FEWEST and examples(400) >= FEWEST
    True
    """
    return max(min(number, FEWEST), round(number * EFFORT))
