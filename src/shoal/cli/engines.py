"""Options of the engine that reads and counts the rows of a table, for every command that has them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from shoal.errors import ShoalError, did_you_mean

ENGINES = ("local", "stream", "spark")

Master = Annotated[
    str | None, typer.Option("--master", metavar="URL", help="The master of Spark. Default: that of its configuration.")
]


def engine_option(help: str) -> Any:
    """The option `--engine`; `help` says what each engine does in a command."""
    return typer.Option("--engine", metavar="|".join(ENGINES), help=help)


def require_engine(engine: str | None, master: str | None = None) -> None:
    """Raises unless there is an engine of the name, if one is given, and unless a master is that of Spark."""
    if engine is not None and engine not in ENGINES:
        raise ShoalError(
            f"There is no engine '{engine}'.",
            allowed=f"Engines are {', '.join(ENGINES)}.",
            hint=did_you_mean(engine, ENGINES),
        )
    if master is not None and engine != "spark":
        raise ShoalError("--master names the master of Spark.", hint="add --engine spark, or omit --master.")
