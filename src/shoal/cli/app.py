"""The commands in the order in which `shoal --help` lists them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from shoal.cli import hierarchy, plan
from shoal.cli.anonymize import anonymize
from shoal.cli.demo import demo
from shoal.cli.explain import explain
from shoal.cli.lattice import lattice
from shoal.cli.profile import profile
from shoal.cli.steps import steps
from shoal.cli.verify import verify
from shoal.errors import Cancelled, ShoalError
from shoal.version import VERSION

app = typer.Typer(
    help="Release patient tables safely: least-distorted, and verified from the released files alone.",
    epilog="Exit codes: 0 done, 1 a promise does not hold, 2 bad usage, plan or input, 3 the models cannot be met, "
    "130 cancelled.",
    add_completion=False,
    rich_markup_mode=None,  # plain help costs no import
    pretty_exceptions_enable=False,  # a traceback with local variables would show data
)
app.command(short_help="Release 10,000 made-up patients and look at the result.")(demo)
app.command(short_help="What each column holds, its likely role, a draft plan.")(profile)
app.add_typer(plan.app, name="plan")
app.add_typer(hierarchy.app, name="hierarchy")
app.command(short_help="Release the table that a plan names.")(anonymize)
app.command(short_help="What a search sees of the lattice of recodings, drawn.")(lattice)
app.command(short_help="Re-check a release from its files alone.")(verify)
app.command(short_help="How a specialized release came about, step by step.")(steps)
app.command(short_help="What a privacy model promises, and what it does not.")(explain)


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
    """Runs a command; returns the exit code it asked for, and raises bad usage as a ShoalError."""
    command = typer.main.get_command(app)
    try:
        code = command.main(list(arguments), prog_name="shoal", standalone_mode=False)
    except typer.TyperException as error:
        raise ShoalError(error.format_message(), hint=_help(error)) from None
    except SystemExit:  # typer's answer to a reader that is gone
        raise BrokenPipeError from None
    if code == Cancelled.exit_code:  # typer's answer to Ctrl-C
        raise KeyboardInterrupt
    return int(code or 0)


def _help(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    return f"`{context.command_path if context else 'shoal'} --help` shows how."
