"""Reading the report of a saved release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from shoal.errors import PromiseBroken, ShoalError
from shoal.manifest import MANIFEST, read_json, read_manifest
from shoal.report.base import Report
from shoal.report.document import Document, schema
from shoal.verification.folder import REPORT_JSON, private_folder
from shoal.verification.reading import sha256


def read_report(folder: str | Path, *, private: bool = False) -> Report:
    """The report of a saved release, for recipients, or for the steward if `private`.

    The published one must be the file whose hash the manifest has. `shoal.verify_folder` checks all files.
    """
    public = Path(folder)
    if not public.is_dir():
        raise ShoalError(f"There is no folder '{public}'.", hint="name the folder of a release.")
    place = (private_folder(public.resolve()) if private else public) / REPORT_JSON
    if not place.is_file():
        raise PromiseBroken(f"'{place.parent}' has no {REPORT_JSON}: an older version made it, or it is incomplete.")
    if not private and read_manifest(public).files.get(REPORT_JSON) != sha256(place):
        raise PromiseBroken(f"The {REPORT_JSON} of '{public}' is not the one that its {MANIFEST} lists.")
    try:
        return Report(Document.from_json(read_json(place)))
    except (ValidationError, ValueError):
        raise PromiseBroken(f"The {REPORT_JSON} of '{place.parent}' is not a valid report.") from None


def report_schema() -> dict[str, Any]:
    """The JSON schema of `report.json`."""
    return schema()
