"""Roles: what each column of a table is, and how its cells are read. The parts of a plan that encoding needs."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, ValidationError, WithJsonSchema

from shoal import hierarchies
from shoal.errors import PlanError, did_you_mean
from shoal.hierarchies import HierarchySpec
from shoal.labels import MISSING
from shoal.roles import spec

Role = Literal["identifier", "quasi-identifier", "sensitive", "quasi-sensitive", "target", "insensitive"]
Bound = int | float | datetime.date


def family(members: Sequence[type], what: str) -> tuple[BeforeValidator, PlainSerializer, WithJsonSchema]:
    """How a field holding one member of a family is read, written and described."""
    return (
        BeforeValidator(lambda value: spec.from_table(members, what, value)),
        PlainSerializer(lambda value: None if value is None else spec.to_table(value)),
        WithJsonSchema(spec.schema(members)),
    )


class Part(BaseModel):
    """A plan table: frozen, strict, no unknown keys; problems come out as one PlanError."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True)

    def __init__(self, /, **given: Any) -> None:  # a key of a plan may be called "self"
        frozen = {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
        try:
            super().__init__(**frozen)
        except ValidationError as error:
            raise _as_plan_error(error, type(self)) from None


class Data(Part):
    """Where the table comes from and how its cells are read."""

    source: str | None = None
    query: str | None = None
    separator: str | None = None
    missing: tuple[str, ...] = ("", "?", "NA")
    missing_rows: Literal["keep", "drop"] = "keep"
    unlisted: Literal["error", "drop", "insensitive"] = "error"
    person: str | None = None

    @property
    def absent(self) -> tuple[str, ...]:
        """Every text that stands for a missing value: the empty one always does, for it is released as missing."""
        return (*self.missing, MISSING)


class Column(Part):
    """What one column is, and how it may be published."""

    role: Role
    type: Literal["text", "integer", "real", "date"] | None = None
    top: Bound | None = None
    bottom: Bound | None = None
    hierarchy: Annotated[Any, *family(hierarchies.ALL, "hierarchy")] = None
    weight: float = 1.0
    protected: tuple[str, ...] = ()
    missing_counts: bool = False
    items: str | None = None
    knowledge: str | None = None


def identifier() -> Column:
    """A column that names a person; it is removed."""
    return Column(role="identifier")


def quasi(hierarchy: HierarchySpec | None = None, **options: Any) -> Column:
    """A column an intruder may know; it is generalized."""
    return Column(role="quasi-identifier", hierarchy=hierarchy, **options)


def sensitive(hierarchy: HierarchySpec | None = None, **options: Any) -> Column:
    """A column that must not be learned about anyone; it is released as it is, guarded by the models."""
    return Column(role="sensitive", hierarchy=hierarchy, **options)


def target() -> Column:
    """A column to be predicted from the release; it is released unchanged."""
    return Column(role="target")


def insensitive() -> Column:
    """A column that neither identifies nor harms; it is released unchanged."""
    return Column(role="insensitive")


def intervals(*widths: int | float, origin: int | float = 0) -> HierarchySpec:
    """Numbers in intervals of these widths, each a multiple of the one before.

    >>> intervals(5, 10, 20)
    Intervals(widths=(5, 10, 20), origin=0)
    """
    return hierarchies.Intervals(widths, origin)


def prefixes(*steps: int) -> HierarchySpec:
    """Text by its first characters: one less at every level, or the given numbers of characters kept."""
    return hierarchies.Prefix(steps or None)


def dates(*levels: str) -> HierarchySpec:
    """Dates by month, quarter, year and decade, or by the given levels."""
    return hierarchies.Dates(levels) if levels else hierarchies.Dates()


def tree(path: str) -> HierarchySpec:
    """The hierarchy in a file: one row per leaf, `leaf;…;*`."""
    return hierarchies.File(path)


def _as_plan_error(error: ValidationError, part: type[BaseModel]) -> PlanError:
    found = error.errors(include_url=False)
    first = next((each for each in found if each["type"] == "extra_forbidden"), found[0])  # what else is amiss follows
    keys = [piece for piece in first["loc"] if isinstance(piece, int) or piece not in _KINDS]
    place, known = ".".join(str(key) for key in keys), part.model_fields
    section = part.__name__.removesuffix("Settings").lower()
    if first["type"] == "extra_forbidden":
        return PlanError(
            f"'{place}' is not a key of '{section}'.",
            allowed=f"Allowed: {', '.join(known)}.",
            hint=did_you_mean(place, known) or _SCHEMA,
        )
    if first["type"] == "missing":
        return PlanError(f"The plan's '{section}' needs '{place}'.", hint=_SCHEMA)
    near = did_you_mean(str(first["input"]), re.findall("'([^']+)'", str(first.get("ctx", {}).get("expected", ""))))
    same = [each for each in found if each["loc"][:1] == first["loc"][:1]]
    return PlanError(f"The '{place}' of '{section}' is wrong: {spec.expected(same)}.", hint=near or _SCHEMA)


_KINDS = ("int", "float", "date")
"""What pydantic adds to a place where several kinds of value are allowed."""
_SCHEMA = "`shoal plan schema` lists what a plan can hold."
