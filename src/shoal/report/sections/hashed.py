"""The files of the release and their hashes."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.report.document import Block, Column, Table, Text
from shoal.report.sections.base import Facts, ReportSection

_OTHERS = "The hashes of all files, those of the reports among them, are in `manifest.json`."


class Hashed(ReportSection):
    """The SHA-256 of the files that were written before the report."""

    key = "files"
    title = "Files"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        rows = tuple(facts.manifest.files.items())
        table = Table((Column("File", "code"), Column("SHA-256", "code")), rows)
        return (table, Text((_OTHERS,))) if rows else ()
