"""`shoal profile`: what the columns of a table seem to be, and a draft plan."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.files import write_text
from shoal.cli.show import command, say, say_json, say_table
from shoal.percent import percent

if TYPE_CHECKING:
    from shoal.profiling.profile import Profile
    from shoal.profiling.uniqueness import Combination


def profile(
    data: Annotated[str, typer.Argument(metavar="DATA", help="A table: a file, or a database URL with --query.")],
    out: Annotated[Path | None, typer.Option(metavar="PLAN", help="Write a draft plan to this file.")] = None,
    separator: Annotated[str | None, typer.Option(metavar="CHAR", help="Default: looked for in the file.")] = None,
    query: Annotated[str | None, typer.Option(metavar="SQL", help="What to read from a database.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace PLAN where it exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the profile as JSON.")] = False,
) -> None:
    """Show what each column of DATA holds, the role this suggests and why, and how far the columns single people out.

    No value of the table is shown. The draft plan of --out runs as it is, but its roles are guesses: read them first.
    """
    from shoal import table
    from shoal.profiling.draft import draft_plan
    from shoal.profiling.profile import profile as profiled

    frame = table.read(data, separator=separator, query=query)
    table.require_rows(frame)
    found = profiled(frame)
    if out is not None:
        draft = draft_plan(frame, _source(data, out), found, separator=separator, query=query)
        write_text(out, draft, force=force)
    if as_json:
        say_json(asdict(found))
    else:
        _say_profile(found, out)


def _say_profile(found: Profile, out: Path | None) -> None:
    rows = [
        (
            column.name,
            column.type,
            f"{column.distinct:,}",
            percent(column.missing),
            percent(column.unique),
            column.role if column.sure else f"{column.role}?",
            column.reason,
        )
        for column in found.columns
    ]
    headers = ("column", "kind", "distinct", "missing", "unique", "suggested role", "because")
    say_table(headers, rows, numbers=("distinct", "missing", "unique"))
    say()
    _say_uniqueness(found)
    if found.person is not None:
        say(f"Values of '{found.person}' repeat: one person seems to have several rows (person = … in a plan).")
    say()
    if out is None:
        say("A plan to start from: add --out plan.toml")
    else:
        say(f"A draft plan is in {out}: read its roles, then run: {command('anonymize', out, '--out', 'release')}")


def _say_uniqueness(found: Profile) -> None:
    say(f"{found.rows:,} rows, {len(found.columns):,} columns.")
    if found.together is not None:
        say(f"All {len(found.together.columns)} suggested quasi-identifiers together: {_singled_out(found.together)}")
    for worst in found.riskiest:
        say(f"Most identifying {len(worst.columns)}: {', '.join(worst.columns)}: {_singled_out(worst)}")


def _singled_out(found: Combination) -> str:
    if found.unique == 1:
        return "every row is unique."
    return f"{percent(found.unique)} of the rows are unique; the smallest class has {found.smallest:,}."


def _source(data: str, out: Path) -> str:
    """The table as the plan names it: relative to the plan where it lies beside or below it."""
    if "://" in data:
        return data
    place, folder = Path(data).resolve(), out.resolve().parent
    return place.relative_to(folder).as_posix() if place.is_relative_to(folder) else str(place)
