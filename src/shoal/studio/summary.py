"""The figures of a release that a list of runs shows, from the files of its private folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from shoal.studio.files import read_json
from shoal.verification.folder import private_folder

_KEYS = ("digest", "rows_in", "rows_released", "rows_suppressed", "classes", "models", "warnings", "serious_warnings")


class _Model(BaseModel):
    kind: str
    holds: bool = False


class _Summary(BaseModel):
    digest: str = ""
    rows_in: int = Field(0, ge=0)
    rows_released: int = Field(0, ge=0)
    rows_suppressed: int = Field(0, ge=0)
    classes: int = Field(0, ge=0)
    models: list[_Model] = []
    warnings: list[Any] = []
    serious_warnings: int = Field(0, ge=0)
    ncp: float | None = None
    seconds: float | None = None


def is_summary(values: object) -> bool:
    """Whether these are figures that pages can show; some of them may be missing."""
    try:
        _Summary.model_validate(values, strict=True)
    except ValidationError:
        return False
    return True


def release_summary(release: Path) -> dict[str, Any]:
    """The figures of the release in a folder: digest, rows, classes, models, warnings, NCP and seconds.

    Empty if the private folder states them in a way that pages cannot show.
    """
    steward = read_json(private_folder(release) / "steward.json")
    figures = {key: steward[key] for key in _KEYS if key in steward}
    found = {**figures, "ncp": _entry(steward, "measures", "ncp"), "seconds": _entry(steward, "timings", "total")}
    return found if is_summary(found) else {}


def _entry(steward: dict[str, Any], part: str, name: str) -> Any:
    entries = steward.get(part)
    return entries.get(name) if isinstance(entries, dict) else None
