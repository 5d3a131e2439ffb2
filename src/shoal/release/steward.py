"""What the steward keeps beside a release: the plan as it was given, and its hierarchies as they were."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError
from shoal.hierarchies import File
from shoal.manifest import MANIFEST, STEWARD, read_json
from shoal.plan import Plan
from shoal.plan.toml import read_plan_file
from shoal.verification.folder import PLAN, private_folder, tree_path
from shoal.verification.reading import sha256


def plan_as_given(folder: Path, steward: Mapping[str, Any]) -> Plan:
    """The plan in the private folder of a release; its paths are relative to the folder that `steward` states."""
    place = steward.get("plan_folder")
    return read_plan_file(private_folder(folder) / PLAN, Path(place) if isinstance(place, str) else None).plan


def plan_beside(folder: Path) -> Plan | None:
    """The plan as it was given, if the private folder beside a release belongs to it and can be read; else None."""
    folder = folder.resolve()
    try:
        steward = read_json(private_folder(folder) / STEWARD)
        belongs = isinstance(steward, dict) and steward.get("digest") == sha256(folder / MANIFEST)
        return plan_as_given(folder, steward) if belongs else None
    except (OSError, ShoalError):
        return None


def kept_hierarchies(private: Path, plan: Plan) -> Mapping[str, Path]:
    """Column → the copy of its hierarchy file in a private folder, for every column that is published in some form."""
    return {
        name: private / tree_path(name)
        for name, column in plan.columns.items()
        if isinstance(column.hierarchy, File) and not column.removed
    }
