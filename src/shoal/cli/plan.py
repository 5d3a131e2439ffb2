"""`shoal plan`: a dry run of a plan, and the schema of plan files."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import progress
from shoal.cli.show import command, listed, say, say_json, say_table

if TYPE_CHECKING:
    from shoal.dry_run import Checked

app = typer.Typer(help="Check a plan against its data, or print its schema.")


@app.command(short_help="Dry run: plan and data, nothing is released.")
def check(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, a TOML file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Dry run: do plan and data fit, do the hierarchies cover, can the models be met? Nothing is released."""
    with progress.shown(quiet=quiet) as report:
        from shoal.dry_run import check as dry_run
        from shoal.plan import read_plan

        settings = read_plan(plan)
        found = dry_run(settings, progress=report)
    if as_json:
        say_json({"fits": True, **asdict(found)})
        return
    _say_checked(found)
    asked = [f"{model.kind} ({listed(_parameters(model))})" for model in settings.enforced]
    sure = "Each holds with all rows in one class, so a release exists."
    unsure = "Not each holds with all rows in one class: whether there is a release, only the search can tell."
    say(f"Models: {', '.join(asked)}. {sure if found.release_exists else unsure}")
    for warning in found.warnings:
        say(f"Warning: {warning}")
    say(f"The plan fits. Next: {command('anonymize', plan, '--out', 'release')}")


@app.command(short_help="The JSON schema of plan files.")
def schema(
    plan: Annotated[Path | None, typer.Argument(metavar="PLAN", help="Not read: all plans have one schema.")] = None,
) -> None:
    """Print the JSON schema of plan files, for editors and programs."""
    from shoal.plan import schema as of_plans

    say_json(of_plans())


def _say_checked(found: Checked) -> None:
    rows = [
        (
            name,
            column.role,
            column.type or "",
            "" if column.values is None else f"{column.values:,}",
            column.published,
            "" if column.levels is None else str(column.levels),
        )
        for name, column in found.columns.items()
    ]
    say_table(("column", "role", "type", "values", "published as", "levels"), rows, numbers=("values", "levels"))
    say()
    left_out = f", of which {found.rows_dropped:,} are left out for a missing value" if found.rows_dropped else ""
    say(f"{found.rows:,} rows{left_out}; {found.distinct_rows:,} are distinct in what the search sees.")


def _parameters(model: object) -> dict[str, object]:
    from shoal.roles.spec import to_table

    return {name: value for name, value in to_table(model).items() if name != "kind"}
