"""Tables: reading and writing, column types, and conversion from and to the user's kind of frame."""

from shoal.table import parts
from shoal.table.columns import check_names, require_rows
from shoal.table.files import FORMATS, file_name, is_url, read, write, write_runs
from shoal.table.formulas import are_formulas, escaped, unescaped
from shoal.table.frames import converted, to_polars
from shoal.table.runs import Runs
from shoal.table.sets import canonical_sets, is_list, read_sets, set_texts, with_lists, with_set_texts
from shoal.table.sql import sqlite_path, sqlite_url, write_sql
from shoal.table.types import AS_SHOWN, TYPES, Notation, Typed, as_text, notation_hint, shown_notation, typed

__all__ = [
    "AS_SHOWN",
    "FORMATS",
    "TYPES",
    "Notation",
    "Runs",
    "Typed",
    "are_formulas",
    "as_text",
    "canonical_sets",
    "check_names",
    "converted",
    "escaped",
    "file_name",
    "is_list",
    "is_url",
    "notation_hint",
    "parts",
    "read",
    "read_sets",
    "require_rows",
    "set_texts",
    "shown_notation",
    "sqlite_path",
    "sqlite_url",
    "to_polars",
    "typed",
    "unescaped",
    "with_lists",
    "with_set_texts",
    "write",
    "write_runs",
    "write_sql",
]
