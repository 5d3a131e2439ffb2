"""What a release contains next to its input, in counts: the values of columns before and after, and class sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.labels import MISSING
from shoal.pipeline import read_source
from shoal.plan import Plan, read_plan
from shoal.progress import Progress
from shoal.risks.releases import source_of
from shoal.studio.previews import FEWEST_ROWS
from shoal.table import Runs

SHOWN = 10
"""Values of a column that are shown; all others are counted together."""
_ROWS = "\x00rows"


def contents(release: str | Path, plan_path: str | Path, progress: Progress) -> dict[str, Any]:
    """The columns of a release before and after, and the sizes of its classes; private, because of the input.

    `plan_path`: the plan that was run. Values of fewer than five rows are counted together.
    """
    progress("read", 0.0)
    plan = read_plan(plan_path)
    released = source_of(Path(release), None, progress)
    frame = read_source(plan)
    plan = plan.for_table(frame.columns)
    progress("count", 0.5)
    shown = [name for name, column in plan.columns.items() if column.role not in ("identifier", "drop")]
    tables = {name: table for table in released.tables.values() for name in table.columns}
    columns = [
        {
            "name": name,
            "role": plan.columns[name].role,
            "before": _counts(_of_input(frame, name)),
            "after": _counts(tables[name].counted(name).rename({name: "value"})),
        }
        for name in shown
        if name in tables and name in frame.columns
    ]
    return {"columns": columns, "classes": _sizes(released.main, plan)}


def _of_input(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    return frame.select(pl.col(name).cast(pl.String).alias("value")).group_by("value").agg(rows=pl.len().cast(pl.Int64))


def _counts(counted: pl.DataFrame) -> dict[str, Any]:
    """The most frequent values with their rows, and how many values and rows all others are."""
    values = counted.with_columns(pl.col("value").cast(pl.String).fill_null(MISSING))
    order = values.sort(["rows", "value"], descending=[True, False])
    top = order.filter(pl.col("rows") >= FEWEST_ROWS).head(SHOWN)
    others = order.height - top.height
    return {
        "distinct": order.height,
        "values": [[value or "missing", rows] for value, rows in top.select("value", "rows").iter_rows()],
        "others": others,
        "rows_of_others": int(order["rows"].sum()) - int(top["rows"].sum()),
    }


def _sizes(main: Runs, plan: Plan) -> list[dict[str, int]]:
    """How many classes and rows there are of each size, in about ten bins of doubling width."""
    names = [name for name in plan.quasi_identifiers if name in main.columns]
    if not names:
        return []
    rows = main.rows.select(*names, pl.Series(_ROWS, main.times))
    sizes = rows.group_by(names).agg(pl.col(_ROWS).sum())[_ROWS].to_numpy()
    low = int(sizes.min())
    edges = [low]
    while edges[-1] <= sizes.max():
        edges.append(max(edges[-1] + 1, round(edges[-1] * 1.5)))
    place = np.searchsorted(edges, sizes, "right") - 1
    return [
        {
            "from": edges[at],
            "to": edges[at + 1] - 1,
            "classes": int((place == at).sum()),
            "rows": int(sizes[place == at].sum()),
        }
        for at in range(len(edges) - 1)
    ]


def lattice(plan_path: str | Path, progress: Progress) -> dict[str, Any]:
    """The lattice that the search of a plan explores, as `shoal lattice` shows it."""
    from shoal.evaluate.lattice import explore
    from shoal.report.lattice import best_rows, headline, height_rows, notes, svg
    from shoal.search.explored import DRAWN_AT_MOST

    searched = explore(read_plan(plan_path), progress=progress)
    heads, rows = height_rows(searched)
    best_heads, best = best_rows(searched)
    return {
        "headline": headline(searched),
        "notes": notes(searched),
        "heights": {"head": list(heads), "rows": [list(row) for row in rows]},
        "best": {"head": list(best_heads), "rows": [list(row) for row in best]},
        "svg": svg(searched) if searched.size <= DRAWN_AT_MOST else "",
    }
