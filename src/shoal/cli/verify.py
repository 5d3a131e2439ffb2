"""`shoal verify`: a release re-checked from its files alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.show import say, say_json, say_models
from shoal.errors import PromiseBroken

if TYPE_CHECKING:
    from shoal.verification.verdicts import Verification


def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a release.")],
    plan: Annotated[Path | None, typer.Option(metavar="PLAN", help="Take roles and promises from this plan.")] = None,
    digest: Annotated[str | None, typer.Option(metavar="HEX", help="The digest `shoal anonymize` printed.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Re-check a release: every file, and every promise on regrouped rows. Exit code 1 where one does not hold.

    Alone it finds accidents. With --digest or --plan it also finds a folder that was rewritten on purpose.
    """
    from shoal.plan import read_plan
    from shoal.verification.folder import verify_folder

    found = verify_folder(folder, plan=None if plan is None else read_plan(plan), digest=digest)
    if as_json:
        say_json(as_dict(found))
    else:
        say_findings(found, trusted=_trusted(plan, digest))
    if not found.holds:
        raise typer.Exit(PromiseBroken.exit_code)


def as_dict(found: Verification) -> dict[str, Any]:
    """The findings for a program."""
    return {
        "holds": found.holds,
        "rows_released": found.rows,
        "classes": found.classes,
        "models": [verdict.to_json() for verdict in found.verdicts],
        "problems": list(found.problems),
        "notes": list(found.notes),
        "not_checked": unchecked(found),
    }


def unchecked(found: Verification) -> list[str]:
    """What the models say they could not check from the files alone."""
    return [
        f"{name.replace('_', ' ')} of '{verdict.kind}'"
        for verdict in found.verdicts
        for name, value in verdict.achieved.items()
        if value == "not checked"
    ]


def say_findings(found: Verification, trusted: str) -> None:
    """Every check with its outcome, and what could not be checked."""
    if found.verdicts:
        say_models(found.verdicts)
        say()
    for problem in found.problems:
        say(f"Problem: {problem}")
    for name in unchecked(found):
        say(f"Not checked: {name}. It was checked when the release was made.")
    for note in found.notes:
        say(f"Note: {note}")
    if not found.problems:
        say(f"Every file is as the manifest lists it. {trusted}")
    outcome = f"{found.rows:,} rows in {found.classes:,} classes." if found.classes else ""
    say(f"The release {'holds' if found.holds else 'DOES NOT HOLD'}. {outcome}".rstrip())


def _trusted(plan: Path | None, digest: str | None) -> str:
    """What the answer rests on."""
    if plan is None and digest is None:
        return "What was rewritten on purpose is only found with --digest or --plan."
    given = [f"roles and promises are those of '{plan}'"] if plan else []
    given += ["the manifest has the digest given"] if digest else []
    return " and ".join(given).capitalize() + "."
