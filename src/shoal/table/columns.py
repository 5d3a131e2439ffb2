"""What makes a frame usable as a table: named columns, each name once, and rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl
from polars import selectors

from shoal.errors import TableError

_NAMED = 5


def check_names(names: Sequence[str], where: str, *, hint: str = "") -> None:
    """Refuses a table without columns, an empty column name, one that reads as a pattern, and one that occurs twice."""
    if not names:
        raise TableError(f"{where} has no columns.", allowed="A table needs at least one named column.")
    unnamed = [str(number) for number, name in enumerate(names, start=1) if not name.strip()]
    if unnamed:
        raise TableError(
            f"{where} has {len(unnamed)} columns without a name, the first in place {unnamed[0]}.",
            allowed="Every column needs a name.",
            hint=hint,
        )
    patterns = [name for name in names if name == "*" or (name.startswith("^") and name.endswith("$"))]
    if patterns:
        raise TableError(
            f"{where} has a column named '{patterns[0]}', which reads as a pattern of names.",
            allowed="A name may not be *, nor begin with ^ and end with $.",
            hint="rename the column.",
        )
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        shown = ", ".join(f"'{name}'" for name in repeated[:_NAMED]) + (", …" if len(repeated) > _NAMED else "")
        raise TableError(
            f"{where} has {len(repeated)} column names more than once: {shown}.",
            allowed="Every column name may occur once.",
            hint="rename or remove the repeated columns.",
        )


def require_rows(frame: pl.DataFrame) -> None:
    """Refuses a table without rows."""
    if frame.is_empty():
        raise TableError("The table has no rows.", allowed="There must be at least one row below the header.")


def without_dictionaries(frame: pl.DataFrame) -> pl.DataFrame:
    """Text for categoricals: a dictionary could still list values that no row has any more."""
    return frame.with_columns(selectors.categorical().cast(pl.String), selectors.enum().cast(pl.String))
