"""`shoal risk`: measures the risk of any table, raw or released, and attacks it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import progress, restore_libraries
from shoal.cli.engines import Master, engine_option, require_engine
from shoal.cli.show import say, say_json, say_table, warn

if TYPE_CHECKING:
    from shoal.regulation import View
    from shoal.risks.measuring import Risk


def risk(
    data: Annotated[str, typer.Argument(metavar="DATA", help="A table file, or the folder of a release.")],
    new: Annotated[
        Path | None, typer.Argument(metavar="NEW", help="A later release: measure what DATA and NEW reveal together.")
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(metavar="PLAN", help="Roles, models and thresholds. Default: those of the release.")
    ] = None,
    gate: Annotated[
        bool, typer.Option("--gate", help="Exit code 1 if a threshold is exceeded or an attack beats its bound.")
    ] = False,
    reference: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The intruder's table of individuals, such as a voter list.")
    ] = None,
    sampling_fraction: Annotated[
        float | None, typer.Option(metavar="F", help="The share of the population that is in the table.")
    ] = None,
    raw: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The input of the release: attacks know it, and are checked against it."),
    ] = None,
    knowledge: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="A knowledge table that is not in DATA; or COLUMN=FILE, for several."),
    ] = None,
    view: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help="Also show what a regulation asks: hipaa, ema or gdpr. Can be repeated."),
    ] = None,
    engine: Annotated[
        str | None,
        engine_option(
            "Where rows are counted: local: in memory; stream: files larger than memory, and folders; spark: in "
            "Spark. Default: local if the table fits in half of the memory."
        ),
    ] = None,
    master: Master = None,
    no_attacks: Annotated[bool, typer.Option("--no-attacks", help="Compute figures only, and attack nothing.")] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the samples that attacks draw.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Measure how likely individuals of DATA are re-identified, and attack it.

    With NEW, both are releases of the same people, and NEW is attacked with the knowledge of DATA. The figures are for
    the steward: those of a raw table must not be published.
    """
    require_engine(engine, master)
    restore_libraries()
    with progress.shown(quiet=quiet) as report:
        from shoal import table
        from shoal.plan import read_plan
        from shoal.regulation import view as regulatory_view
        from shoal.risks.measuring import Settings
        from shoal.risks.releases import require_accepted, risk_together, source_of

        known = None if plan is None else read_plan(plan)
        settings = Settings(None, sampling_fraction, attacks=not no_attacks, seed=seed)
        if reference is not None:
            settings = settings.knowing(table.read(reference))
        views = []
        if new is None:
            source = source_of(data, known, report, engine=engine, master=master).with_knowledge(knowledge or ())
            source = source if raw is None else source.checked_with(raw)
            found = source.risk(settings, report)
            values, warnings = found.to_json(), found.warnings
            views = [regulatory_view(kind, source.main.expanded(), source.plan, values) for kind in view or ()]
            values |= {"views": [each.to_json() for each in views]} if views else {}
        else:
            together = risk_together(
                Path(data),
                new,
                known,
                settings,
                report,
                raw=raw,
                knowledge=knowledge or (),
                engine=engine,
                master=master,
            )
            found, values, warnings = together.risk, together.to_json(), together.warnings
    if as_json:
        say_json(values)
    else:
        say_risk(found)
        for each in views:
            say_view(each)
    for warning in warnings:
        warn(warning)
    if gate:
        require_accepted(found)


def say_view(view: View) -> None:
    """Prints a regulatory view."""
    say()
    for line in view.text().splitlines():
        say(line)


def say_risk(found: Risk) -> None:
    """Prints the verdict, the attacks, all figures, the columns, and the notes."""
    from shoal.risks import showing

    _say_lines(showing.summary(found))
    if found.attacks:
        say_table(showing.ATTACK_HEADERS, showing.attack_lines(found), numbers=("success", "baseline", "bound"))
        say()
        _say_lines(showing.attack_sentences(found))
    say_table(showing.FIGURE_HEADERS, showing.figure_lines(found), numbers=("value", "accepted"))
    say()
    _say_lines(showing.meanings(found))
    say_table(showing.COLUMN_HEADERS, showing.column_lines(found), numbers=showing.COLUMN_HEADERS[1:])
    say()
    _say_disclosure(found)
    for line in (*showing.set_sentences(found), *showing.notes(found)):
        say(line)


def _say_disclosure(found: Risk) -> None:
    """Prints the disclosure audit, if there is one."""
    from shoal.risks import describing, showing

    for headers, lines in showing.disclosure_tables(found):
        say_table(headers, lines, numbers=headers[2:])
        say()
    if audit := found.figures.get("disclosure"):
        say(describing.meaning(audit))
        say()


def _say_lines(lines: Sequence[str]) -> None:
    """Prints a block of lines, and an empty one after it."""
    for line in (*lines, ""):
        say(line)
