"""`shoal steps`: lists the specialization steps that led to a release."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.files import check_free, write_text
from shoal.cli.show import say, say_json, say_table
from shoal.errors import PlanError, PromiseBroken

if TYPE_CHECKING:
    from shoal.report.steps import Step

_TEXTS = ("column", "value", "became")
_FIGURES = ("score", "classes", "smallest", "ncp", "discernibility", "support", "confidence")


def steps(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a release made by 'pais'.")],
    plot: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Plot the steps to this SVG file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.svg.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the steps as JSON.")] = False,
) -> None:
    """Show the specialization steps of a release: the replaced value, the score, and privacy and loss after the step.

    A plan with stop_at = N under [algorithm] releases the table as it was after step N.
    """
    from shoal.manifest import read_manifest
    from shoal.report.steps import plot as drawn
    from shoal.report.steps import steps_of

    if plot is not None:
        check_free(plot, force=force, ending=".svg")
    manifest = read_manifest(folder)
    if manifest.steps is None:
        raise PlanError(f"The release in '{folder}' records no steps.", allowed="Only 'pais' records steps.")
    try:
        recorded = steps_of(manifest)
    except (LookupError, TypeError, ValueError, AttributeError):
        raise PromiseBroken(f"The steps in the manifest of '{folder}' cannot be read.") from None
    if plot is not None:
        write_text(plot, drawn(recorded), force=force)
    if as_json:
        say_json([asdict(step) for step in recorded])
        return
    _say(recorded)
    say(f"{len(recorded)} steps." + (f" Plot: {plot}." if plot is not None else ""))


def _say(steps: list[Step]) -> None:
    """Prints the steps as a table without empty columns: only knowledge models fill those about combinations."""
    columns = [
        column for column in zip(("step", *_TEXTS, *_FIGURES), *map(_row, steps), strict=True) if any(column[1:])
    ]
    headers, *rows = zip(*columns, strict=True)
    say_table(headers, rows, ("step", *_FIGURES))


def _row(step: Step) -> tuple[str, ...]:
    parts = " | ".join(part or "(missing)" for part in step.parts[:6]) + (
        f" | … {len(step.parts)} values" if len(step.parts) > 6 else ""
    )
    return (
        str(step.number),
        step.column,
        step.value,
        parts,
        f"{step.score:.6g}",
        str(step.classes),
        str(step.smallest_class),
        f"{step.ncp:.3f}",
        f"{step.discernibility_ratio:.3g}",
        "" if step.support is None else str(step.support),
        "" if step.confidence is None else f"{step.confidence:.3f}",
    )
