"""`shoal demo`: anonymizes the bundled patient table and verifies the release."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import progress
from shoal.cli.anonymize import released, say_release
from shoal.cli.files import write_text
from shoal.cli.show import command, say
from shoal.cli.verify import say_findings
from shoal.errors import OutputError, PromiseBroken
from shoal.unfinished import finished, register

if TYPE_CHECKING:
    from shoal.release import Release

PATIENTS = 10_000
SEED = 0


def demo(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the release.")] = Path("shoal-demo"),
    force: Annotated[bool, typer.Option("--force", help="Replace a release in DIR, and DIR.input.")] = False,
) -> None:
    """Generate 10,000 synthetic patients (DIR.input), anonymize them (DIR, DIR.private), and verify the release."""
    inputs = _beside(out, ".input")
    if not force:
        _check_free_or_ours(out, inputs)
    with progress.shown() as report:
        release = _released(inputs, out, report)
        from shoal.verifying import verify_folder

        verification = verify_folder(out, digest=release.digest)
    say(f"Anonymized {PATIENTS:,} synthetic patients ({inputs / 'patients.csv'}) with the plan {inputs / 'plan.toml'}:")
    say()
    say_release(out, release, next_step=False)
    say()
    if not verification.holds:
        say_findings(verification, trusted="")
        raise typer.Exit(PromiseBroken.exit_code)
    say("The release was verified from its files: every promise holds.")
    _say_next(inputs, out)


def _released(inputs: Path, out: Path, report: progress.Report) -> Release:
    """Writes the inputs and makes the release; new inputs are removed if that fails."""
    is_new = not inputs.exists()
    if is_new:
        register(inputs)
    try:
        _write_inputs(inputs)
        return released(inputs / "plan.toml", out, force=True, report=report)
    except BaseException:
        if is_new:
            shutil.rmtree(inputs, ignore_errors=True)
        raise
    finally:
        finished(inputs)


def _write_inputs(folder: Path) -> None:
    from shoal import datasets, table

    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"The folder '{folder}' cannot be created: {error.strerror}.") from None
    for name, text in {"plan.toml": datasets.patients_plan_toml(), **datasets.patient_hierarchies()}.items():
        write_text(folder / name, text, force=True)
    table.write(datasets.patients(PATIENTS, SEED), folder / "patients.csv", "csv")


def _check_free_or_ours(out: Path, inputs: Path) -> None:
    """Refuses to replace anything but an earlier demo, which is recognized by its plan."""
    from shoal.datasets import patients_plan_toml

    for folder, plan in ((out, _beside(out, ".private") / "plan.toml"), (inputs, inputs / "plan.toml")):
        in_use = folder.exists() and not (folder.is_dir() and not any(folder.iterdir()))
        if in_use and not (plan.is_file() and plan.read_bytes() == patients_plan_toml().encode()):
            raise OutputError(
                f"'{folder}' exists and was not written by the demo.",
                hint="choose another --out, or replace a release in it with --force.",
            )


def _beside(out: Path, ending: str) -> Path:
    if out.name in ("", ".."):
        raise OutputError(f"A release cannot replace '{out}'.", hint="name a separate folder for the demo.")
    return out.with_name(out.name + ending)


def _say_next(inputs: Path, out: Path) -> None:
    say()
    say("Next steps:")
    say(f"  open {_beside(out, '.private') / 'report.html'} in a browser ({out / 'report.html'} is its public part)")
    say(f"  {command('explain', 'l-diversity', '--release', out)}")
    say(f"  {command('profile', inputs / 'patients.csv')}")
    say(f"  {command('plan', 'check', inputs / 'plan.toml')}")
    say(f"  edit the plan, then: {command('anonymize', inputs / 'plan.toml', '--out', 'my-release')}")
