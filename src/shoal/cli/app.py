"""The commands in the order in which `shoal --help` lists them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from shoal.cli import hierarchy, plan
from shoal.cli.anonymize import anonymize
from shoal.cli.apply import apply
from shoal.cli.compare import compare
from shoal.cli.demo import demo
from shoal.cli.explain import explain
from shoal.cli.lattice import lattice
from shoal.cli.profile import profile
from shoal.cli.report import report
from shoal.cli.risk import risk
from shoal.cli.steps import steps
from shoal.cli.studio import studio
from shoal.cli.suggest import suggest
from shoal.cli.verify import verify
from shoal.errors import Cancelled, ShoalError
from shoal.version import VERSION

app = typer.Typer(
    help="Anonymize patient tables with little information loss, and verify every release from its files alone.",
    epilog="Exit codes: 0 done, 1 a promise does not hold, 2 bad usage, plan or input, 3 the models cannot be met, "
    "130 cancelled (143 by SIGTERM).",
    add_completion=False,
    rich_markup_mode=None,  # plain help needs no further import
    pretty_exceptions_enable=False,  # a traceback with local variables would show data
)
app.command(short_help="Anonymize 10,000 synthetic patients and show the result.")(demo)
app.command(short_help="Describe the columns of a table, suggest roles, draft a plan.")(profile)
app.add_typer(plan.app, name="plan")
app.add_typer(hierarchy.app, name="hierarchy")
app.command(short_help="Anonymize the table that a plan names.")(anonymize)
app.command(short_help="Anonymize new rows with the recoding of an earlier release.")(apply)
app.command(short_help="Show or draw the lattice of recodings that a search explored.")(lattice)
app.command(short_help="Re-check a release from its files alone.")(verify)
app.command(short_help="Show the report of a release, or write it as a page or PDF.")(report)
app.command(short_help="Compare releases of the same table: privacy, risk, information loss.")(compare)
app.command(short_help="Propose the plan with the best utility within thresholds of risk.")(suggest)
app.command(short_help="Measure the risk of any table, raw or released, and attack it.")(risk)
app.command(short_help="List the specialization steps of a release made by 'pais'.")(steps)
app.command(short_help="Explain what a privacy model promises and what it does not.")(explain)
app.command(short_help="Open the web application, on this machine.")(studio)


def _say_version(asked: bool) -> None:
    if asked:
        typer.echo(f"shoal {VERSION}")
        raise typer.Exit


@app.callback()
def shoal(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_say_version, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def invoke(arguments: Sequence[str]) -> int:
    """Runs a command and returns its exit code; wrong usage raises a ShoalError."""
    command = typer.main.get_command(app)
    try:
        code = command.main(list(arguments), prog_name="shoal", standalone_mode=False)
    except typer.TyperException as error:
        raise ShoalError(error.format_message(), hint=_help(error)) from None
    except SystemExit:  # typer exits so when the reader of stdout has closed it
        raise BrokenPipeError from None
    if code == Cancelled.exit_code:  # typer returns this after Ctrl-C
        raise KeyboardInterrupt
    return int(code or 0)


def _help(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    return f"`{context.command_path if context else 'shoal'} --help` shows the usage."
