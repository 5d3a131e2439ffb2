"""`shoal plan choose-k`: shows what several k lose by generalization and by removed items."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import progress
from shoal.cli.files import check_free, require_unread_by, write_text
from shoal.cli.show import say, say_json, say_table
from shoal.errors import ShoalError

if TYPE_CHECKING:
    from shoal.report.k_choice import KChoice

DEFAULT = "1,2,3,5,10,20"


def choose_k(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, a TOML file, with a model of items.")],
    ks: Annotated[str, typer.Option("--k", metavar="K,K,…", help="The k to try, from 1.")] = DEFAULT,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.svg", help="Draw the losses. The drawing is private.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.svg.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Search PLAN with several k, and show the information loss against the items removed. Nothing is released.

    The figures depend on the input: they are private.
    """
    numbers = _numbers(ks)
    if out is not None:
        check_free(out, force=force, ending=".svg", reads=(plan,))
    with progress.shown(quiet=quiet) as report:
        from shoal.evaluate.choosing_k import choose_k as chosen
        from shoal.pipeline import read_source
        from shoal.plan import read_plan

        settings = read_plan(plan)
        if out is not None:
            require_unread_by(out, settings)
        report("read", 0.0)
        choice = chosen(read_source(settings), settings, ks=numbers, progress=report)
    if out is not None:
        write_text(out, choice.svg(), force=force, private=True)
    if as_json:
        say_json(choice.to_json())
        return
    _say_choice(choice)
    if out is not None:
        say(f"Drawn: {out}")


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ShoalError(
            "--k is not a list of numbers.", allowed="Whole numbers from 1, with commas.", hint=f"write --k {DEFAULT}."
        ) from None


def _say_choice(choice: KChoice) -> None:
    from shoal.report.k_choice import PRIVATE

    say_table(choice.head, choice.table(), numbers=choice.head[:-1])
    say()
    for sentence in (*choice.sentences(), PRIVATE):
        say(sentence)
