"""`shoal hierarchy`: checks hierarchies against the data, writes one to a file, or lists the nodes of a code tree."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.files import NoHeader, check_free, require_unread
from shoal.cli.show import say, say_json, say_table
from shoal.errors import HierarchyError, PlanError, ShoalError, did_you_mean

if TYPE_CHECKING:
    import polars as pl

    from shoal.hierarchies import Coverage, HierarchySpec
    from shoal.hierarchies.codes import CodeTree

app = typer.Typer(help="Check hierarchies, write one to a file, or list nodes.")

Column = Annotated[str | None, typer.Option(metavar="NAME", help="The column of the table.")]
Type = Annotated[
    str | None, typer.Option(metavar="TYPE", help="text, integer, real, date or datetime. Default: inferred.")
]
Separator = Annotated[str | None, typer.Option(metavar="CHAR", help="Separator of DATA. Default: detected.")]


@app.command(short_help="Check that a hierarchy covers its column.")
def check(
    subject: Annotated[
        Path, typer.Argument(metavar="PLAN|FILE", help="A plan (.toml), or a hierarchy file with DATA.")
    ],
    data: Annotated[str | None, typer.Argument(metavar="DATA", help="The table, if FILE is a hierarchy.")] = None,
    column: Column = None,
    type: Type = None,
    separator: Separator = None,
    no_header: NoHeader = False,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="List the uncovered values. This shows values of the data.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Count the values that a hierarchy does not cover, and the leaves that no row uses.

    \b
    shoal hierarchy check plan.toml                        every hierarchy of a plan (or of one --column)
    shoal hierarchy check job.csv data.csv --column job    a hierarchy file against a table
    """
    from shoal import table

    if data is None:
        unused = {"--type": type, "--separator": separator, "--no-header": no_header or None}
        coverages = _of_plan(subject, column, unused)
    else:
        frame = table.read(data, separator=separator, header=False if no_header else None)
        coverages = _of_file(subject, frame, column, type)
    if as_json:
        say_json({name: _as_dict(coverage, show_values) for name, coverage in coverages.items()})
    else:
        _say_coverage(coverages, show_values)
    _require_covered(coverages)


