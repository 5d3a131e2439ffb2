"""`shoal explain`: shows what a model promises and what it does not, as the model itself states it."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.show import command, say, say_json, say_table
from shoal.errors import ShoalError

if TYPE_CHECKING:
    from shoal.attacks import Attack
    from shoal.attacks.demonstration import Demonstration
    from shoal.models.base import ClassModel
    from shoal.models.evidence import Verdict


def explain(
    model: Annotated[str | None, typer.Argument(metavar="MODEL", help="The kind of a model, as in a plan.")] = None,
    release: Annotated[Path | None, typer.Option(metavar="DIR", help="Show what this release achieves.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the explanation as JSON.")] = False,
) -> None:
    """Explain what MODEL promises and what it does not, with an example and its paper. Without MODEL, list all.

    What it does not protect is shown by an attack on a small table, which is run.
    """
    if model is None:
        _say_all(release, as_json)
        return
    described = _described(model)
    verdicts = [] if release is None else _verdicts(release, model)
    shown = _demonstrated(described)
    attacked = [] if release is None else [line for attack in _stopped_by(model) for line in attack.shown_on(release)]
    if as_json:
        promised = [verdict.to_json() for verdict in verdicts]
        details = {"parameters": _parameters(described), "release": promised, "attacked": attacked}
        demonstration = None if shown is None else shown.to_json()
        say_json({"kind": model, **described.about.to_json(), "demonstration": demonstration, **details})
        return
    say(f"{model} ({', '.join(_parameters(described))})")
    sections = {
        "Promise": described.about.promise,
        "Not protected": described.about.not_protected,
        "Example": described.about.example,
    }
    for title, text in sections.items():
        say()
        say(f"{title}: {text}")
    if shown is not None:
        _say_demonstration(shown)
    say()
    say(f"Paper: {described.about.paper}")
    if release is not None:
        _say_release(release, verdicts)
    for sentence in attacked:
        say(sentence)


def _described(model: str) -> type[ClassModel]:
    from shoal.algorithms import ALL
    from shoal.models import by_kind

    if model in (algorithm.kind for algorithm in ALL):
        raise ShoalError(
            f"'{model}' is an algorithm, not a model: it promises nothing by itself.",
            hint="docs/guide/algorithms.md describes the algorithms; shoal explain lists the models.",
        )
    return by_kind(model)


def _say_all(release: Path | None, as_json: bool) -> None:
    from shoal.models import ALL

    if release is not None:
        raise ShoalError("--release needs a MODEL.", hint="shoal explain MODEL --release DIR")
    if as_json:
        say_json([{"kind": model.kind, **model.about.to_json()} for model in ALL])
        return
    say_table(("model", "promise"), [(model.kind, model.about.promise) for model in ALL])
    say()
    say("Details of a model: shoal explain MODEL")


def _demonstrated(model: type[ClassModel]) -> Demonstration | None:
    from shoal.attacks.demonstration import demonstrated

    return demonstrated(model)


def _say_demonstration(shown: Demonstration) -> None:
    """Prints the small table, how it satisfies the model, and what the attack on it finds."""
    from shoal.verification.wording import listed

    satisfies = "satisfies" if shown.verdict.holds else "does not satisfy"
    say()
    say(f"Shown on a small table, which {satisfies} the model ({listed(shown.verdict.parameters)}):")
    say()
    say_table(shown.table.columns, shown.table.rows())
    say()
    for sentence in shown.sentences():
        say(sentence)


def _stopped_by(kind: str) -> list[type[Attack]]:
    """The attacks on published files that a model stops; they show the risk of a release that does not promise it."""
    from shoal.attacks import ALL

    return [attack for attack in ALL if attack.against == kind and attack.published]


def _say_release(release: Path, verdicts: list[Verdict]) -> None:
    from shoal.verification.wording import asked, listed, outcome

    say()
    if not verdicts:
        say(f"The release '{release}' does not promise this model.")
        return
    for verdict in verdicts:
        on = f" for '{verdict.parameters['column']}'" if "column" in verdict.parameters else ""
        say(f"In '{release}'{on}: required {asked(verdict)}; achieved {listed(verdict.achieved)}; {outcome(verdict)}.")
    say(f"Source: the manifest of the release. To check it: {command('verify', release)}")


def _verdicts(release: Path, kind: str) -> list[Verdict]:
    """The verdicts of the manifest on this model; a plan may use one for several columns."""
    from shoal.manifest import read_manifest

    models = read_manifest(release).models
    verdicts = [verdict for verdict in models if verdict.kind == kind]
    if not verdicts and not _stopped_by(kind):
        raise ShoalError(
            f"The release '{release}' does not promise '{kind}'.",
            allowed=f"It promises {', '.join(sorted({verdict.kind for verdict in models})) or 'nothing'}.",
        )
    return verdicts


def _parameters(model: Any) -> list[str]:
    return [item.name + _default(item) for item in fields(model) if item.init]


def _default(item: Field[Any]) -> str:
    if item.default is not MISSING:
        return "" if item.default is None else f" = {item.default}"
    return f" = {item.default_factory()}" if item.default_factory is not MISSING else ""
