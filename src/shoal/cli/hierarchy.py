"""`shoal hierarchy`: check hierarchies against the data, or build one as a file."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.files import check_free
from shoal.cli.show import say, say_json, say_table
from shoal.errors import HierarchyError, PlanError, ShoalError, did_you_mean

if TYPE_CHECKING:
    import polars as pl

    from shoal.hierarchies import Coverage, HierarchySpec

app = typer.Typer(help="Check hierarchies against the data, or build one as a file.")

Column = Annotated[str | None, typer.Option(metavar="NAME", help="The column of the table.")]
Type = Annotated[str | None, typer.Option(metavar="TYPE", help="text, integer, real or date. Default: guessed.")]
Separator = Annotated[str | None, typer.Option(metavar="CHAR", help="Of DATA. Default: looked for in the file.")]


@app.command(short_help="Does a hierarchy cover its column?")
def check(
    subject: Annotated[Path, typer.Argument(metavar="PLAN|FILE", help="A plan (.toml), or a hierarchy file and DATA.")],
    data: Annotated[str | None, typer.Argument(metavar="DATA", help="The table, for a hierarchy file.")] = None,
    column: Column = None,
    type: Type = None,
    separator: Separator = None,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="List the values that are not covered. For your own screen only.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Count the values that a hierarchy does not cover, and the leaves that no row has.

    \b
    shoal hierarchy check plan.toml                        every hierarchy of a plan (or of one --column)
    shoal hierarchy check job.csv data.csv --column job    a hierarchy file against a table
    """
    if data is None:
        found = _of_plan(subject, column, {"--type": type, "--separator": separator})
    else:
        found = _of_file(subject, data, column, type, separator)
    if as_json:
        say_json({name: _as_dict(coverage, show_values) for name, coverage in found.items()})
    else:
        _say_coverage(found, show_values)
    _require_covered(found)


# Unknown options are the fields of the kind: listing them here would mean to import every kind before --help answers.
@app.command(
    short_help="Build a hierarchy as a file.",
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def build(
    context: typer.Context,
    data: Annotated[str, typer.Argument(metavar="DATA", help="The table.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the hierarchy goes: leaf;parent;…;top.")],
    kind: Annotated[str, typer.Option(metavar="KIND", help="What kind of hierarchy, see above.")],
    column: Annotated[str, typer.Option(metavar="NAME", help="The column of the table.")],
    type: Type = None,
    separator: Separator = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE where it exists.")] = False,
) -> None:
    """Build the hierarchy of a column as a file, to be edited and named in a plan as { kind = "file", path = … }.

    \b
    --kind intervals --widths 5,10,20 [--origin 0]    numbers in ever wider intervals
    --kind prefix [--steps 3,1]                       fewer and fewer leading characters
    --kind date [--levels month,quarter,year,decade]  ever longer periods
    --kind learned [--fanout 4]                       bands of about equal frequency
    --kind icd9 | icd10 | icd10cm                     code, category, block, chapter
    --kind file --path FILE                          an existing file, written anew
    --kind flat                                       value, then *

    The file holds the values of the column: it is yours, not for publication.
    """
    from shoal import hierarchies, table

    check_free(out, force=force)
    spec = _spec(kind, context.args)
    values = _values(table.read(data, separator=separator), column, type)
    counts = values.value_counts(name="rows").sort(column)
    tree = spec.build(counts[column], counts["rows"])
    hierarchies.write(tree, out)
    say(f"{out}: {len(tree.leaves):,} leaves, {len(tree.levels)} levels of {_widths(tree)} labels.")
    say(f'In the plan: hierarchy = {{ kind = "file", path = "{out.name}" }}')


def _of_plan(plan: Path, column: str | None, unused: Mapping[str, str | None]) -> dict[str, Coverage]:
    from shoal.dry_run import check_hierarchies
    from shoal.plan import read_plan

    for option, value in unused.items():
        if value is not None:
            raise ShoalError(f"{option} is for a hierarchy file; a plan says itself how its table is read.")
    if plan.suffix.lower() != ".toml":
        raise ShoalError(
            f"'{plan}' is not a plan, and a hierarchy file needs a table to be checked against.",
            hint="shoal hierarchy check FILE DATA --column NAME",
        )
    return check_hierarchies(read_plan(plan), column)


def _of_file(file: Path, data: str, column: str | None, type: str | None, separator: str | None) -> dict[str, Coverage]:
    from shoal import hierarchies, table

    if column is None:
        raise ShoalError("A hierarchy file is checked against one column.", hint="name it with --column.")
    values = _values(table.read(data, separator=separator), column, type)
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
    """The hierarchy that `--kind` and the options of that kind describe."""
    from shoal import hierarchies
    from shoal.roles import spec

    hints = typing.get_type_hints(spec.member(hierarchies.ALL, "hierarchy", kind))
    given = {name: _parsed(text, hints.get(name)) for name, text in _options(words).items()}
    found: HierarchySpec = spec.from_table(hierarchies.ALL, "hierarchy", {"kind": kind, **given})
    return found


def _options(words: Sequence[str]) -> dict[str, str]:
    """Of `--name value` and `--name=value`, the values by name."""
    found, rest = {}, list(words)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if not name.startswith("--") or (not equals and not rest):
            raise ShoalError(f"'{name}' is not an option with a value.", hint="write it as --name value.")
        found[name.removeprefix("--").replace("-", "_")] = value if equals else rest.pop(0)
    return found


def _parsed(text: str, hint: Any) -> object:
    """The text as the field wants it: a list where it holds several values, numbers where it holds numbers."""
    kinds = {hint, *typing.get_args(hint)} if typing.get_origin(hint) in (types.UnionType, typing.Union) else {hint}
    several = next((each for each in kinds if typing.get_origin(each) is tuple), None)
    if several is not None:
        return tuple(_parsed(part.strip(), typing.get_args(several)[0]) for part in text.split(","))
    for number in (int, float):
        if number in kinds:
            try:
                return number(text)
            except ValueError:
                continue
    return text


def _say_coverage(found: Mapping[str, Coverage], show_values: bool) -> None:
    headers = ("column", "values", "not covered", "leaves", "leaves unused", "levels", "ambiguous labels")
    rows = [
        (name, *(f"{n:,}" for n in (c.values, c.uncovered, c.leaves, c.unused, c.levels, c.ambiguous)))
        for name, c in found.items()
    ]
    say_table(headers, rows, numbers=headers[1:])
    for name, coverage in found.items():
        if show_values and coverage.uncovered:
            say()
            say(f"Values of '{name}' that are not covered:")
            for value in coverage.uncovered_values:
                say(f"  {value}")


def _as_dict(coverage: Coverage, show_values: bool) -> dict[str, Any]:
    counts = {name: value for name, value in vars(coverage).items() if name != "uncovered_values"}
    return {**counts, "uncovered_values": list(coverage.uncovered_values)} if show_values else counts


def _require_covered(found: Mapping[str, Coverage]) -> None:
    wanting = [f"'{name}' ({coverage.uncovered:,} values)" for name, coverage in found.items() if not coverage.covers]
    if wanting:
        raise HierarchyError(
            f"The hierarchy does not cover column {', '.join(wanting)}.",
            allowed="Every value must be a leaf.",
            hint="--show-values lists them on your own screen.",
        )


def _widths(tree: Any) -> str:
    return ", ".join(f"{len(level.labels):,}" for level in tree.levels)
