"""Class sizes and suppressed rows."""

from __future__ import annotations

from typing import ClassVar

from shoal.measures.base import Outcome


class ClassSize:
    """Released rows per class, and the share of rows that were suppressed."""

    name: ClassVar[str] = "average_class_size"
    goal: ClassVar[str] = "lower"
    about: ClassVar[str] = "released rows per class"

    def of(self, outcome: Outcome) -> dict[str, object]:
        classes = len(outcome.class_rows)
        return {
            "average_class_size": outcome.released / classes if classes else None,
            "suppressed_rows": outcome.suppressed,
            "suppressed_share": outcome.suppressed / outcome.rows_in,
        }
