"""`shoal apply`: makes a verified release of new rows with the recoding of an earlier release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import progress, restore_libraries
from shoal.cli.anonymize import say_result
from shoal.cli.show import warn


def apply(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="An earlier release. DIR.private must lie beside it.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The table with the new rows.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR2", help="Folder of the release. DIR2.private is private.")],
    plan: Annotated[
        Path | None, typer.Option(metavar="PLAN", help="The plan of DIR. Default: the one in DIR.private.")
    ] = None,
    suppression: Annotated[
        float | None,
        typer.Option(metavar="F", help="The largest share of rows that may be suppressed. Default: that of the plan."),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The title of the new release. Default: that of the plan.")
    ] = None,
    new_persons: Annotated[
        bool, typer.Option("--new-persons", help="State that no individual of DIR is in NEW, and omit the warning.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the release in DIR2 and DIR2.private.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest and its digest as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only the digest and the warnings.")] = False,
) -> None:
    """Anonymize the rows of NEW with the recoding of the release in DIR, and check every promise anew.

    A value gets the label that it would have in DIR. Rows that would break a promise are suppressed, up to the limit of
    the plan; beyond it, the exit code is 3. Only global recodings can be applied: optimal, incognito, samarati, pais.
    """
    from shoal.applying.apply import apply_to, keeps_title
    from shoal.plan import read_plan

    restore_libraries()  # the steward's report predicts targets, by scikit-learn
    given = None if plan is None else read_plan(plan)
    with progress.shown(quiet=quiet) as report:
        release = apply_to(
            folder,
            new,
            out,
            plan=given,
            suppression=suppression,
            title=title,
            new_persons=new_persons,
            force=force,
            progress=report,
        )
    say_result(out, release, as_json=as_json, quiet=quiet)
    if title is None and keeps_title(folder, release):
        warn(
            f"The title is that of the earlier release: '{release.plan.release.title}'. --title TEXT gives another one."
        )
