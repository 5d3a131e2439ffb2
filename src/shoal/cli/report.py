"""`shoal report`: shows the report of a release, or writes it as a page, as PDF, as text or as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.files import check_free
from shoal.cli.show import say, say_json


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a release.")],
    private: Annotated[bool, typer.Option("--private", help="The steward's report, from DIR.private.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write it to a .pdf, .html, .txt or .json file.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Show the report of a release. With --out, write it to a file; for a PDF, Chromium must be installed."""
    from shoal.report.reading import read_report

    if out is not None:
        check_free(out, force=force)
    found = read_report(folder, private=private)
    if out is not None:
        found.save(out)
        say(f"Report: {out}")
    elif as_json:
        say_json(found.to_json())
    else:
        for line in found.text().splitlines():
            say(line)
