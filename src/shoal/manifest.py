"""The manifest: the description of a release, as a typed value that only this module writes and reads.

It exists twice: as it is published, and with everything that only the steward may know.
"""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

from shoal.coded.record import SearchRecord, Specialized
from shoal.coded.removed import RemovedItems
from shoal.errors import OutputError, PromiseBroken
from shoal.models.evidence import Verdict
from shoal.statistics.base import Compared

MANIFEST = "manifest.json"
STEWARD = "steward.json"
"""The file of the private folder by which it is recognized."""


@dataclass(frozen=True)
class MissingEffect:
    """The effect of missing quasi-identifiers on class sizes.

    It contains the columns, the share of rows with a missing value, the size of the smallest class that shows a missing
    value, and the size of the smallest other class.
    """

    columns: tuple[str, ...]
    share_of_rows: float
    smallest_class_showing_missing: int | None = None
    smallest_other_class: int | None = None


@dataclass(frozen=True)
class Manifest:
    """The description of a release. The reference page is generated from the description of each field."""

    shoal_version: str = ""
    """The Shoal version that created the release."""
    rows_in: int = 0
    """The number of rows read."""
    rows_released: int = 0
    """The number of rows published."""
    rows_suppressed: int = 0
    """The number of rows [suppressed](../guide/suppression.md), for any reason."""
    rows_dropped: int = 0
    """Of these, the number of rows left out for a missing value (`missing_rows = "drop"`)."""
    persons_in: int | None = None
    """For the steward: the number of persons in the input, if the plan counts persons."""
    persons_released: int | None = None
    """For the steward: the number of persons with a published row, if the plan counts persons."""
    classes: int = 0
    """The number of equivalence classes, counted by regrouping the published file."""
    form: str = ""
    """The release form."""
    algorithm: str = ""
    """The algorithm."""
    models: tuple[Verdict, ...] = ()
    """For every model: its `kind` and parameters, what it `achieved`, whether it `holds`, and `failing_classes`;
    `checked` if the files alone do not allow a complete check."""
    measures: Mapping[str, Any] = field(default_factory=dict)
    """See [measures](measures.md)."""
    timings: Mapping[str, float] = field(default_factory=dict)
    """Seconds for `read`, `encode`, `search`, `form`, `write`, `verify`, `total`."""
    warnings: tuple[str, ...] = ()
    """Risks that no model covers, serious ones first; in the published file, those that anyone can compute from the
    release. See [warnings](../guide/warnings.md)."""
    serious_warnings: int = 0
    """How many of the warnings are serious: they identify individuals, or a promise protects no one."""
    notes: tuple[str, ...] = ()
    """What verification could not check, and what the form does not hide."""
    search: SearchRecord = field(default_factory=SearchRecord)
    """For the steward: the record of the search; each of its figures is a separate key."""
    missing: MissingEffect | None = None
    """The columns that show a missing value, the share of rows that show one, and the sizes of the smallest class that
    shows a missing value and of the smallest other class."""
    items_removed: Mapping[str, RemovedItems] = field(default_factory=dict)
    """For the steward: set-valued column → the items `removed` from its released rows, `of` those that they had, the
    items and labels that are `published`, the `rows` that lost one, the removal `cost` and the cost of removing the
    `whole`, and the rows or items by item (`by_item`) and by the size of their class (`by_class_size`). `generalized`
    items are published as a label of the column's hierarchy; `by_generalized`: item → the rows in which it is."""
    knowledge_needed: tuple[str, ...] = ()
    """The set-valued columns whose knowledge table is needed to verify the release and is not published with it."""
    published_as: Mapping[str, str] = field(default_factory=dict)
    """Column → what the labels of a quasi-identifier are: `values`, `ranges`, `sets`, `hierarchy nodes`, `*`, or
    several of these; `one range` or `one set` if all rows have the same."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """Column → the lowest level of its hierarchy that has all its labels."""
    rows_by_level: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Column → level → number of rows, for columns whose level differs between rows (local recoding)."""
    steps: tuple[Specialized, ...] | None = None
    """[The steps](../guide/wide-tables.md#step-by-step) of `pais`, replayed on the released table. Each has the column,
    its `parts` as positions in the list of the column's released values, the score, and the state of the table after
    the step."""
    step_values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Column → its released values in order; the positions in `steps` refer to them."""
    attacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The result of an attack on the released files, for plans whose models cover several sensitive columns."""
    disclosure: Mapping[str, Any] = field(default_factory=dict)
    """The [disclosure audit](../guide/sensitive-hierarchies.md#the-disclosure-audit): the classes and rows that
    disclose a group of sensitive values, by level of the hierarchy and by protected node. The published file has the
    columns whose hierarchy is published, and names no protected node with fewer rows than a class must have. The
    steward's file has every sensitive column with a hierarchy."""
    risk: Mapping[str, Any] = field(default_factory=dict)
    """For the steward: the [risk](../guide/risk.md) of the released rows as it follows from the numbers
    of rows with equal quasi-identifiers, with the `thresholds` of the plan that bound it, and those that are
    `exceeded`. If `individuals` is true, it counts individuals instead of rows."""
    statistics: tuple[Compared, ...] = ()
    """For the steward: the [statistics](../guide/statistics.md) of the plan, of every column and of pairs of columns,
    `before` in the input and `after` as a recipient computes them from the release, with `low` and `high` where labels
    bound them. `rows_unknown` are the released rows whose labels say too little."""
    files: Mapping[str, str] = field(default_factory=dict)
    """File → SHA-256."""

    @property
    def holds(self) -> bool:
        """Whether there are models and every one of them holds."""
        return bool(self.models) and all(model.holds for model in self.models)

    def to_json(self) -> dict[str, Any]:
        """The manifest in JSON types; optional fields without a value are omitted."""
        always = {"rows_in", "rows_released", "rows_suppressed", "rows_dropped", "classes", "measures", "warnings"}
        plain: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name == "search":
                plain |= {name: _plain(value) for name, value in _figures(value).items() if value is not None}
            elif item.name == "steps":
                plain |= {} if value is None else {"steps": _plain(value)}
            elif item.name == "models":
                plain["models"] = [_plain(model.to_json()) for model in value]
            elif value or item.name in always or item.name in ("shoal_version", "form", "algorithm", "notes"):
                plain[item.name] = _plain(value)
        return plain

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Manifest:
        """The manifest from JSON types; keys that this version does not know are ignored."""
        from pydantic import TypeAdapter, ValidationError

        searched = set(_figures(SearchRecord()))
        known = {item.name for item in fields(cls)} - {"search", "models"}
        given = {name: each for name, each in value.items() if name in known}
        try:
            verdicts = [vars(Verdict.from_json(model)) for model in value.get("models", ())]
            models = TypeAdapter(tuple[Verdict, ...]).validate_python(verdicts)
            search = TypeAdapter(SearchRecord).validate_python({n: v for n, v in value.items() if n in searched})
            return TypeAdapter(cls).validate_python({**given, "search": search, "models": models})
        except (ValidationError, TypeError, ValueError, LookupError, AttributeError):
            raise PromiseBroken(f"The {MANIFEST} is not a valid manifest.") from None


