"""`shoal profile`: describes the columns of a table, suggests roles and drafts a plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import progress
from shoal.cli.files import NoHeader, check_free, write_text
from shoal.cli.show import command, is_narrow, say, say_json, say_serious, say_table, say_warnings, warn
from shoal.counts import counted
from shoal.percent import percent

if TYPE_CHECKING:
    from shoal.profiling.profile import Profile
    from shoal.profiling.uniqueness import Combination

LISTED_AT_MOST = 1000
_UNPROTECTED = (
    "Column '{name}' looks like {kind} codes, but not all of its values clearly are, so the draft protects no nodes of "
    'the classification. With hierarchy = {{ kind = "{kind}" }} in the draft, `shoal hierarchy check` counts values '
    "that are no codes. Correct them, and profile again."
)
"""The most columns that a person is shown."""


def profile(
    data: Annotated[str, typer.Argument(metavar="DATA", help="A table: a file, or a database URL with --query.")],
    out: Annotated[Path | None, typer.Option(metavar="PLAN", help="Write a draft plan to this file.")] = None,
    separator: Annotated[str | None, typer.Option(metavar="CHAR", help="Default: detected.")] = None,
    no_header: NoHeader = False,
    sheet: Annotated[str | None, typer.Option(metavar="NAME", help="The sheet of an Excel workbook.")] = None,
    query: Annotated[
        str | None, typer.Option(metavar="SQL", help="The query that reads the table from a database.")
    ] = None,
    purpose: Annotated[
        str, typer.Option("--for", metavar="PURPOSE", help="What the release is for: general, classification or wide.")
    ] = "general",
    target: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column to be predicted, with --for classification.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace PLAN if it exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the profile as JSON.")] = False,
) -> None:
    """Show what each column of DATA contains, a suggested role with the reason, and how identifying the columns are.

    No value of the table is shown. The draft plan of --out runs unchanged and guards every sensitive column, but its
    roles are guesses: check them.
    """
    if out is not None:
        check_free(out, force=force, ending=".toml", reads=(data,))
    with progress.shown(quiet=quiet) as report:
        from shoal import table
        from shoal.profiling.profile import profile as profiled
        from shoal.profiling.suggesting import check_purpose
        from shoal.roles.columns import Data

        report("read", 0.0)
        header = False if no_header else None
        frame = table.read(data, separator=separator, query=query, header=header, sheet=sheet)
        table.require_rows(frame)
        table_profile = profiled(frame)
        check_purpose(table_profile, purpose, target)
        if out is not None:
            from shoal.profiling.draft import draft_text, unprotected
            from shoal.profiling.suggesting import suggested_plan

            settings = Data(separator=separator, header=header, sheet=sheet, query=query)
            plan = suggested_plan(frame, table_profile, settings, purpose=purpose, target=target, progress=report)
            write_text(out, draft_text(plan, table_profile, _source(data, out)), force=force)
            for column in unprotected(plan, table_profile.columns):
                warn(_UNPROTECTED.format(name=column.name, kind=column.hierarchy["kind"]))
    if as_json:
        say_json(table_profile.figures())
    else:
        _say_profile(table_profile, out)


def _say_profile(table_profile: Profile, out: Path | None) -> None:
    from shoal.warnings import serious

    say_serious(serious(table_profile.warnings), publishes=False)
    rows: list[tuple[str, ...]] = [
        (
            column.name,
            column.type,
            f"{column.distinct:,}",
            percent(column.missing),
            percent(column.unique),
            column.role,
            column.confidence,
            column.reason,
        )
        for column in table_profile.columns[:LISTED_AT_MOST]
    ]
    headers = ["column", "type", "distinct", "missing", "unique", "suggested role", "confidence", "reason"]
    if is_narrow():  # what a steward has to decide on
        rows, headers = [(row[0], row[2], row[5], row[7]) for row in rows], ["column", "distinct", "role", "reason"]
    say_table(headers, rows, numbers=("distinct", "missing", "unique"))
    if len(table_profile.columns) > LISTED_AT_MOST:
        say(f"… and {len(table_profile.columns) - LISTED_AT_MOST:,} more columns; --json and the draft plan list all.")
    say()
    _say_uniqueness(table_profile)
    if table_profile.person is not None:
        say(f"Values of '{table_profile.person}' repeat: one person seems to have several rows (plan: person = …).")
    say_warnings([warning.text for warning in table_profile.warnings], serious(table_profile.warnings))
    say()
    if out is None:
        say("To draft a plan: add --out plan.toml")
    else:
        say(f"Draft plan: {out}. Check its roles, then run: {command('anonymize', out, '--out', 'release')}")


def _say_uniqueness(table_profile: Profile) -> None:
    columns = counted(len(table_profile.columns), "column", "columns")
    say(f"{counted(table_profile.rows, 'row', 'rows')}, {columns}.")
    together = table_profile.together
    if together is not None:
        say(f"All {len(together.columns)} suggested quasi-identifiers together: {_uniqueness(together)}")
    for worst in table_profile.riskiest:
        say(f"Most identifying {_columns(worst)}: {', '.join(worst.columns)}: {_uniqueness(worst)}")


def _columns(combination: Combination) -> str:
    count = len(combination.columns)
    return "column" if count == 1 else f"{count} columns"


def _uniqueness(combination: Combination) -> str:
    if combination.unique == 1:
        return "every row is unique."
    return (
        f"{percent(combination.unique)} of the rows are unique; the smallest class has size {combination.smallest:,}."
    )


def _source(data: str, out: Path) -> str:
    """The source for the plan: relative to the plan's folder if the table is in or below it."""
    from shoal.table import is_url

    if is_url(data):
        return data
    place, folder = Path(data).resolve(), out.resolve().parent
    return place.relative_to(folder).as_posix() if place.is_relative_to(folder) else str(place)
