"""`shoal explain`: what a model promises and what it does not. Everything comes from the models themselves."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.show import asked, command, listed, outcome, say, say_json, say_table
from shoal.errors import ShoalError

if TYPE_CHECKING:
    from shoal.attacks import Attack
    from shoal.models.evidence import Verdict


def explain(
    model: Annotated[str | None, typer.Argument(metavar="MODEL", help="A kind, as a plan names it.")] = None,
    release: Annotated[Path | None, typer.Option(metavar="DIR", help="What this release achieves for it.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Explain what MODEL promises and what it does not, with an example and its paper; without MODEL, list all."""
    if model is None:
        _say_all(release, as_json)
        return
    from shoal.models import by_kind

    found = by_kind(model)
    verdicts = [] if release is None else _verdicts(release, model)
    attacked = [] if release is None else [line for each in _stopped_by(model) for line in each.shown_on(release)]
    if as_json:
        promised = [verdict.to_json() for verdict in verdicts]
        shown = {"parameters": _parameters(found), "release": promised, "attacked": attacked}
        say_json({"kind": model, **vars(found.about), **shown})
        return
    say(f"{model} ({', '.join(_parameters(found))})")
    sections = {
        "Promise": found.about.promise,
        "Not protected": found.about.not_protected,
        "Example": found.about.example,
        "Paper": found.about.paper,
    }
    for title, text in sections.items():
        say()
        say(f"{title}: {text}")
    if release is not None:
        _say_release(release, verdicts)
    for sentence in attacked:
        say(sentence)


def _say_all(release: Path | None, as_json: bool) -> None:
    from shoal.models import ALL

    if release is not None:
        raise ShoalError("--release needs a model to look for.", hint="shoal explain MODEL --release DIR")
    if as_json:
        say_json([{"kind": model.kind, **vars(model.about)} for model in ALL])
        return
    say_table(("model", "promise"), [(model.kind, model.about.promise) for model in ALL])
    say()
    say("More on one of them: shoal explain MODEL")


def _stopped_by(kind: str) -> list[type[Attack]]:
    """The attacks that a model stops: they show what a release that does not promise it lets through."""
    from shoal.attacks import ALL

    return [attack for attack in ALL if attack.against == kind]


def _say_release(release: Path, verdicts: list[Verdict]) -> None:
    say()
    if not verdicts:
        say(f"'{release}' does not promise it.")
        return
    for found in verdicts:
        on = f" on '{found.parameters['column']}'" if "column" in found.parameters else ""
        say(f"In '{release}'{on}: asked {asked(found)}; achieved {listed(found.achieved)}; {outcome(found)}.")
    say(f"So its manifest says; `{command('verify', release)}` checks it.")


def _verdicts(release: Path, kind: str) -> list[Verdict]:
    """What the manifest says of this model; a plan may ask for one several times, on several columns."""
    from shoal.manifest import read_manifest

    models = read_manifest(release).models
    found = [verdict for verdict in models if verdict.kind == kind]
    if not found and not _stopped_by(kind):
        raise ShoalError(
            f"The release '{release}' promises no '{kind}'.",
            allowed=f"It promises {', '.join(sorted({verdict.kind for verdict in models})) or 'nothing'}.",
        )
    return found


def _parameters(model: Any) -> list[str]:
    return [item.name + _default(item) for item in fields(model) if item.init]


def _default(item: Field[Any]) -> str:
    if item.default is not MISSING:
        return "" if item.default is None else f" = {item.default}"
    return f" = {item.default_factory()}" if item.default_factory is not MISSING else ""
