"""The measures by column: what became of each quasi-identifier."""

from __future__ import annotations

from collections.abc import Sequence

from shoal import measures
from shoal.manifest import Manifest
from shoal.report.document import Block, Column, Points, Table
from shoal.report.sections.base import Facts, ReportSection
from shoal.report.sections.loss import label
from shoal.report.summary import levels, outcome


class LossByColumn(ReportSection):
    """What each quasi-identifier is published as, what it lost, and its level; then the result in sentences."""

    key = "columns"
    title = "Information loss by column"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        table, sentences = _table(facts.manifest), outcome(facts.manifest)
        return (*([table] if table.rows else []), *([Points(sentences)] if sentences else []))


def _table(manifest: Manifest) -> Table:
    figures, by_name, published = manifest.measures, levels(manifest), manifest.published_as
    of_cells = [cls for cls in measures.ALL if cls is not measures.ItemLoss]  # set-valued columns have their own table
    computed = [cls for cls in of_cells if figures.get(f"{cls.name}_by_column")]
    shares = [figures[f"{cls.name}_by_column"] for cls in computed]
    names = dict.fromkeys(name for by_column in shares for name in by_column)
    columns = (
        Column("Quasi-identifier"),
        *((Column("Published as"),) if published else ()),
        *(Column(label(cls.name), "share", f"{cls.about}; {cls.goal} is better", bar=True) for cls in computed),
        *((Column("Level"),) if by_name else ()),
    )
    rows = (
        (
            name,
            *((published.get(name),) if published else ()),
            *(by_column.get(name) for by_column in shares),
            *((by_name.get(name),) if by_name else ()),
        )
        for name in names
    )
    return Table(columns, tuple(rows))
