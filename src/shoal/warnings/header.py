"""A table that seems to have no header line: the cells of its first row become column names, which are published."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.table import as_text
from shoal.table.header import seems_absent
from shoal.warnings.base import Case, Warning

ADD_HEADER = "Add a header line, or set header = false under [data]."
ABSENT = (
    "The table seems to have no header line: the names of its columns look like a row of data. The first row would be "
    f"published as the names of the columns. {ADD_HEADER}"
)


def absent_header(case: Case) -> Iterator[Warning]:
    """Warns of a table whose column names look like values."""
    if case.plan.data.header is not None:  # the steward has decided
        return
    domains = {domain.name: domain for domain in case.coded.quasi}
    unchanged = set(case.unchanged)

    def contains_name(name: str) -> bool:
        if name in domains:
            return name.strip() in domains[name].texts
        return name in unchanged and bool((as_text(case.engine.distinct(name).values) == name).any())

    if seems_absent(case.engine.columns, contains_name):
        yield Warning(ABSENT, serious=True, remedy=ADD_HEADER)
