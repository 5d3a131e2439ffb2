"""`shoal anonymize`: makes a verified release from a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import progress, restore_libraries
from shoal.cli.engines import Master, engine_option, require_engine
from shoal.cli.show import command, say, say_json, say_models, say_serious, say_table, say_warnings, warn
from shoal.counts import counted

if TYPE_CHECKING:
    from shoal.release import Release
    from shoal.report.summary import Summary


def anonymize(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, a TOML file.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the release. DIR.private is private.")],
    engine: Annotated[
        str | None,
        engine_option(
            "local: in memory; stream: files larger than memory, and folders; spark: in Spark. "
            "Default: local if the source fits in half of the memory."
        ),
    ] = None,
    master: Master = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Overrides the seed of the plan.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the release in DIR and DIR.private.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest and its digest as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only the digest and the warnings.")] = False,
) -> None:
    """Anonymize the table that PLAN names: search, write the release, and verify the written files."""
    require_engine(engine, master)
    with progress.shown(quiet=quiet) as report:
        release = released(plan, out, seed=seed, force=force, engine=engine, master=master, report=report)
    say_result(out, release, as_json=as_json, quiet=quiet)


def say_result(out: Path, release: Release, *, as_json: bool, quiet: bool) -> None:
    """Prints a release that was saved: in full, as JSON, or only its digest and the warnings."""
    if as_json:
        say_json({**release.steward.to_json(), "digest": release.digest})
    elif quiet:
        for place, warning in enumerate((*release.steward.warnings, *release.steward.notes)):
            warn(warning, serious=place < release.steward.serious_warnings)
        say(str(release.digest))
    else:
        say_release(out, release)


def released(
    plan: Path,
    out: Path,
    *,
    report: progress.Report,
    seed: int | None = None,
    force: bool = False,
    engine: str | None = None,
    master: str | None = None,
) -> Release:
    """Makes and saves the release of a plan file."""
    from shoal.pipeline import anonymize_to
    from shoal.plan.toml import read_plan_file

    settings, text = read_plan_file(plan)
    if seed is not None:
        settings = settings.changed(seed=seed)
    if settings.targets or "target" in settings.roles:  # the steward's report predicts them, by scikit-learn
        restore_libraries()
    return anonymize_to(
        settings, out, force=force, plan_text=text, plan_path=plan, engine=engine, master=master, progress=report
    )


def say_release(out: Path, release: Release, *, next_step: bool = True) -> None:
    """Prints what was achieved, the warnings, where the files are, what to do next, and how to verify them."""
    from shoal.release.ownership import files_in
    from shoal.report.summary import advised, summary
    from shoal.verification.folder import private_folder

    manifest = release.steward
    say_serious(manifest.serious_warnings)
    say_summary(summary(manifest))
    say()
    say_models(manifest.models)
    say()
    say_warnings((*manifest.warnings, *manifest.notes), manifest.serious_warnings)
    say(f"Publish:      {out} ({', '.join(_listed(manifest.files))}, manifest.json)")
    say(f"Keep private: {out}.private ({', '.join(sorted(files_in(private_folder(out))))})")
    say(f"Digest:       {release.digest}")
    if next_step:
        say(
            f"Next step:    {advised(manifest, release.plan) or f'read {out}.private/report.html, then publish {out}.'}"
        )
    say(f"Verify with:  {command('verify', out, '--digest', release.digest, *_tables(release))}")


def _listed(files: Iterable[str]) -> list[str]:
    """The files of a release in a list to be read: all parts of a table are one entry."""
    from shoal.table.parts import is_part

    paths = [PurePosixPath(name) for name in files]
    parts = Counter(str(path.parent) for path in paths if is_part(path.name, path.suffix[1:]))
    others = [str(path) for path in paths if str(path.parent) not in parts]
    return sorted([*others, *(f"{name}/ of {counted(n, 'part', 'parts')}" for name, n in parts.items())])


def _tables(release: Release) -> list[str]:
    """The knowledge tables that verification needs besides the release, as options."""
    columns = release.plan.columns
    files = {name: columns[name].knowledge for name in release.manifest.knowledge_needed}
    return [word for name, path in files.items() for word in ("--knowledge", f"{name}={path}")]


def say_summary(result: Summary) -> None:
    """Prints rows, information loss, the columns that lose most, what the search knows, and what became of items."""
    from shoal.report.items import COLUMN_HEADERS

    say(result.rows)
    say(result.loss)
    if result.columns:
        say()
        headers = ["column", "published as", "information loss", "level"]
        shown = len(headers) if result.has_levels else len(headers) - 1
        say_table(headers[:shown], [line[:shown] for line in result.columns], numbers=headers[2:])
    for sentence in (result.others, *result.sentences):
        if sentence:
            say(sentence)
    if result.items:
        say()
        heads = ["set-valued column", *COLUMN_HEADERS[1:]]
        say_table(heads, result.items, numbers=heads[1:])
