"""Disclosure audit: the classes whose sensitive values have too little variety, at every level of their hierarchy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import polars as pl

from shoal.arrays import Int32, Int64
from shoal.forms.anatomy import CLASS_ID, QUASI_IDENTIFIERS, VALUE, sensitive_table
from shoal.forms.anatomy import COUNT as PUBLISHED_COUNT
from shoal.forms.generalized import RELEASE
from shoal.hierarchies.codes import CodeTree
from shoal.models.evidence import CLASS, COUNT, least
from shoal.plan import Plan
from shoal.roles.columns import Column
from shoal.table import Runs
from shoal.verification.labels import is_readable
from shoal.verification.regrouping import canonical, counted_rows, with_classes
from shoal.verification.tables import facts

DEFAULT_P = 2
"""The p of a column for which no model of the plan states one: a class with a single value discloses it."""

_STRONG = "strong"


class Tally(NamedTuple):
    """A number of classes, and the rows or individuals in them."""

    classes: int
    rows: int


class Variety(NamedTuple):
    """The classes that lack variety: those with fewer than p groups (`failing`), and those that disclose one group.

    A class discloses a group if all of its values lie in it and none is missing: a missing value may be anything.
    """

    failing: Tally
    disclosing: Tally

    def to_json(self) -> dict[str, int]:
        return {
            "failing_classes": self.failing.classes,
            "failing_rows": self.failing.rows,
            "disclosing_classes": self.disclosing.classes,
            "disclosing_rows": self.disclosing.rows,
        }


class ProtectedNode(NamedTuple):
    """A protected node: its label and its name, the rows with a value under it, and the classes that disclose it.

    `largest_share`: the largest share of such rows in a class, 1 if a class discloses the node.
    """

    node: str
    name: str
    rows: int
    disclosing: Tally
    largest_share: float

    def to_json(self) -> dict[str, Any]:
        classes, rows = self.disclosing
        return {
            "node": self.node,
            "name": self.name,
            "rows": self.rows,
            "disclosing_classes": classes,
            "disclosing_rows": rows,
            "largest_share": self.largest_share,
        }


@dataclass(frozen=True)
class ColumnAudit:
    """The audit of one sensitive column.

    `levels`: the values themselves, and their labels at each level of the hierarchy below the top. `extended`: the
    strong ancestors of the values. `from_plan`: whether a model of the plan states p.
    """

    column: str
    p: int
    from_plan: bool
    levels: tuple[Variety, ...]
    level_names: tuple[str, ...]
    extended: Variety
    nodes: tuple[ProtectedNode, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "column": self.column,
            "p": self.p,
            "p_from": "plan" if self.from_plan else "default",
            "levels": [
                {"level": level, "name": name, **variety.to_json()}
                for level, (name, variety) in enumerate(zip(self.level_names, self.levels, strict=True))
            ],
            "extended": self.extended.to_json(),
            "nodes": [node.to_json() for node in self.nodes],
        }


@dataclass(frozen=True)
class Audit:
    """The audit of all sensitive columns with a hierarchy.

    `disclosing`: the classes that disclose a strong ancestor in at least one column. `classes` and `rows` are those of
    the table. `unread`: columns whose hierarchy cannot be read. `individuals`: whether these are counted, not rows.
    """

    classes: int
    rows: int
    smallest_class: int
    disclosing: Tally
    columns: tuple[ColumnAudit, ...]
    unread: tuple[str, ...] = ()
    anatomy: bool = False
    individuals: bool = False

    def naming(self, fewest: int) -> Audit:
        """The same audit, which names only protected nodes under which at least so many rows lie."""
        columns = [
            replace(column, nodes=tuple(node for node in column.nodes if node.rows >= fewest))
            for column in self.columns
        ]
        return replace(self, columns=tuple(columns))

    def to_json(self) -> dict[str, Any]:
        """The audit as JSON values; `unread` is there only if it is not empty."""
        unread = {"unread": list(self.unread)} if self.unread else {}
        return {
            "classes": self.disclosing.classes,
            "rows": self.disclosing.rows,
            "share": self.disclosing.rows / self.rows if self.rows else 0.0,
            "table": {
                "classes": self.classes,
                "rows": self.rows,
                "smallest_class": self.smallest_class,
                "anatomy": self.anatomy,
                "individuals": self.individuals,
            },
            "columns": [column.to_json() for column in self.columns],
            **unread,
        }


class Counted(NamedTuple):
    """The classes of a table: of every run (int32), their sizes (int64), and whether these count individuals."""

    of_run: Int32
    sizes: Int64
    individuals: bool = False


class Tallied(NamedTuple):
    """Counted values by class: `sizes` has CLASS and `size`; `values`, by column, has CLASS, `value` and COUNT."""

    sizes: pl.DataFrame
    values: Mapping[str, pl.DataFrame]
    anatomy: bool = False
    individuals: bool = False


def with_trees(plan: Plan) -> tuple[str, ...]:
    """The sensitive columns of a plan that have a hierarchy."""
    return tuple(name for name in plan.sensitive if plan.columns[name].hierarchy is not None)


def audit_of(
    tables: Mapping[str, Runs],
    plan: Plan,
    names: Sequence[str],
    counted: Counted | None = None,
    regrouped: pl.DataFrame | None = None,
) -> Audit:
    """The audit of these sensitive columns in published tables, or in a raw table whose rows were `counted`.

    `regrouped`: the counted rows of a released table with their classes, if verification has regrouped them already. A
    column whose hierarchy cannot be read is left out, and listed as `unread`.
    """
    readable = [name for name in names if is_readable(plan.columns[name])]
    if counted is not None:
        found = _tallied_rows(tables[RELEASE], plan, counted, readable)
    elif regrouped is not None and {*readable} <= {*regrouped.columns}:
        found = _tallied_again(regrouped, readable)
    else:
        found = _tallied(tables, plan, readable)
    return replace(_audited(found, plan), unread=tuple(name for name in names if name not in readable))


def _tallied_again(rows: pl.DataFrame, names: Sequence[str]) -> Tallied:
    """The values of some sensitive columns in counted rows, whose values are canonical text."""
    values = {name: rows.group_by(CLASS, pl.col(name).alias("value")).agg(pl.col(COUNT).sum()) for name in names}
    return Tallied(rows.group_by(CLASS).agg(pl.col(COUNT).sum().alias("size")), values)


def _tallied(tables: Mapping[str, Runs], plan: Plan, names: Sequence[str]) -> Tallied:
    """The values of some sensitive columns in published tables; rows are counted."""
    if RELEASE not in tables:
        return _of_anatomy(tables, plan, names)
    identifying = set(plan.quasi_identifiers)
    quasi = [name for name in tables[RELEASE].columns if name in identifying]
    rows, _ = with_classes(counted_rows(tables[RELEASE], [*quasi, *names]), quasi)
    sizes = rows.group_by(CLASS).agg(pl.col(COUNT).sum().alias("size"))
    return Tallied(sizes, {name: _counted(rows, name, plan) for name in names})


def _tallied_rows(table: Runs, plan: Plan, counted: Counted, names: Sequence[str]) -> Tallied:
    """The values of some sensitive columns in any table, whose rows belong to counted classes."""
    numbers = pl.int_range(len(counted.sizes), dtype=pl.Int32, eager=True)
    numbered = pl.DataFrame({CLASS: counted.of_run, **{name: table[name] for name in names}, COUNT: table.times})
    values = {name: _counted(numbered, name, plan) for name in names}
    return Tallied(pl.DataFrame({CLASS: numbers, "size": counted.sizes}), values, individuals=counted.individuals)


def _counted(rows: pl.DataFrame, name: str, plan: Plan) -> pl.DataFrame:
    """CLASS, `value` as canonical text, null if missing, and COUNT."""
    values = rows.group_by(CLASS, name).agg(pl.col(COUNT).sum())
    texts = canonical(values[name], plan.columns[name], plan.data.absent, plan.data.notation)
    return values.select(CLASS, texts.cast(pl.String).alias("value"), COUNT)


def _of_anatomy(tables: Mapping[str, Runs], plan: Plan, names: Sequence[str]) -> Tallied:
    main = tables[QUASI_IDENTIFIERS]
    sizes = main.with_rows(main.rows.select(_number(CLASS_ID).alias(CLASS))).counted(CLASS).rename({"rows": "size"})
    values = {}
    for name in names:
        counts = tables[sensitive_table(name)].expanded()
        texts = canonical(counts[VALUE], plan.columns[name], plan.data.absent)
        numbers = (_number(CLASS_ID).alias(CLASS), _number(PUBLISHED_COUNT).alias(COUNT))
        values[name] = counts.select(*numbers).with_columns(texts.cast(pl.String).alias("value"))
    return Tallied(sizes, values, anatomy=True)


def _number(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String).cast(pl.Int64)


def _audited(found: Tallied, plan: Plan) -> Audit:
    """The audit of the tallied columns."""
    sizes, disclosing, columns = found.sizes, found.sizes.head(0)[CLASS], []
    for name, counts in found.values.items():
        column, similar = _audited_column(name, counts, sizes, plan)
        columns.append(column)
        disclosing = pl.concat([disclosing, similar])
    together = sizes.join(disclosing.unique().to_frame(), on=CLASS, how="semi")
    rows = int(sizes["size"].sum())
    return Audit(
        sizes.height,
        rows,
        least(sizes["size"]),
        _tally(together),
        tuple(columns),
        anatomy=found.anatomy,
        individuals=found.individuals,
    )


def _audited_column(name: str, counts: pl.DataFrame, sizes: pl.DataFrame, plan: Plan) -> tuple[ColumnAudit, pl.Series]:
    """The audit of one column, and the classes that disclose a strong ancestor of its values."""
    settings = plan.columns[name]
    stated = max((model.sensitivity(name) for model in plan.enforced if name in model.reads), default=1)
    p = stated if stated > 1 else DEFAULT_P
    paths = facts(settings, counts["value"]).paths
    heights = range(max(len(next(iter(paths.values()))) - 1, 1))
    placed = counts.join(_groups(paths, settings.protected), on="value", how="left")
    totals = counts.group_by(CLASS).agg(pl.col(COUNT).sum().alias("total")).join(sizes, on=CLASS)
    classes = sizes.join(_varieties(placed, [*map(str, heights), _STRONG], settings), on=CLASS, how="left")
    audit = ColumnAudit(
        name,
        p,
        stated > 1,
        tuple(_variety(classes, str(height), p) for height in heights),
        _level_names(settings, len(heights)),
        _variety(classes, _STRONG, p),
        _nodes(placed, totals, paths, settings),
    )
    return audit, classes.filter(_discloses(_STRONG))[CLASS]


def _groups(paths: Mapping[str, tuple[str, ...]], protected: Sequence[str]) -> pl.DataFrame:
    """`value`, a number for its label at every level below the top, and one for its strong ancestor."""
    levels = list(zip(*paths.values(), strict=True))
    columns = {str(height): _numbered(levels[height]) for height in range(max(len(levels) - 1, 1))}
    columns[_STRONG] = _numbered([_strong(path, protected) for path in paths.values()])
    return pl.DataFrame({"value": pl.Series(list(paths), dtype=pl.String), **columns})


def _numbered(labels: Sequence[object]) -> pl.Series:
    numbers: dict[object, int] = {}
    return pl.Series([numbers.setdefault(label, len(numbers)) for label in labels], dtype=pl.UInt32)


def _strong(path: Sequence[str], protected: Sequence[str]) -> tuple[int, str]:
    """The highest protected label of a path with its level, or the value itself."""
    height = max((height for height, label in enumerate(path) if label in protected), default=0)
    return height, path[height]


def _varieties(placed: pl.DataFrame, keys: Sequence[str], settings: Column) -> pl.DataFrame:
    """CLASS, `missing` (whether it has a missing value), and for every key the number of different groups.

    Values are numbered depth-first, so that the values of a group are adjacent: a group begins where the number of
    the group or the class changes.
    """
    rows = placed.sort(CLASS, "0", nulls_last=True)
    begins = pl.col(CLASS).ne_missing(pl.col(CLASS).shift())
    groups = [(begins | pl.col(key).ne_missing(pl.col(key).shift())) & pl.col(key).is_not_null() for key in keys]
    missing = pl.col("0").is_null().alias("missing")
    begun = rows.select(CLASS, missing, *(group.alias(key) for key, group in zip(keys, groups, strict=True)))
    sums = [pl.col(key).cast(pl.Int64).sum() for key in keys]
    classes = begun.group_by(CLASS).agg(pl.col("missing").any(), *sums)
    if not settings.missing_counts:
        return classes
    return classes.with_columns(pl.col(key) + pl.col("missing").cast(pl.Int64) for key in keys)


def _variety(classes: pl.DataFrame, key: str, p: int) -> Variety:
    return Variety(_tally(classes.filter(pl.col(key) < p)), _tally(classes.filter(_discloses(key))))


def _discloses(key: str) -> pl.Expr:
    return (pl.col(key) == 1) & ~pl.col("missing")


def _nodes(
    placed: pl.DataFrame, totals: pl.DataFrame, paths: Mapping[str, tuple[str, ...]], settings: Column
) -> tuple[ProtectedNode, ...]:
    """The classes that disclose each protected node; `totals`: the rows of every class as CLASS, `total` and `size`."""
    below = [(value, node) for value, path in paths.items() for node in settings.protected if node in path]
    nodes = pl.DataFrame(below, {"value": pl.String, "node": pl.String}, orient="row")
    under = placed.join(nodes.cast({"node": pl.Enum(settings.protected)}), on="value").group_by("node", CLASS)
    classes = under.agg(pl.col(COUNT).sum()).join(totals, on=CLASS)
    shown = classes.filter(pl.col(COUNT) == pl.col("total")).partition_by("node", as_dict=True)
    figures = classes.group_by("node").agg(pl.col(COUNT).sum(), (pl.col(COUNT) / pl.col("total")).max().alias("share"))
    known = {node: (rows, share) for node, rows, share in figures.iter_rows()}
    none = classes.head(0)
    return tuple(
        ProtectedNode(node, _name(node, settings), rows, _tally(shown.get((node,), none)), share)
        for node in settings.protected
        for rows, share in [known.get(node, (0, 0.0))]
    )


def _tally(classes: pl.DataFrame) -> Tally:
    return Tally(classes.height, int(classes["size"].sum()))


def _name(node: str, settings: Column) -> str:
    """The name of a node, if its tree has names."""
    return settings.hierarchy.names().get(node, "") if isinstance(settings.hierarchy, CodeTree) else ""


def _level_names(settings: Column, levels: int) -> tuple[str, ...]:
    """The names of the levels of a code tree; other trees have none, but for the values themselves."""
    named = settings.hierarchy.level_names if isinstance(settings.hierarchy, CodeTree) else ("value",)
    return tuple(named[level] if level < len(named) else "" for level in range(levels))
