"""`shoal lattice`: shows the lattice that the search of a plan explores, as a table or a drawing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import progress
from shoal.cli.files import check_free, require_unread_by, write_text
from shoal.cli.show import say, say_json, say_table

if TYPE_CHECKING:
    from shoal.report.lattice import SearchedLattice


def lattice(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, a TOML file, with a full-domain algorithm.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.svg", help="Draw the lattice if it is small enough.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.svg.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the explored lattice as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Search the recodings of PLAN and show which pass, which fail, and their cost. Nothing is released."""
    if out is not None:
        check_free(out, force=force, ending=".svg", reads=(plan,))
    with progress.shown(quiet=quiet) as report:
        from shoal.evaluate.lattice import explore
        from shoal.plan import read_plan
        from shoal.report.lattice import svg

        settings = read_plan(plan)
        if out is not None:
            require_unread_by(out, settings)
        searched = explore(settings, drawn=out is not None, progress=report)
    if out is not None:
        write_text(out, svg(searched), force=force)
    if as_json:
        say_json(searched.as_dict())
        return
    _say_searched(searched)
    if out is not None:
        say(f"Drawn: {out}")


def _say_searched(searched: SearchedLattice) -> None:
    from shoal.report.lattice import best_rows, headline, height_rows, notes

    for line in headline(searched):
        say(line)
    say()
    head, rows = height_rows(searched)
    say_table(head, rows, numbers=head)
    say()
    head, rows = best_rows(searched)
    say_table(head, rows, numbers=head[1:])
    say()
    for line in notes(searched):
        say(line)