def _figures(record: SearchRecord) -> dict[str, Any]:
    """The figures of a search; its steps are not among them, because the manifest has steps of its own."""
    return {name: value for name, value in vars(record).items() if name != "steps"}


def described(cls: type) -> dict[str, str]:
    """Field → its description, the text below the field, of a dataclass."""
    body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    assert isinstance(body, ast.ClassDef)
    texts = {}
    for item, below in pairwise(body.body):
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            assert isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant), f"describe {item.target.id}"
            texts[item.target.id] = " ".join(str(below.value.value).split())
    return texts


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a published folder."""
    path = folder / MANIFEST
    if not path.is_file():
        raise PromiseBroken(f"'{folder}' is not a release: it has no {MANIFEST}.")
    value = read_json(path)
    if not isinstance(value, dict) or not isinstance(value.get("files"), dict):
        raise PromiseBroken(f"The {MANIFEST} of '{folder}' lists no files.")
    return Manifest.from_json(value)


def read_json(path: Path) -> Any:
    """The value in a published JSON file. A repeated key, which readers understand differently, is an error."""
    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_distinct_keys)
    except (OSError, ValueError, RecursionError):  # not there, not JSON, or not text
        raise PromiseBroken(f"The {path.name} of '{path.parent}' cannot be read.") from None


def require_outside_releases(path: Path) -> None:
    """Raises if a file, or what a link of its name leads to, lies in the public or the private folder of a release."""
    places = (path.resolve(), path.parent.resolve() / path.name)
    for folder in (parent for place in places for parent in place.parents):
        if (folder / STEWARD).is_file() or _is_release(folder):
            raise OutputError(
                f"'{path}' lies inside a release.",
                allowed="The folders of a release contain only what the release wrote.",
                hint="name a file elsewhere.",
            )


def _is_release(folder: Path) -> bool:
    """Whether a folder has a manifest of this program: others also name files manifest.json."""
    if not (folder / MANIFEST).is_file():
        return False
    try:
        return "shoal_version" in read_json(folder / MANIFEST)
    except (PromiseBroken, TypeError):
        return False


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key occurs twice")
    return dict(pairs)


def _plain(value: Any) -> Any:
    """Dataclasses and tuples in JSON types."""
    if hasattr(value, "__dataclass_fields__"):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
