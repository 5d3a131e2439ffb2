"""Checks that a frame is usable as a table: distinct column names, and at least one row."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from polars import selectors

from shoal.errors import TableError
from shoal.table.header import HINT

_NAMED = 5


def check_names(names: Sequence[str], where: str, *, hint: str = "", in_file: bool = False) -> None:
    """Raises if there are no columns, or if a column name is empty, repeated, reserved, or reads as a pattern.

    `hint`: what may have caused an empty name. `in_file`: whether the names come from a header line, which may be
    absent.
    """
    headless = f"; {HINT}" if in_file else ""
    if not names:
        raise TableError(f"{where} has no columns.", allowed="A table needs at least one named column.")
    unnamed = [str(number) for number, name in enumerate(names, start=1) if not name.strip()]
    if 2 * len(unnamed) > len(names) and in_file:
        headless = "; delete the lines above the header line, such as a title"
    if unnamed:
        many = f"{len(unnamed)} columns without a name; the first is column {unnamed[0]}."
        raise TableError(
            f"{where} has {many if len(unnamed) > 1 else f'1 column without a name: column {unnamed[0]}.'}",
            allowed="Every column needs a name.",
            hint=f"{hint}{headless}".strip("; "),
        )
    patterns = [place for place, name in enumerate(names, start=1) if _reads_as_pattern(name)]
    if patterns:
        raise TableError(
            f"{where} has a name that reads as a pattern: column {patterns[0]}.",
            allowed="A name must not be *, and must not begin with ^ and end with $.",
            hint="rename the column.",
        )
    _refuse_null_characters(names, where)
    _refuse_repeated(names, where, headless)


def _reads_as_pattern(name: str) -> bool:
    return name == "*" or (name.startswith("^") and name.endswith("$"))


def _refuse_null_characters(names: Sequence[str], where: str) -> None:
    for number, name in enumerate(names, start=1):
        if "\x00" in name:  # the names of Shoal's own columns begin with one
            raise TableError(
                f"{where} has a reserved name: column {number} has a null character in its name.",
                allowed="A name must not contain a null character.",
                hint="rename the column.",
            )


def _refuse_repeated(names: Sequence[str], where: str, headless: str) -> None:
    """Raises if a name occurs twice; it gives positions, because without a header line the names are cells."""
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names, start=1):
        places.setdefault(name, []).append(place)
    repeated = [found for found in places.values() if len(found) > 1]
    if repeated:
        shown = "; ".join(_listed(found) for found in repeated[:_NAMED]) + ("; …" if len(repeated) > _NAMED else "")
        raise TableError(
            f"{where} has {len(repeated)} repeated column name{'s' * (len(repeated) > 1)}: columns {shown}.",
            allowed="Column names must be distinct.",
            hint=f"rename or remove the repeated columns{headless}.",
        )


def _listed(places: Sequence[int]) -> str:
    return ", ".join(map(str, places[:_NAMED])) + (", …" if len(places) > _NAMED else "")


def require_rows(frame: pl.DataFrame) -> None:
    """Raises if a table has no rows."""
    if frame.is_empty():
        raise TableError("The table has no rows.", allowed="A table needs at least one row below the header.")


def without_dictionaries(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with text in place of categoricals, whose dictionaries may list values that no row has."""
    return frame.with_columns(selectors.categorical().cast(pl.String), selectors.enum().cast(pl.String))
