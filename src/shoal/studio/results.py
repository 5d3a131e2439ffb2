"""What jobs return, as OpenAPI describes it: the parts that every result of a kind has; results may have more."""

from __future__ import annotations

from typing import Any, get_args

from pydantic import BaseModel, ConfigDict

Warned = str | dict[str, Any]
"""A warning: its text, or its text with the remedy and whether it is serious."""


class _Result(BaseModel):
    model_config = ConfigDict(extra="allow")


class Sample(_Result):
    """`POST /sample`: the first rows as text, and the number of all rows."""

    columns: list[str]
    rows: list[list[str | None]]
    row_count: int


class Values(_Result):
    """`POST /values`: the most frequent values as text, each with its count."""

    column: str
    distinct: int
    values: list[tuple[str | None, int]]


class Tables(_Result):
    """`POST /tables`: the tables and views of a database, each with the query that reads it."""

    source: str
    tables: list[dict[str, Any]]


class Profile(_Result):
    """`POST /profile`: the figures of the table and its columns, and a draft plan with the reasons of its roles."""

    profile: dict[str, Any]
    plan: str
    drafted: dict[str, dict[str, str]]


class Check(_Result):
    """`POST /check`: the dry run of a plan."""

    fits: bool
    rows: int
    rows_dropped: int
    distinct_rows: int
    columns: dict[str, dict[str, Any]]
    warnings: list[Warned]
    release_exists: bool
    undecided: list[str]
    in_blocks: bool


class Anonymize(_Result):
    """`POST /runs`: the figures of the release."""

    digest: str
    rows_in: int
    rows_released: int
    rows_suppressed: int
    classes: int
    models: list[dict[str, Any]]
    warnings: list[Warned]
    ncp: float | None
    seconds: float | None


class Suggest(_Result):
    """`POST /suggest`: the plans that were tried, and the text of the proposed one."""

    use: str
    measured: str
    thresholds: dict[str, float]
    proposed: str | None
    plan: str | None
    tried: list[dict[str, Any]]
    front: list[str]
    sentences: list[str]
    head: list[str]
    table: list[list[str]]
    svg: str


class Verify(_Result):
    """`POST /verify`: whether the release holds, and why not."""

    holds: bool
    rows_released: int
    classes: int
    models: list[dict[str, Any]]
    problems: list[str]
    notes: list[str]
    not_checked: list[str]


class Risk(_Result):
    """`POST /risk`: the measures of risk, which are null if they were not measured, the attacks and the views."""

    rows: int
    classes: int
    uniques: int
    quasi_identifiers: list[str]
    prosecutor: dict[str, Any] | None
    journalist: dict[str, Any] | None
    marketer: dict[str, Any] | None
    attacks: list[dict[str, Any]]
    thresholds: dict[str, Any]
    exceeded: list[Any]
    holds: bool
    warnings: list[Warned]
    views: list[dict[str, Any]]


class Compare(_Result):
    """`POST /compare`: the releases, those that no other dominates, and a table and a drawing of them."""

    releases: list[dict[str, Any]]
    front: list[str]
    head: list[str]
    table: list[list[str]]
    svg: str


class Contents(_Result):
    """The columns before and after, and the sizes of classes, which the pages ask for."""

    columns: list[dict[str, Any]]
    classes: list[dict[str, Any]]


class Lattice(_Result):
    """The lattice that the search of a plan explores, which the pages ask for."""


AnyResult = (
    Suggest | Risk | Anonymize | Check | Verify | Compare | Sample | Values | Tables | Profile | Contents | Lattice
)
ALL: dict[str, type[BaseModel]] = {cls.__name__.lower(): cls for cls in get_args(AnyResult)}
"""Kind of job → its result."""
