"""How the release was made: the algorithm, the form, and what the search knows about its result."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.report.document import Block, Column, Figure, Table, Value
from shoal.report.sections.base import Facts, ReportSection


class Made(ReportSection):
    """The algorithm, the form and the version; the steward's report has the costs of the search too."""

    key = "made"
    title = "How it was made"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        manifest, search = facts.manifest, facts.manifest.search
        known: tuple[tuple[str, Value], ...] = (
            ("Algorithm", manifest.algorithm or None),
            ("Form", manifest.form or None),
            ("Proven optimal", search.proven_optimal),
            ("Lower bound", search.lower_bound),
            ("Cost", search.cost),
            ("Cost of the best full-domain recoding", search.full_domain_cost),
            ("Measure", search.measure),
            ("Shoal", manifest.shoal_version or None),
        )
        rows = tuple((name, Figure(value, "number")) for name, value in known if value is not None)
        return (Table((Column("Fact"), Column("Value")), rows),) if rows else ()
