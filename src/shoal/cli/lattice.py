"""`shoal lattice`: what the search of a plan sees of the lattice, as a drawing or as a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import progress
from shoal.cli.files import check_free, write_text
from shoal.cli.show import say, say_json, say_table

if TYPE_CHECKING:
    from shoal.report.lattice import SearchedLattice


def lattice(
    plan: Annotated[
        Path, typer.Argument(metavar="PLAN", help="The plan, a TOML file; its algorithm recodes by level.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.svg", help="Draw the lattice, where it is small enough.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.svg.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was seen as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Search the recodings of PLAN and show which pass, which fail, and what they cost. Nothing is released."""
    if out is not None:
        check_free(out, force=force)
    with progress.shown(quiet=quiet) as report:
        from shoal.evaluate.lattice import explore
        from shoal.plan import read_plan
        from shoal.report.lattice import svg

        found = explore(read_plan(plan), drawn=out is not None, progress=report)
    if out is not None:
        write_text(out, svg(found), force=force)
    if as_json:
        say_json(found.as_dict())
        return
    _say_searched(found)
    if out is not None:
        say(f"Drawn: {out}")


def _say_searched(found: SearchedLattice) -> None:
    from shoal.report.lattice import best_rows, headline, height_rows

    for line in headline(found):
        say(line)
    say()
    head, rows = height_rows(found)
    say_table(head, rows, numbers=head)
    say()
    head, rows = best_rows(found)
    say_table(head, rows, numbers=head[1:])
