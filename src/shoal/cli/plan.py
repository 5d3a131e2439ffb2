"""`shoal plan`: a dry run of a plan, the choice of its k, and the JSON schema of plan files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import progress
from shoal.cli.choose_k import choose_k
from shoal.cli.show import command, say, say_json, say_serious, say_table, say_warnings

if TYPE_CHECKING:
    from shoal.dry_run import Checked

app = typer.Typer(help="Check a plan against its data, compare several k, or print the schema of plan files.")


@app.command(short_help="Dry run: check a plan against its data. Nothing is released.")
def check(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, a TOML file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Dry run: check that PLAN fits its data, and that hierarchies and models can work. Nothing is released."""
    with progress.shown(quiet=quiet) as report:
        from shoal.dry_run import check as dry_run
        from shoal.plan import read_plan
        from shoal.verification.wording import listed
        from shoal.warnings import serious

        settings = read_plan(plan)
        checked = dry_run(settings, progress=report)
    if as_json:
        say_json({"fits": True, **asdict(checked)})
        return
    say_serious(serious(checked.warnings), publishes=False)
    _say_checked(checked, settings.engine.distinct_limit)
    models = [f"{model.kind} ({listed(_parameters(model))})" for model in settings.models]
    say(f"Models: {', '.join(models)}. {_outlook(checked, [model.kind for model in settings.removing])}")
    say_warnings([warning.text for warning in checked.warnings], serious(checked.warnings))
    say(f"The plan fits its data. Next: {command('anonymize', plan, '--out', 'release')}")


app.command("choose-k", short_help="Compare what several k lose, if items are removed. Private.")(choose_k)


@app.command(short_help="Print the JSON schema of plan files.")
def schema(
    plan: Annotated[Path | None, typer.Argument(metavar="PLAN", help="Ignored: all plans share one schema.")] = None,
) -> None:
    """Print the JSON schema of plan files, for editors and programs."""
    from shoal.plan import schema as of_plans

    say_json(of_plans())


def _outlook(checked: Checked, removing: Sequence[str]) -> str:
    """What is known before the search about whether a release exists; `removing`: the models of items."""
    if checked.undecided:
        kinds = ", ".join(checked.undecided)
        return (
            f"Whether a release exists is not known: only the removal of items can decide whether {kinds} can be met."
        )
    if not checked.release_exists:
        return (
            "They do not all hold with all rows in one class, or the plan does not allow such a class: only the search "
            "can decide whether a release exists."
        )
    if removing:
        return f"Removing items satisfies {', '.join(removing)}, and no other model prevents it, so a release exists."
    return "All of them hold with all rows in one class, so a release exists."


def _say_checked(checked: Checked, limit: int) -> None:
    """What the search would see; `limit`: the distinct rows that are searched at a time."""
    rows = [
        (
            name,
            column.role,
            column.type or "",
            "" if column.values is None else f"{column.values:,}",
            column.published,
            "" if column.levels is None else str(column.levels),
        )
        for name, column in checked.columns.items()
    ]
    say_table(("column", "role", "type", "values", "published as", "levels"), rows, numbers=("values", "levels"))
    say()
    dropped = f", of which {checked.rows_dropped:,} are dropped for missing values" if checked.rows_dropped else ""
    blocks = f", in blocks of at most {limit:,}" if checked.in_blocks else ""
    say(f"{checked.rows:,} rows{dropped}; the search sees {checked.distinct_rows:,} distinct rows{blocks}.")


def _parameters(model: object) -> dict[str, object]:
    from shoal.roles.spec import to_table

    return {name: value for name, value in to_table(model).items() if name != "kind"}
