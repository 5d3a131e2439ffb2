"""The section about items; its sentences are tested with the functions that write them."""

from __future__ import annotations

from shoal.report.document import Table
from tests.report.manifests import manifest, report, table
from tests.report.test_items import REMOVED


def test_counts_are_numbers() -> None:
    shown = table(manifest(items_removed=REMOVED), "items")
    assert shown.rows == (("symptoms", 40, 5, 0, 35, 0.25),) and isinstance(shown, Table)


def test_without_set_valued_columns_there_is_no_section() -> None:
    assert report(manifest()).document.section("items") is None
