"""Roles: the role and settings of each column, and how the cells of a table are read."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, TypedDict, Unpack

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, ValidationError

from shoal import hierarchies
from shoal.errors import PlanError, did_you_mean
from shoal.hierarchies import HierarchySpec
from shoal.labels import MISSING
from shoal.roles import spec
from shoal.table import Notation
from shoal.table.moments import DayOrder
from shoal.table.sets import DEFAULT_SEPARATOR

Role = Literal["identifier", "quasi-identifier", "sensitive", "quasi-sensitive", "target", "insensitive", "drop"]
REMOVED: tuple[Role, ...] = ("identifier", "drop")
Type = Literal["text", "integer", "real", "date", "datetime"]
Bound = int | float | datetime.date | datetime.datetime


class _JsonSchema:
    """Describes a field by the JSON schema of a family. Building it takes 0.06 s, so it is built on demand."""

    def __init__(self, members: Sequence[type]) -> None:
        self._members = members

    def __get_pydantic_json_schema__(self, _schema: object, _handler: object) -> dict[str, Any]:
        return spec.schema(self._members)


def family(members: Sequence[type], what: str) -> tuple[BeforeValidator, PlainSerializer, _JsonSchema]:
    """How a field with a member of a family is validated, serialized and described."""
    return (
        BeforeValidator(lambda value: spec.from_table(members, what, value)),
        PlainSerializer(lambda value: None if value is None else spec.to_table(value)),
        _JsonSchema(members),
    )


class Part(BaseModel):
    """A table of a plan: frozen and strict, without unknown keys; problems raise a PlanError.

    A list is accepted for every field that is a tuple.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True)

    def __init__(self, /, **given: Any) -> None:  # a plan may have a key "self"
        frozen = {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
        try:
            super().__init__(**frozen)
        except ValidationError as error:
            raise _as_plan_error(error, type(self)) from None


MISSING_TEXTS = ("", "?", "NA")
"""The texts that mean missing, unless the plan lists others."""


class Data(Part):
    """The source of the table, and how its cells are read."""

    OF_SOURCE: ClassVar[tuple[str, ...]] = ("source", "query", "separator", "header", "sheet", "decimal", "dates")
    """The keys that concern the source only, and are not published."""

    source: str | None = None
    query: str | None = None
    separator: str | None = None
    header: bool | None = None
    sheet: str | None = None
    decimal: Literal[".", ","] | None = None
    dates: DayOrder | None = None
    missing: tuple[str, ...] = MISSING_TEXTS
    missing_rows: Literal["keep", "drop"] = "keep"
    unlisted: Literal["error", "drop", "insensitive"] = "error"
    person: str | None = None

    @property
    def absent(self) -> tuple[str, ...]:
        """All texts that represent a missing value, always including the empty text, which is released as missing."""
        return (*self.missing, MISSING)

    @property
    def notation(self) -> Notation:
        """How numbers and dates are written in the source. What is released is always written in the same way."""
        return Notation(self.decimal, self.dates)


class Column(Part):
    """The role of a column, and how it may be published."""

    role: Role
    type: Type | None = None
    top: Bound | None = None
    bottom: Bound | None = None
    hierarchy: Annotated[Any, *family(hierarchies.ALL, "hierarchy")] = None
    weight: float = 1.0
    finest: int = 0
    coarsest: int | None = None
    protected: tuple[str, ...] = ()
    missing_counts: bool = False
    target: bool = False
    items: str | None = None
    knowledge: str | None = None
    knowledge_sha256: str | None = None
    publish_knowledge: bool = False

    def model_post_init(self, _context: Any, /) -> None:
        if self.role == "quasi-sensitive" and self.items is None:
            self.__dict__["items"] = DEFAULT_SEPARATOR  # the default depends on the role
        self.__dict__["protected"] = tuple(dict.fromkeys(self.protected))

    @property
    def separator(self) -> str:
        """The separator between the items of a cell, if the column is set-valued."""
        return DEFAULT_SEPARATOR if self.items is None else self.items

    @property
    def removed(self) -> bool:
        """Whether the column is not published in any form."""
        return self.role in REMOVED

    @property
    def limited(self) -> bool:
        """Whether only some levels of the hierarchy may be published."""
        return self.finest > 0 or self.coarsest is not None


def identifier() -> Column:
    """A column that names an individual; it is removed."""
    return Column(role="identifier")


def drop() -> Column:
    """A column that is removed because the release does not need it; nothing is said about whom it identifies."""
    return Column(role="drop")


class QuasiOptions(TypedDict, total=False):
    """The settings of a quasi-identifier besides its hierarchy."""

    type: Type
    top: Bound
    bottom: Bound
    weight: float
    finest: int
    coarsest: int


class SensitiveOptions(TypedDict, total=False):
    """The settings of a sensitive column besides its hierarchy."""

    type: Type
    protected: tuple[str, ...]
    missing_counts: bool
    target: bool


class ItemOptions(TypedDict, total=False):
    """The settings of a quasi-sensitive column."""

    items: str
    knowledge: str
    knowledge_sha256: str
    publish_knowledge: bool


class TargetOptions(TypedDict, total=False):
    """The settings of a target."""

    type: Type


def quasi(hierarchy: HierarchySpec | None = None, **options: Unpack[QuasiOptions]) -> Column:
    """A column that an intruder may know about an individual; it is generalized.

    The options are `type`, `top`, `bottom`, `weight`, `finest` and `coarsest`.
    """
    return Column(role="quasi-identifier", hierarchy=hierarchy, **options)


def sensitive(hierarchy: HierarchySpec | None = None, **options: Unpack[SensitiveOptions]) -> Column:
    """A column that must not be linkable to an individual; it is released as it is and protected by the models.

    The options are `type`, `protected`, `missing_counts` and `target`.
    """
    return Column(role="sensitive", hierarchy=hierarchy, **options)


def quasi_sensitive(hierarchy: HierarchySpec | None = None, **options: Unpack[ItemOptions]) -> Column:
    """A column with a set of items per row that may reveal a sensitive value or an individual.

    Items are removed until the models hold, or generalized over the hierarchy. The options are `items`, the separator
    between the items of a cell, by default `|`, `knowledge`, the path of a table that says which items each sensitive
    value has, `knowledge_sha256`, the hash that this table must have, and `publish_knowledge`, with which it is
    published.

    >>> quasi_sensitive().items
    '|'
    """
    return Column(role="quasi-sensitive", hierarchy=hierarchy, **options)


def target(**options: Unpack[TargetOptions]) -> Column:
    """A column that the release is used to predict; it is released unchanged.

    The only option is `type`, which says whether Mondrian predicts numbers or categories.
    """
    return Column(role="target", **options)


def insensitive() -> Column:
    """A column that neither identifies nor harms; it is released unchanged."""
    return Column(role="insensitive")


def intervals(*widths: int | float, origin: int | float = 0) -> HierarchySpec:
    """A hierarchy of intervals of these widths, each a multiple of the one before.

    >>> intervals(5, 10, 20)
    Intervals(widths=(5, 10, 20), origin=0)
    """
    return hierarchies.Intervals(widths, origin)


def prefixes(*steps: int) -> HierarchySpec:
    """A hierarchy of prefixes: one character less at every level, or the given numbers of characters."""
    return hierarchies.Prefix(steps or None)


def dates(*levels: str) -> HierarchySpec:
    """A hierarchy of dates by month, quarter, year and decade, or by the given levels."""
    return hierarchies.Dates(levels) if levels else hierarchies.Dates()


def tree(path: str) -> HierarchySpec:
    """The hierarchy in a file with one row per leaf, `leaf;…;*`."""
    return hierarchies.File(path)


def _as_plan_error(error: ValidationError, part: type[BaseModel]) -> PlanError:
    errors = error.errors(include_url=False)
    # An unknown key is reported first: it often causes the other errors.
    first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
    keys = [piece for piece in first["loc"] if isinstance(piece, int) or piece not in _NO_KEYS]
    place, known = ".".join(str(key) for key in keys), part.model_fields
    section = part.__name__.removesuffix("Settings").lower()
    if first["type"] == "extra_forbidden":
        return PlanError(
            f"'{place}' is not a key of '{section}'.",
            allowed=f"Allowed: {', '.join(known)}.",
            hint=did_you_mean(place, known) or _SCHEMA,
        )
    if first["type"] == "missing":
        return PlanError(f"'{section}' needs the key '{place}'.", hint=_SCHEMA)
    near = did_you_mean(str(first["input"]), re.findall("'([^']+)'", str(first.get("ctx", {}).get("expected", ""))))
    same_key = [each for each in errors if each["loc"][:1] == first["loc"][:1]]
    return PlanError(f"Key '{place}' of '{section}' is invalid: {spec.expected(same_key)}.", hint=near or _SCHEMA)


_NO_KEYS = ("int", "float", "date", "datetime", "[key]")
"""What pydantic adds to the location of a field with several types, and of the key of a table."""
_SCHEMA = "`shoal plan schema` lists the keys of a plan."
