"""`shoal anonymize`: makes a verified release from a plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import progress
from shoal.cli.show import command, say, say_json, say_models, say_serious, warn
from shoal.counts import counted
from shoal.errors import ShoalError, did_you_mean

if TYPE_CHECKING:
    from shoal.release import Release

ENGINES = ("local", "spark")


def anonymize(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, a TOML file.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the release. DIR.private is private.")],
    engine: Annotated[
        str, typer.Option(metavar="local|spark", help="The engine; spark: not in this version.")
    ] = "local",
    seed: Annotated[int | None, typer.Option(metavar="N", help="Overrides the seed of the plan.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the release in DIR and DIR.private.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest and its digest as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only the digest and the warnings.")] = False,
) -> None:
    """Anonymize the table that PLAN names: search, write the release, and verify the written files."""
    _require_local(engine)
    with progress.shown(quiet=quiet) as report:
        release = released(plan, out, seed=seed, force=force, report=report)
    if as_json:
        say_json({**release.steward.to_json(), "digest": release.digest})
    elif quiet:
        for warning in (*release.steward.warnings, *release.steward.notes):
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
    return anonymize_to(settings, out, force=force, plan_text=text, plan_path=plan, progress=report)


def say_release(out: Path, release: Release) -> None:
    """Prints what was achieved, the warnings, where the files are, and how to verify them."""
    from shoal.percent import percent

    manifest, measures = release.steward, release.measures
    say_serious(manifest.serious_warnings)
    say(
        f"Released {manifest.rows_released:,} of {manifest.rows_in:,} rows "
        f"in {counted(manifest.classes, 'class', 'classes')} of {measures['average_class_size']:.1f} rows on average."
    )
    say(f"Information loss (NCP): {percent(measures['ncp'])}.")
    lost = [name for name, loss in measures["ncp_by_column"].items() if loss == 1]
    if lost:
        say(f"{counted(len(lost), 'column was', 'columns were')} generalized completely: {', '.join(lost)}.")
    say()
    say_models(manifest.models)
    say()
    for warning in (*manifest.warnings, *manifest.notes):
        say(f"Warning: {warning}")
    say(f"Publish:      {out} ({', '.join(sorted(manifest.files))}, manifest.json)")
    say(f"Keep private: {out}.private (plan.toml, report.html, steward.json)")
    say(f"Digest:       {release.digest}")
    say(f"Verify with:  {command('verify', out, '--digest', release.digest)}")


def _require_local(engine: str) -> None:
    if engine not in ENGINES:
        raise ShoalError(
            f"There is no engine '{engine}'.",
            allowed=f"Engines are {', '.join(ENGINES)}.",
            hint=did_you_mean(engine, ENGINES),
        )
    if engine != "local":
        raise ShoalError("This version of Shoal has only the local engine.", hint="omit --engine.")
