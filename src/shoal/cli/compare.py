"""`shoal compare`: releases side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import progress, restore_libraries
from shoal.cli.files import check_free, write_text
from shoal.cli.show import say, say_json, say_table
from shoal.errors import PromiseBroken

if TYPE_CHECKING:
    from shoal.report.comparison import Comparison


def compare(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR…", help="The folders of two or more releases.")],
    raw: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The input of the releases: also measure their query error.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.svg", help="Draw risk against information loss.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.svg.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Verify two or more releases, and compare what they protect, risk and lose. Exit code 1 if one does not verify."""
    restore_libraries()
    if out is not None:
        check_free(out, force=force, ending=".svg", reads=(raw,))
    with progress.shown(quiet=quiet) as report:
        from shoal.evaluate.comparing import compare as compared
        from shoal.evaluate.comparing import read_input

        found = compared(*folders, raw=None if raw is None else read_input(raw, folders), progress=report)
    if out is not None:
        write_text(out, found.svg(), force=force)
    if as_json:
        say_json(found.to_json())
    else:
        _say_comparison(found)
        if out is not None:
            say(f"Drawn: {out}")
    if not all(each.holds for each in found.releases):
        raise typer.Exit(PromiseBroken.exit_code)


def _say_comparison(found: Comparison) -> None:
    say_table(found.head, found.table(), found.head[3:-1])
    say()
    for sentence in found.sentences():
        say(sentence)