# Options that are not listed here are the fields of the kind: listing them would import every kind before --help.
@app.command(
    short_help="Write a hierarchy to a file.",
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def build(
    context: typer.Context,
    data: Annotated[str, typer.Argument(metavar="DATA", help="The table.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write: leaf;parent;…;top.")],
    kind: Annotated[str, typer.Option(metavar="KIND", help="The kind of hierarchy, see above.")],
    column: Annotated[str, typer.Option(metavar="NAME", help="The column of the table.")],
    type: Type = None,
    separator: Separator = None,
    no_header: NoHeader = False,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it exists.")] = False,
) -> None:
    """Write the hierarchy of a column to a file. Edit it, and name it in a plan as { kind = "file", path = … }.

    \b
    --kind intervals --widths 5,10,20 [--origin 0]    intervals of increasing width, for numbers
    --kind prefix [--steps 3,1]                       fewer and fewer leading characters
    --kind date [--levels month,quarter,year,decade]  periods of increasing length
    --kind learned [--fanout 4]                       bands of about equal frequency
    --kind icd9 | icd10 | icd10cm                     code, category, block, chapter
    --kind file --path FILE                           an existing file, rewritten
    --kind flat                                       value, then *

    The file contains the values of the column: do not publish it.
    """
    from shoal import hierarchies, table

    check_free(out, force=force, reads=(data,))
    spec = _spec(kind, context.args)
    require_unread(out, (getattr(spec, "path", None),))
    frame = table.read(data, separator=separator, header=False if no_header else None)
    values = _values(frame, column, type)
    counts = values.value_counts(name="rows").sort(column)
    tree = spec.build(counts[column], counts["rows"])
    hierarchies.write(tree, out)
    say(f"{out}: {len(tree.leaves):,} leaves, {len(tree.levels)} levels of {_widths(tree)} labels.")
    say(f'In the plan: hierarchy = {{ kind = "file", path = "{out.name}" }}')


@app.command(short_help="List the nodes of a code tree.")
def nodes(
    kind: Annotated[str, typer.Option(metavar="KIND", help="The tree: icd9, icd10 or icd10cm.")],
    find: Annotated[
        str, typer.Option(metavar="TEXT", help="Only nodes with this text in label or name, or above this code.")
    ] = "",
    level: Annotated[
        str | None, typer.Option(metavar="LEVEL", help="Only this level: chapter, block or category.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the nodes as JSON.")] = False,
) -> None:
    """List the chapters, blocks and categories of a code tree with their names. No data is read.

    The labels are those that a plan may name as protected, and those to which codes are generalized.

    \b
    shoal hierarchy nodes --kind icd10cm --level chapter
    shoal hierarchy nodes --kind icd10cm --find melanoma
    shoal hierarchy nodes --kind icd9 --find 250.83         the nodes above a code
    """
    tree = _code_tree(kind)
    _check_level(level)
    listed = [node for node in tree.nodes(find) if level in (None, node.level)]
    if as_json:
        say_json([node._asdict() for node in listed])
    elif listed:
        say_table(("label", "level", "name"), listed)
    else:
        say(f"No node of {kind} has this text in its label or name. The classification may use another word.")


def _of_plan(plan: Path, column: str | None, unused: Mapping[str, object]) -> dict[str, Coverage]:
    from shoal.dry_run import check_hierarchies
    from shoal.plan import read_plan

    for option, value in unused.items():
        if value is not None:
            raise ShoalError(f"{option} applies to a hierarchy file only; a plan states how its table is read.")
    if plan.suffix.lower() != ".toml":
        raise ShoalError(
            f"'{plan}' is not a plan, and a hierarchy file is checked against a table.",
            hint="shoal hierarchy check FILE DATA --column NAME",
        )
    return check_hierarchies(read_plan(plan), column)


def _of_file(file: Path, frame: pl.DataFrame, column: str | None, type: str | None) -> dict[str, Coverage]:
    from shoal import hierarchies

    if column is None:
        raise ShoalError("A hierarchy file is checked against one column.", hint="name it with --column.")
    values = _values(frame, column, type)
    return {column: hierarchies.check(hierarchies.File(str(file)), values)}


def _values(frame: pl.DataFrame, column: str, type: str | None) -> pl.Series:
    """The typed values of a column, without the missing ones."""
    from shoal.roles.columns import Data
    from shoal.table import TYPES, typed

    if column not in frame.columns:
        raise PlanError(f"Column '{column}' is not in the table.", hint=did_you_mean(column, frame.columns))
    if type is not None and type not in TYPES:
        raise PlanError(
            f"There is no type '{type}'.", allowed=f"Types are {', '.join(TYPES)}.", hint=did_you_mean(type, TYPES)
        )
    return typed(frame[column], type=type, missing=Data().missing).values.drop_nulls()


def _spec(kind: str, words: Sequence[str]) -> HierarchySpec:
    """The hierarchy described by `--kind` and the options of that kind."""
    from shoal import hierarchies
    from shoal.roles import spec

    hints = typing.get_type_hints(spec.member(hierarchies.ALL, "hierarchy", kind))
    given = {name: _parsed(text, hints.get(name)) for name, text in _options(words).items()}
    hierarchy: HierarchySpec = spec.from_table(hierarchies.ALL, "hierarchy", {"kind": kind, **given})
    return hierarchy


def _code_tree(kind: str) -> CodeTree:
    """The code tree of this kind; raises for other kinds, whose labels depend on the data."""
    from shoal import hierarchies
    from shoal.hierarchies.codes import CodeTree
    from shoal.roles import spec

    tree = spec.member(hierarchies.ALL, "hierarchy", kind)
    if not issubclass(tree, CodeTree):
        trees = [each.kind for each in hierarchies.ALL if issubclass(each, CodeTree)]
        raise ShoalError(
            f"The nodes of hierarchy '{kind}' depend on the data.",
            allowed=f"Listed are the nodes of {', '.join(trees)}.",
            hint="`shoal hierarchy build` writes any other hierarchy to a file.",
        )
    return tree()


def _check_level(level: str | None) -> None:
    from shoal.hierarchies.codes import LEVELS

    if level is not None and level not in LEVELS:
        raise ShoalError(
            f"There is no level '{level}'.",
            allowed=f"Levels are {', '.join(LEVELS)}.",
            hint=did_you_mean(level, LEVELS),
        )


def _options(words: Sequence[str]) -> dict[str, str]:
    """Option name → value, written as `--name value` or `--name=value`."""
    values, rest = {}, list(words)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if not name.startswith("--") or (not equals and not rest):
            raise ShoalError(f"'{name}' is not an option with a value.", hint="write it as --name value.")
        values[name.removeprefix("--").replace("-", "_")] = value if equals else rest.pop(0)
    return values


def _parsed(text: str, hint: Any) -> object:
    """The text converted to the type of a field: a tuple, a number or text."""
    kinds = {hint, *typing.get_args(hint)} if typing.get_origin(hint) in (types.UnionType, typing.Union) else {hint}
    tuple_kind = next((kind for kind in kinds if typing.get_origin(kind) is tuple), None)
    if tuple_kind is not None:
        return tuple(_parsed(part.strip(), typing.get_args(tuple_kind)[0]) for part in text.split(","))
    for number in (int, float):
        if number in kinds:
            try:
                return number(text)
            except ValueError:
                continue
    return text


def _say_coverage(coverages: Mapping[str, Coverage], show_values: bool) -> None:
    headers = ("column", "values", "not covered", "leaves", "leaves unused", "levels", "ambiguous labels")
    rows = [
        (name, *(f"{n:,}" for n in (c.values, c.uncovered, c.leaves, c.unused, c.levels, c.ambiguous)))
        for name, c in coverages.items()
    ]
    say_table(headers, rows, numbers=headers[1:])
    for name, coverage in coverages.items():
        if show_values and coverage.uncovered:
            say()
            say(f"Values of '{name}' that are not covered:")
            for value in coverage.uncovered_values:
                say(f"  {value}")


def _as_dict(coverage: Coverage, show_values: bool) -> dict[str, Any]:
    counts = {name: value for name, value in vars(coverage).items() if name != "uncovered_values"}
    return {**counts, "uncovered_values": list(coverage.uncovered_values)} if show_values else counts


def _require_covered(coverages: Mapping[str, Coverage]) -> None:
    lacking = [f"'{name}' ({each.uncovered:,} values)" for name, each in coverages.items() if not each.covers]
    if lacking:
        raise HierarchyError(
            f"The hierarchy does not cover column {', '.join(lacking)}.",
            allowed="Every value must be a leaf.",
            hint="--show-values lists the uncovered values.",
        )


def _widths(tree: Any) -> str:
    return ", ".join(f"{len(level.labels):,}" for level in tree.levels)
