"""`shoal verify`: re-checks a release from its files alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.engines import Master, engine_option, require_engine
from shoal.cli.show import say, say_json, say_models
from shoal.errors import PromiseBroken, ShoalError

if TYPE_CHECKING:
    from shoal.verification.verdicts import Verification


def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a release.")],
    plan: Annotated[Path | None, typer.Option(metavar="PLAN", help="Take roles and promises from this plan.")] = None,
    digest: Annotated[
        str | None, typer.Option(metavar="HEX", help="The digest that `shoal anonymize` printed.")
    ] = None,
    knowledge: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="A knowledge table that is not in DIR; or COLUMN=FILE, for several."),
    ] = None,
    engine: Annotated[
        str | None,
        engine_option("local: large files in batches; stream: all files in batches; spark: in executors."),
    ] = None,
    master: Master = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Re-check every file of a release, and every promise on its regrouped rows. Exit code 1 if one does not hold.

    Without options, this detects accidental changes. With --digest or --plan, it also detects deliberate ones.
    """
    from shoal.plan import read_plan
    from shoal.verifying import verify_folder

    require_engine(engine, master)
    if not folder.is_dir():
        raise ShoalError(f"There is no folder '{folder}'.", hint="name the folder of a release.")
    given = None if plan is None else read_plan(plan)
    verification = verify_folder(
        folder, plan=given, digest=digest, knowledge=knowledge or (), engine=engine, master=master
    )
    if as_json:
        say_json(verification.to_json())
    else:
        say_findings(verification, trusted=_trusted(plan, digest))
    if not verification.holds:
        raise typer.Exit(PromiseBroken.exit_code)


def say_findings(verification: Verification, trusted: str) -> None:
    """Prints every check with its outcome, and what could not be checked."""
    from shoal.verification.wording import conclusion

    if verification.verdicts:
        say_models(verification.verdicts)
        say()
    for problem in verification.problems:
        say(f"Problem: {problem}")
    for name in verification.not_checked:
        say(f"Not checked: {name}. It was checked when the release was made.")
    for note in verification.notes:
        say(f"Note: {note}")
    if not verification.problems:
        say(f"All files match the manifest. {trusted}")
    say(conclusion(verification))


def _trusted(plan: Path | None, digest: str | None) -> str:
    """What the result is based on."""
    if plan is None and digest is None:
        return "Deliberate changes are detected only with --digest or --plan."
    given = [f"roles and promises are those of '{plan}'"] if plan else []
    given += ["the manifest has the given digest"] if digest else []
    sentence = " and ".join(given) + "."
    return sentence[0].upper() + sentence[1:]
