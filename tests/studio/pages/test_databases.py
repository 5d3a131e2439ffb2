"""Opening a table of a database: what the list says."""

from __future__ import annotations

from shoal.studio.pages.databases import described
from shoal.studio.pages.opening import KINDS


def test_tables_are_described_in_a_line() -> None:
    assert described({"kind": "table", "columns": []}) == "table"
    assert described({"kind": "table", "columns": ["age"]}) == "table · 1 column: age"
    assert described({"kind": "view", "columns": list("abcdefgh")}) == "view · 8 columns: a, b, c, d, e, f …"


def test_databases_are_not_offered_as_files() -> None:
    from shoal.studio.pages import databases

    assert not set(databases.KINDS) & set(KINDS)
