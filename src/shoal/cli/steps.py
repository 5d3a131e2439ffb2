"""`shoal steps`: how a specialized release came about, step by step."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.show import say, say_json, say_table
from shoal.errors import OutputError, PlanError, PromiseBroken

if TYPE_CHECKING:
    from shoal.report.steps import Step

_TEXTS = ("column", "value", "became")
_FIGURES = ("score", "classes", "smallest", "ncp", "discernibility", "support", "confidence")
_OTHER_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".pdf")


def steps(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a release made by 'pais'.")],
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the steps into this SVG file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the steps as JSON.")] = False,
) -> None:
    """Show the specializations a release was made by: what each replaced, what it was worth, how privacy stood then.

    A plan that says stop_at = N under [algorithm] releases the table as it was after step N.
    """
    from shoal.manifest import read_manifest
    from shoal.report.steps import plot as drawn
    from shoal.report.steps import steps_of

    manifest = read_manifest(folder)
    if manifest.search.steps is None:
        raise PlanError(f"The release in '{folder}' was not made step by step.", hint="its algorithm is not 'pais'.")
    try:
        found = steps_of(manifest)
    except (LookupError, TypeError, ValueError, AttributeError):
        raise PromiseBroken(f"The steps in the manifest of '{folder}' cannot be read.") from None
    if plot is not None:
        if plot.suffix.lower() in _OTHER_PICTURES:
            raise OutputError(f"The plot is an SVG picture, and '{plot}' is no name for one.", hint="end it in .svg.")
        try:
            plot.write_text(drawn(found), encoding="utf-8", newline="\n")
        except OSError as error:
            raise OutputError(f"The plot cannot be written to '{plot}' ({error.strerror}).") from None
    if as_json:
        say_json([asdict(step) for step in found])
        return
    _say(found)
    say(f"{len(found)} steps." + (f" Drawn in {plot}." if plot is not None else ""))


def _say(steps: list[Step]) -> None:
    """A table of what is known of the steps: without a knowledge model nothing is told of combinations."""
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
