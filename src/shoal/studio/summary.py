"""The figures of a release that a list of runs shows, from the files of its private folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.studio.files import read_json
from shoal.verification.folder import private_folder

_KEYS = ("digest", "rows_in", "rows_released", "rows_suppressed", "classes", "models", "warnings", "serious_warnings")


def release_summary(release: Path) -> dict[str, Any]:
    """The figures of the release in a folder: digest, rows, classes, models, warnings, NCP and seconds."""
    steward = read_json(private_folder(release) / "steward.json")
    figures = {key: steward[key] for key in _KEYS if key in steward}
    measures, timings = steward.get("measures", {}), steward.get("timings", {})
    return {**figures, "ncp": measures.get("ncp"), "seconds": timings.get("total")}
