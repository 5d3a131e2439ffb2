"""`shoal suggest`: proposes the plan with the best utility within thresholds of risk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import progress, restore_libraries
from shoal.cli.files import check_free, require_unread_by, write_text
from shoal.cli.show import command, say, say_json, say_table
from shoal.errors import ShoalError

if TYPE_CHECKING:
    from shoal.report.suggestion import Suggestion


def suggest(
    data: Annotated[str, typer.Argument(metavar="DATA", help="The table, in place of the source of the plan.")],
    plan: Annotated[Path, typer.Option(metavar="PLAN", help="Columns, roles, and the least that must be promised.")],
    risk: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=X", help="A threshold, such as highest=0.1 or average=0.05. Can be repeated."),
    ] = None,
    use: Annotated[
        str, typer.Option(metavar="general|classification|counts", help="What the release is used for.")
    ] = "general",
    suppression: Annotated[
        float | None, typer.Option(metavar="F", help="The share of rows that may be suppressed. Default: the plan's.")
    ] = None,
    reference: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The intruder's table, for thresholds that need one.")
    ] = None,
    sampling_fraction: Annotated[
        float | None, typer.Option(metavar="F", help="The share of the population that is in DATA.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="PLAN.toml", help="Write the proposed plan. It is private.")
    ] = None,
    out_svg: Annotated[
        Path | None, typer.Option("--out-svg", metavar="FILE.svg", help="Draw risk against loss. It is private.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace these files.")] = False,
    budget: Annotated[int, typer.Option(metavar="N", help="The number of plans to try.")] = 100,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Begin no further round of plans after S seconds.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of samples, queries and divisions of the rows.")] = 0,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="The number of plans tried at a time. Default: one per core.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Try variants of PLAN on DATA, and propose the one with the best utility within the thresholds of risk.

    The models of PLAN are never weakened. Nothing is released. The figures depend on DATA: they are private. Exit code
    3 if no variant meets the models and the thresholds.
    """
    thresholds = _thresholds(risk or ())
    outputs = [(path, ending) for path, ending in ((out, ".toml"), (out_svg, ".svg")) if path is not None]
    for path, ending in outputs:
        check_free(path, force=force, ending=ending, reads=(data, plan, reference))
    restore_libraries()
    with progress.shown(quiet=quiet) as report:
        from shoal import table
        from shoal.evaluate.suggesting import suggest as suggested
        from shoal.pipeline import read_source
        from shoal.plan import read_plan
        from shoal.plan.toml import reading

        given = reading(read_plan(plan), data)
        for path, _ in outputs:
            require_unread_by(path, given)
        report("read", 0.0)
        found = suggested(
            read_source(given),
            given,
            risk=thresholds,
            use=use,
            suppression=suppression,
            reference=None if reference is None else table.read(reference),
            sampling_fraction=sampling_fraction,
            budget=budget,
            seconds=seconds,
            seed=seed,
            workers=workers,
            progress=report,
        )
    if out_svg is not None:
        write_text(out_svg, found.svg(), force=force, private=True)
    if as_json:
        say_json(found.to_json())
    else:
        _say_suggestion(found, out, out_svg)
    proposed = found.plan
    if out is not None:
        from shoal.plan.toml import relative_to

        text = relative_to(proposed, out.resolve().parent).to_toml()
        write_text(out, text, force=force, private=True)


def _thresholds(given: Sequence[str]) -> dict[str, float]:
    """Thresholds by name, out of NAME=X."""
    found = {}
    for each in given:
        name, _, value = each.partition("=")
        try:
            found[name.strip()] = int(value) if name.strip() == "k_map" else float(value)
        except ValueError:
            raise ShoalError(
                f"--risk {each} is not a threshold.",
                allowed="NAME=X with a number X.",
                hint="write --risk highest=0.1.",
            ) from None
    return found


def _say_suggestion(found: Suggestion, out: Path | None, out_svg: Path | None) -> None:
    say_table(found.head, found.table(), found.head[1:-1])
    say()
    for sentence in found.without_reason():  # if there is a reason, the error of the command says it
        say(sentence)
    if out_svg is not None:
        say(f"Drawn: {out_svg}")
    if found.proposed is None:
        return
    if out is None:
        say("Write the proposed plan with --out PLAN.toml.")
    else:
        say(f"Release it: {command('anonymize', out, '--out', 'DIR')}")
