"""The contents of a report: its verdict, the reason for it, and every section that has something to show."""

from __future__ import annotations

from shoal.counts import counted
from shoal.manifest import Manifest
from shoal.report.document import Document, Tone
from shoal.report.numbers import number
from shoal.report.sections import ALL, Facts


def document_of(facts: Facts) -> Document:
    """The report of a release as typed values; the same facts always give the same document."""
    manifest = facts.manifest
    sections = (each.section(facts) for each in ALL)
    return Document(
        title="Release report" if facts.private is None else "Release report for the data steward",
        verdict=_verdict(manifest),
        lead=_lead(manifest),
        tone=_tone(manifest),
        sections=tuple(section for section in sections if section is not None),
        private=facts.private is not None,
        shoal_version=manifest.shoal_version,
    )


def _exceeded(manifest: Manifest) -> int:
    """How many thresholds of the plan are exceeded."""
    return len(manifest.risk.get("exceeded", ()))


def _tone(manifest: Manifest) -> Tone:
    if not manifest.holds:
        return "bad"
    return "care" if manifest.serious_warnings + _exceeded(manifest) else "good"


def _verdict(manifest: Manifest) -> str:
    models = manifest.models
    broken = sum(not model.holds for model in models)
    if not models:
        return "No promise has been verified"
    scoped = any(model.scope is not None for model in models)
    held = "Every promise holds for some rows only" if scoped else "Every promise holds"
    if not broken:
        doubts = _doubts(manifest)
        return f"{held}, but {' and '.join(doubts)}" if doubts else held
    return "A promise does not hold" if broken == 1 else f"{broken} promises do not hold"


def _doubts(manifest: Manifest) -> list[str]:
    """What stands against publication although every promise holds."""
    exceeded, serious = _exceeded(manifest), manifest.serious_warnings
    thresholds = counted(exceeded, "threshold of the plan is", "thresholds of the plan are")
    warnings = counted(serious, "serious warning stands", "serious warnings stand")
    return [*([warnings] if serious else []), *([f"{thresholds} exceeded"] if exceeded else [])]


def _lead(manifest: Manifest) -> str:
    promises = len(manifest.models)
    if not promises:
        return "The release contains no verified promise. Do not publish it."
    were = "was" if promises == 1 else "were"
    return (
        f"Verification regrouped the {number(manifest.rows_released)} released rows by their labels into "
        f"{counted(manifest.classes, 'class', 'classes')}. {counted(promises, 'promise', 'promises')} {were} checked "
        f"on these classes by code that is independent of the search."
    )
