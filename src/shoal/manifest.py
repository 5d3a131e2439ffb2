"""The manifest: what a release says of itself, as a typed value that this module alone writes and reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any

from shoal.coded.record import SearchRecord
from shoal.errors import PromiseBroken
from shoal.models.evidence import Verdict

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class MissingEffect:
    """What missing quasi-identifiers do to class sizes: the columns, the share of rows that lack a value, and the
    smallest class that shows a missing value beside the smallest other one."""

    columns: tuple[str, ...]
    share_of_rows: float
    smallest_class_showing_missing: int | None = None
    smallest_other_class: int | None = None


@dataclass(frozen=True)
class Manifest:
    """What a release says of itself. Each field carries its description, from which the reference page is made."""

    shoal_version: Annotated[str, "The version of Shoal that made the release."] = ""
    rows_in: Annotated[int, "Rows of the input."] = 0
    rows_released: Annotated[int, "Rows of the released table."] = 0
    rows_suppressed: Annotated[int, "Rows of the input that were not released, for whatever reason."] = 0
    classes: Annotated[int, "Classes after regrouping the released table by its labels."] = 0
    form: Annotated[str, "The release form."] = ""
    algorithm: Annotated[str, "The algorithm that made the partition."] = ""
    models: Annotated[
        tuple[Verdict, ...],
        "For every model its `kind` and parameters, what it `achieved`, whether it `holds`, and `failing_classes`; "
        "`checked` where the files alone do not show everything.",
    ] = ()
    measures: Annotated[Mapping[str, Any], "See [measures](measures.md)."] = field(default_factory=dict)
    timings: Annotated[Mapping[str, float], "Seconds by step."] = field(default_factory=dict)
    warnings: Annotated[tuple[str, ...], "Risks that no model covers. See [warnings](../guide/warnings.md)."] = ()
    notes: Annotated[tuple[str, ...], "What verification could not check, and what the form does not hide."] = ()
    search: Annotated[
        SearchRecord,
        "What the search says of its work, where it applies: `measure`, `cost`, `lower_bound`, `proven_optimal`, "
        "`lattice_nodes`, `nodes_checked`, `minimal`, `height`, `local`, `full_domain_cost`, `steps`. In the file each "
        "is a key of its own.",
    ] = field(default_factory=SearchRecord)
    missing: Annotated[
        MissingEffect | None, "What missing quasi-identifiers do to class sizes, where some are missing."
    ] = None
    levels: Annotated[Mapping[str, int], "Column → hierarchy level, where every row is published at the same."] = field(
        default_factory=dict
    )
    rows_by_level: Annotated[
        Mapping[str, Mapping[str, int]], "Column → level → rows, where rows differ in their level."
    ] = field(default_factory=dict)
    step_values: Annotated[
        Mapping[str, tuple[str, ...]], "Column → its released values in order, which the places in `steps` count."
    ] = field(default_factory=dict)
    attacks: Annotated[Mapping[str, tuple[str, ...]], "Attack → what it finds in the release."] = field(
        default_factory=dict
    )
    files: Annotated[Mapping[str, str], "File → SHA-256 of its content."] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether there are models and every one of them holds."""
        return bool(self.models) and all(model.holds for model in self.models)

    def to_json(self) -> dict[str, Any]:
        """The manifest in JSON's own kinds; what there is nothing to say about is left out."""
        always = {"rows_in", "rows_released", "rows_suppressed", "classes", "models", "measures", "timings", "warnings"}
        found: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name == "search":
                found |= {name: _plain(each) for name, each in vars(value).items() if each is not None}
            elif item.name == "models":
                found["models"] = [_plain(model.to_json()) for model in value]
            elif value or item.name in always or item.name in ("shoal_version", "form", "algorithm", "notes"):
                found[item.name] = _plain(value)
        return found

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Manifest:
        """The manifest of JSON's own kinds; keys that this version does not know are ignored."""
        from pydantic import TypeAdapter, ValidationError

        searched = {item.name for item in fields(SearchRecord)}
        known = {item.name for item in fields(cls)} - {"search", "models"}
        given = {name: each for name, each in value.items() if name in known}
        try:
            models = tuple(Verdict.from_json(model) for model in value.get("models", ()))
            search = TypeAdapter(SearchRecord).validate_python({n: v for n, v in value.items() if n in searched})
            return TypeAdapter(cls).validate_python({**given, "search": search, "models": models})
        except (ValidationError, TypeError, ValueError, LookupError, AttributeError):
            raise PromiseBroken(f"The {MANIFEST} is not what a release writes.") from None


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a published folder."""
    path = folder / MANIFEST
    if not path.is_file():
        raise PromiseBroken(f"'{folder}' is not a release: it has no {MANIFEST}.")
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):  # what is no JSON, or no text
        raise PromiseBroken(f"The {MANIFEST} of '{folder}' cannot be read.") from None
    if not isinstance(value, dict) or not isinstance(value.get("files"), dict):
        raise PromiseBroken(f"The {MANIFEST} of '{folder}' lists no files.")
    return Manifest.from_json(value)


def _plain(value: Any) -> Any:
    """Dataclasses and tuples as JSON has them."""
    if hasattr(value, "__dataclass_fields__"):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
