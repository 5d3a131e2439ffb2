"""The risk of a release in the steward's report."""

from __future__ import annotations

from shoal.manifest import Manifest
from shoal.risks import ALL
from shoal.risks.measuring import Exceeded, Risk
from shoal.risks.showing import Line, figure_lines


def risk_lines(manifest: Manifest) -> tuple[Line, ...]:
    """Every figure of risk that the steward's manifest has; none in a published one."""
    kept = manifest.risk
    if not kept:
        return ()
    figures = {measure.name: kept[measure.name] for measure in ALL if measure.name in kept}
    exceeded = [Exceeded(key, each["accepted"], each["measured"]) for key, each in kept.get("exceeded", {}).items()]
    thresholds = kept.get("thresholds", {})
    risk = Risk(manifest.rows_released, manifest.classes, 0, (), figures, {}, thresholds, tuple(exceeded))
    return tuple(figure_lines(risk))
