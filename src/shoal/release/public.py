"""The public part of a release: a function of the released tables, the published plan and the row counts.

Two inputs that lead to the same of these publish the same bytes. So nothing here sees the input, the coded rows or the
record of the search: figures are computed from labels and hierarchies, and promises are checked on the tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal import attacks
from shoal.forms.anatomy import CLASS_ID
from shoal.labels import MISSING
from shoal.manifest import Manifest, MissingEffect
from shoal.measures import Outcome, measure
from shoal.models.items import ItemModel
from shoal.plan import EngineSettings, Plan, RiskSettings
from shoal.release.replay import replayed
from shoal.risks.auditing import Audit, audit_of
from shoal.roles.columns import Column, Data
from shoal.table import Runs
from shoal.verification.knowledge import knowledge_path, published_knowledge, unpublished_knowledge
from shoal.verification.labelled import Labelled
from shoal.verification.verdicts import Verification
from shoal.version import VERSION
from shoal.warnings import of_plan, of_sizes, serious, serious_first

_ROWS = "\x00rows"


class Counts(NamedTuple):
    """What is published about the input: its number of rows, and how many of them were left out for missing values."""

    rows_in: int
    rows_dropped: int


def public_plan(plan: Plan, tables: Mapping[str, Runs]) -> Plan:
    """The plan as it is published, with the steward's own hierarchies.

    It has no source, query, seed, weights, limits of the engine, accepted risk, approval and statistics. It lists every
    released column by name.
    """
    columns = dict(plan.columns)
    for name in plan.quasi_identifiers:
        columns[name] = columns[name].model_copy(update={"weight": 1.0})
    for name in plan.quasi_sensitive:
        columns[name] = _without_paths(name, plan)
    data = plan.data.model_copy(update=dict.fromkeys(Data.OF_SOURCE))
    released = next(iter(tables.values())).columns
    private = {
        "seed": 0,
        "engine": EngineSettings(),
        "risk": RiskSettings(),
        "release": plan.release.published,
        "statistics": (),
    }
    published = plan.changed(columns=columns, data=data, **private)
    return published.listing([name for name in released if name != CLASS_ID])


def _without_paths(name: str, plan: Plan) -> Column:
    """A quasi-sensitive column with the hash of its knowledge table, and its place in the release if it is published.

    A table that no promise uses is not published.
    """
    path = knowledge_path(name) if name in published_knowledge(plan) else None
    unused = {} if name in plan.looked_up else {"knowledge_sha256": None, "publish_knowledge": False}
    return plan.columns[name].model_copy(update={"knowledge": path, **unused})


def public_manifest(
    tables: Mapping[str, Runs],
    plan: Plan,
    counts: Counts,
    columns: Mapping[str, Labelled],
    verification: Verification,
    audit: Audit | None,
) -> Manifest:
    """The published manifest, without attacks and the hashes of files.

    `plan` is the published plan, `columns` are the `labelled` ones, `verification` is that of the tables alone, and
    `audit` is their `public_audit`.
    """
    main, sizes = next(iter(tables.values())), verification.sizes.to_numpy().astype(np.int64)
    warnings = serious_first((*of_sizes(sizes, plan), *of_plan(plan)))
    rows_out = counts.rows_in - verification.rows
    replay = replayed(main, plan, columns, rows_out)
    levels = {name: column.by_level for name, column in columns.items()} if plan.algorithm.recodes_by_level else {}
    return Manifest(
        shoal_version=VERSION,
        rows_in=counts.rows_in,
        rows_released=verification.rows,
        rows_suppressed=rows_out,
        rows_dropped=counts.rows_dropped,
        classes=verification.classes,
        form=plan.release.form,
        algorithm=plan.algorithm.kind,
        models=verification.verdicts,
        measures=_measures(columns, counts, verification),
        warnings=tuple(warning.text for warning in warnings),
        serious_warnings=serious(warnings),
        notes=(*verification.notes, *_item_notes(plan)),
        missing=_missing(main, columns) if plan.release.form == "generalized" else None,
        knowledge_needed=unpublished_knowledge(plan),
        published_as={name: column.published_as for name, column in columns.items()},
        levels={name: next(iter(each)) for name, each in levels.items() if len(each) == 1},
        rows_by_level={name: _rows_by_level(columns[name]) for name, each in levels.items() if len(each) > 1},
        steps=replay.steps,
        step_values=replay.values,
        disclosure={} if audit is None else audit.naming(_fewest(plan)).to_json(),
    )


def _item_notes(plan: Plan) -> list[str]:
    """What recipients must know of set-valued columns. The plan alone says it, not whether items were removed."""
    return [_item_note(plan, model) for model in plan.removing]


def _item_note(plan: Plan, model: ItemModel) -> str:
    removed = f"Column '{model.column}': items may have been removed from rows to keep the promise of '{model.kind}'"
    hierarchy = plan.columns[model.column].hierarchy
    if hierarchy is None:
        return f"{removed}."
    return (
        f"{removed}, or replaced by labels of its hierarchy ({hierarchy.kind}), each of which stands for one or more "
        "items."
    )


def public_audit(tables: Mapping[str, Runs], plan: Plan, verification: Verification) -> Audit | None:
    """The audit of the columns whose hierarchy is published; None if there are none.

    It names every protected node. The published one names only those with as many rows as a class needs.
    """
    return audit_of(tables, plan, plan.reads_trees, regrouped=verification.counted) if plan.reads_trees else None


def _fewest(plan: Plan) -> int:
    """The fewest rows of a class that the models allow."""
    return max((model.floor for model in plan.enforced), default=1)


def _measures(columns: Mapping[str, Labelled], counts: Counts, verification: Verification) -> dict[str, object]:
    return measure(
        Outcome(
            columns=tuple(columns),
            rows_in=counts.rows_in,
            class_rows=verification.sizes.to_numpy().astype(np.int64),
            lost=np.array([column.lost for column in columns.values()]),
            raised=np.array([column.raised for column in columns.values()]),
        )
    )


def _rows_by_level(column: Labelled) -> dict[str, int]:
    return {str(level): int(column.rows[labels].sum()) for level, labels in column.by_level.items()}


def _missing(main: Runs, columns: Mapping[str, Labelled]) -> MissingEffect | None:
    """The classes that show a missing value; None if no class does."""
    names = [name for name, column in columns.items() if MISSING in column.labels]
    if not names:
        return None
    quasi = list(columns)
    shows = {name: main[name].cast(pl.String).fill_null(MISSING) == MISSING for name in names}
    any_shown = pl.DataFrame(shows).select(shown=pl.any_horizontal(pl.all()))["shown"]
    labels = main.rows.select(pl.col(quasi), any_shown, pl.Series(_ROWS, main.times))
    classes = labels.group_by(quasi).agg(pl.col(_ROWS).sum(), pl.first("shown"))
    return MissingEffect(
        columns=tuple(shows),
        share_of_rows=round(float(main.times[any_shown.to_numpy()].sum()) / main.height, 3),
        smallest_class_showing_missing=_smallest(classes.filter(pl.col("shown"))),
        smallest_other_class=_smallest(classes.filter(~pl.col("shown"))),
    )


def _smallest(classes: pl.DataFrame) -> int | None:
    return int(classes[_ROWS].min()) if classes.height else None  # type: ignore[arg-type]


def attacked(tables: Mapping[str, Runs], plan: Plan) -> dict[str, tuple[str, ...]]:
    """Kind of attack → its results on the published tables, in sentences.

    Only attacks that see nothing else are published. What others compute from the input is for the steward.
    """
    results = {cls.kind: cls.found_in(tables, plan) for cls in attacks.ALL if cls.published}
    return {kind: sentences for kind, sentences in results.items() if sentences}
