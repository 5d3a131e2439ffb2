"""Data package: a Frictionless description of the released tables, by which other programs read them.

It is a function of the released tables and the published plan.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from shoal import forms
from shoal.counts import each_once
from shoal.forms.anatomy import CLASS_ID, COUNT, QUASI_IDENTIFIERS, VALUE, sensitive_table
from shoal.labels import ANY
from shoal.manifest import MANIFEST
from shoal.plan import Plan
from shoal.release.field_types import FieldType, native_type, statistics_type, text_type
from shoal.roles.columns import Column
from shoal.table import Runs
from shoal.verification.folder import CODEBOOK, PLAN, REPORT
from shoal.verification.labelled import Labelled
from shoal.verification.reading import table_files

_MEDIA_TYPES = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "dta": "application/x-stata-dta",
    "sav": "application/x-spss-sav",
}
_DIALECT = {
    "delimiter": ",",
    "lineTerminator": "\n",
    "quoteChar": '"',
    "doubleQuote": True,
    "skipInitialSpace": False,
    "header": True,
}
_READING = {
    "ranges": "[a, b] is any value from a to b, both included.",
    "sets": "{a, b} is one of the listed values.",
    "hierarchy nodes": "Labels of its hierarchy stand for the values below them.",
    ANY: "* is any value.",
}
"""What the labels of a column are → how they are read."""
_ESCAPED = "A label that begins with a backslash is the value behind it."
_FORMULAS = "An apostrophe stands before texts that a spreadsheet would run as formulas; it is not part of the text."
_IDENTIFIER = re.compile(r"[-a-zA-Z0-9._]+")


class _Written(NamedTuple):
    """What is described: the written tables as they are read, the published plan, the labels, and known hashes."""

    folder: Path
    tables: Mapping[str, Runs]
    plan: Plan
    columns: Mapping[str, Labelled]
    hashes: Mapping[str, str]

    @property
    def is_text(self) -> bool:
        return self.plan.release.format == "csv"

    @property
    def has_lists(self) -> bool:
        """Whether sets are lists in the files, and not texts."""
        return self.plan.release.format == "parquet"


def datapackage(
    folder: Path,
    tables: Mapping[str, Runs],
    plan: Plan,
    columns: Mapping[str, Labelled],
    hashes: Mapping[str, str],
) -> dict[str, Any]:
    """The content of datapackage.json for a folder with written tables.

    `plan` is the published plan, `columns` are the `labelled` ones, and `hashes` are those of the written files.
    """
    written = _Written(folder, tables, plan, columns, hashes)
    stated = plan.release.provenance
    return {
        "profile": "tabular-data-package" if written.is_text else "data-package",
        "name": _slug(stated.get("title", "release")),
        **({"title": stated["title"]} if "title" in stated else {}),
        "description": _description(plan),
        **({"created": f"{stated['date']}T00:00:00Z"} if is_day(stated.get("date")) else {}),
        **({"licenses": [_licence(stated["licence"])]} if "licence" in stated else {}),
        **({"contributors": [{"title": stated["steward"], "role": "publisher"}]} if "steward" in stated else {}),
        "resources": [_resource(name, written) for name in tables],
    }


def _slug(title: str) -> str:
    """A name of lower-case letters, digits and hyphens.

    >>> _slug("Admissions 2025: Köln"), _slug("患者")
    ('admissions-2025-koln', 'release')
    """
    plain = "".join(each for each in unicodedata.normalize("NFKD", title.lower()) if not unicodedata.combining(each))
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "release"


def is_day(text: str | None) -> bool:
    """Whether a text is a date as the formats require it.

    >>> is_day("2025-03-01"), is_day("March 2025")
    (True, False)
    """
    try:
        return text is not None and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def is_link(text: str) -> bool:
    """Whether a text is a web address."""
    return re.fullmatch(r"https?://\S+", text) is not None


def _licence(text: str) -> dict[str, str]:
    """A licence by its identifier or address; one in words is stated in the published plan."""
    if is_link(text):
        return {"path": text}
    return {"name": text} if _IDENTIFIER.fullmatch(text) else {"path": PLAN, "title": text}


def _description(plan: Plan) -> str:
    purpose = plan.release.provenance.get("purpose")
    return " ".join(
        [
            *([purpose if purpose.endswith((".", "!", "?")) else f"{purpose}."] if purpose else []),
            f"Anonymized table (models: {each_once(model.kind for model in plan.models)}).",
            f"{CODEBOOK} explains columns and labels, {MANIFEST} states what was required and achieved, and {REPORT} "
            "shows both for human readers.",
        ]
    )


def _resource(name: str, written: _Written) -> dict[str, Any]:
    format, runs = written.plan.release.format, written.tables[name]
    files = table_files(written.folder, name, written.plan)
    one = len(files) == 1 and not files[0].is_part
    escapes = written.is_text and written.plan.release.escape_formulas
    return {
        "profile": "tabular-data-resource" if written.is_text else "data-resource",
        "name": name,
        "path": files[0].name if one else [file.name for file in files],
        "format": format,
        "mediatype": _MEDIA_TYPES[format],
        **({"encoding": "utf-8"} if written.is_text else {}),
        **({"description": _FORMULAS} if escapes else {}),
        "bytes": sum(file.path.stat().st_size for file in files),
        **({"hash": f"sha256:{written.hashes[files[0].name]}"} if one else {}),  # each part has one in the manifest
        **({"dialect": _DIALECT} if written.is_text else {}),
        "schema": {
            "fields": [_field(column, name, written) for column in runs.columns],
            "missingValues": list(dict.fromkeys(("", *written.plan.data.absent))),
            **_keys(name, written),
        },
    }


def _keys(name: str, written: _Written) -> dict[str, Any]:
    """The classes of a table of sensitive values are those of the main table of an anatomy."""
    if name == QUASI_IDENTIFIERS or QUASI_IDENTIFIERS not in written.tables:
        return {}
    reference = {"resource": QUASI_IDENTIFIERS, "fields": [CLASS_ID]}
    return {"foreignKeys": [{"fields": [CLASS_ID], "reference": reference}]}


def _field(column: str, table: str, written: _Written) -> dict[str, Any]:
    cells, missing = written.tables[table][column], written.plan.data.absent
    return {
        "name": column,
        **_type(column, table, written),
        "description": _added(column, table, written.plan) or _described(column, written),
        **({} if _has_missing(cells, missing) else {"constraints": {"required": True}}),
    }


def _has_missing(cells: pl.Series, missing: Sequence[str]) -> bool:
    if cells.has_nulls() or not isinstance(cells.dtype, pl.String | pl.Categorical | pl.Enum):
        return cells.has_nulls()
    texts = cells if cells.dtype == pl.String else cells.unique().cast(pl.String)
    return bool(texts.is_in(list(missing)).any())


def _type(column: str, table: str, written: _Written) -> FieldType:
    cells, plan = written.tables[table][column], written.plan
    settings = plan.columns.get(_owner(column, table, plan) or column, Column(role="insensitive"))
    if settings.role == "quasi-sensitive":
        return {"type": "array" if written.has_lists else "string"}
    if not written.is_text:
        return native_type(cells) if plan.release.format == "parquet" else statistics_type(cells)
    return text_type(cells, declared=_declared(column, settings, written), missing=plan.data.absent)


def _declared(column: str, settings: Column, written: _Written) -> str | None:
    """The type of a column; None if its values decide. Labels and sensitive values without type are text."""
    labelled = written.columns.get(column) if settings.role == "quasi-identifier" else None
    if labelled is not None and labelled.published_as != "values":
        return "text"
    if column in (CLASS_ID, COUNT) and not forms.by_kind(written.plan.release.form).generalizes:
        return None
    return settings.type or ("text" if settings.role == "sensitive" else None)


def _added(column: str, table: str, plan: Plan) -> str:
    """The description of a column that an anatomy adds; empty if it is one of the plan."""
    if forms.by_kind(plan.release.form).generalizes:
        return ""
    if column == CLASS_ID:
        return "Number of the equivalence class. Tables are joined by it."
    owner = _owner(column, table, plan)
    if owner is None:
        return ""
    if column == COUNT:
        return "Number of rows of the class that have this value."
    return f"Value of the sensitive column '{owner}'. Which row of the class has it is not published."


def _owner(column: str, table: str, plan: Plan) -> str | None:
    """The sensitive column whose values are counted in a table of an anatomy; None for other columns."""
    apart = {sensitive_table(name): name for name in plan.sensitive}
    return apart.get(table) if column in (VALUE, COUNT) else None


def _described(column: str, written: _Written) -> str:
    """What a column is, and how its cells are read."""
    settings = written.plan.columns.get(column, Column(role="insensitive"))
    if settings.role == "quasi-sensitive":
        listed = "List of items" if written.has_lists else f"Set of items, separated by '{settings.separator}'"
        return f"{listed}; items may have been removed or generalized."
    if settings.role != "quasi-identifier" or column not in written.columns:
        return f"{settings.role.capitalize()} column, released unchanged."
    labelled = written.columns[column]
    kinds = labelled.published_as
    bounds = {"Top": settings.top, "Bottom": settings.bottom}
    coded = [f"{end}-coded at {bound}." for end, bound in bounds.items() if bound is not None]
    if kinds == "values":
        return " ".join(["Quasi-identifier, released as values.", *coded])
    reading = [help for kind, help in _READING.items() if kind.removesuffix("s") in kinds]
    escaped = [_ESCAPED] if any(label.startswith("\\") for label in labelled.labels) else []
    return " ".join(
        [f"Quasi-identifier, released as {kinds}.", *reading, *escaped, *coded, f"{CODEBOOK} lists its labels."]
    )
