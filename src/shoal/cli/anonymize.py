"""`shoal anonymize`: a plan in, a verified release out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import progress
from shoal.cli.show import command, say, say_json, say_models, warn
from shoal.errors import ShoalError, did_you_mean

if TYPE_CHECKING:
    from shoal.release import Release

ENGINES = ("local", "spark")


def anonymize(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, a TOML file.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the release goes; DIR.private is yours.")],
    engine: Annotated[str, typer.Option(metavar="local|spark", help="What does the work.")] = "local",
    seed: Annotated[int | None, typer.Option(metavar="N", help="Instead of the plan's seed.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what DIR and DIR.private hold.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest and its digest as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress; print the digest, and warnings.")] = False,
) -> None:
    """Release the table that PLAN names: search, write, and verify from the written files."""
    _require_local(engine)
    with progress.shown(quiet=quiet) as report:
        release = released(plan, out, seed=seed, force=force, report=report)
    manifest = release.manifest
    if as_json:
        say_json({**manifest.to_json(), "digest": release.digest})
    elif quiet:
        for warning in (*manifest.warnings, *manifest.notes):
            warn(warning)
        say(str(release.digest))
    else:
        say_release(out, release)


def released(
    plan: Path, out: Path, *, report: progress.Report, seed: int | None = None, force: bool = False
) -> Release:
    """Makes and saves the release of a plan file."""
    from shoal.pipeline import anonymize_to
    from shoal.plan.toml import read_plan_file

    settings, text = read_plan_file(plan)
    if seed is not None:
        settings = settings.changed(seed=seed)
    return anonymize_to(settings, out, force=force, plan_text=text, progress=report)


def say_release(out: Path, release: Release) -> None:
    """What was achieved, what must be known of it, where it lies, and how anyone can check it."""
    from shoal.percent import percent

    manifest, measures = release.manifest, release.measures
    say(
        f"Released {manifest.rows_released:,} of {manifest.rows_in:,} rows "
        f"in {manifest.classes:,} classes of {measures['average_class_size']:.1f} rows on average."
    )
    say(f"Information loss (NCP): {percent(measures['ncp'])}.")
    whole = [name for name, values in manifest.step_values.items() if len(values) == 1]
    if whole:
        say(f"{len(whole)} columns were generalized to *: {', '.join(whole)}.")
    say()
    say_models(manifest.models)
    say()
    for warning in (*manifest.warnings, *manifest.notes):
        say(f"Warning: {warning}")
    say(f"To publish:    {out} ({', '.join(sorted(manifest.files))}, manifest.json)")
    say(f"For you alone: {out}.private")
    say(f"Digest:        {release.digest}")
    say(f"Check it with: {command('verify', out, '--digest', release.digest)}")


def _require_local(engine: str) -> None:
    if engine not in ENGINES:
        raise ShoalError(
            f"There is no engine '{engine}'.",
            allowed=f"Engines are {', '.join(ENGINES)}.",
            hint=did_you_mean(engine, ENGINES),
        )
    if engine != "local":
        raise ShoalError("This version of Shoal has the local engine only.", hint="leave --engine out.")
