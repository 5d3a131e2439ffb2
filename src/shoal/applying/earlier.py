"""What an earlier release says about its recoding: the steward's plan, the levels, and the labels that it published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.applying.trees import plan_then, require_same_trees
from shoal.errors import PlanError, PromiseBroken, ShoalError, TableError, did_you_mean
from shoal.hierarchies import Flat, Learned, Prefix
from shoal.hierarchies.prefix import LONGEST
from shoal.labels import ANY, Exactly, read
from shoal.manifest import MANIFEST, STEWARD, read_json
from shoal.plan import Plan
from shoal.release.steward import plan_as_given
from shoal.roles.columns import Data
from shoal.table import AS_SHOWN, Notation
from shoal.verification.folder import CODEBOOK, private_folder, verify_folder
from shoal.verification.labelled import hierarchy
from shoal.verification.reading import sha256


@dataclass(frozen=True)
class Earlier:
    """An earlier release whose recoding gives a value the same label in every row.

    `plan`: the plan for new rows, without the date and the approval of the earlier release. `levels`: column → the
    level of its hierarchy, for full-domain recodings. `labels`: column → the released labels. `notation`: how numbers
    and dates were written in its input.
    """

    name: str
    digest: str
    plan: Plan
    levels: Mapping[str, int]
    labels: Mapping[str, tuple[str, ...]]
    notation: Notation = AS_SHOWN


def read_earlier(folder: str | Path, plan: Plan | None = None) -> Earlier:
    """The release in a folder with its private folder; `plan`: the steward's, by default the one in that folder.

    Raises if it is no release, if its files were changed, or if its recoding differs between rows.
    """
    folder = Path(folder).resolve()
    steward = _steward(folder)
    plan = plan_as_given(folder, steward) if plan is None else plan
    _require_global(plan)
    digest = sha256(folder / MANIFEST)
    if steward.get("digest") != digest:
        raise PromiseBroken(
            f"'{private_folder(folder)}' does not belong to the release in '{folder}': the digests differ.",
            hint="use both folders as they were written together.",
        )
    then = plan_then(folder, plan)
    found = verify_folder(folder, plan=then)
    if not found.holds:
        raise PromiseBroken(
            " ".join(("The earlier release is not valid.", *found.problems)),
            hint="`shoal verify` with the same plan lists what is wrong.",
        )
    columns = read_json(folder / CODEBOOK)["columns"]
    labels = {name: tuple(entry["labels"]) for name, entry in columns.items() if "labels" in entry}
    levels = _levels(folder, steward, then, labels) if plan.algorithm.recodes_by_level else {}
    require_same_trees(then, plan, levels, labels)
    return Earlier(folder.name, digest, _undated(plan, folder, steward), levels, labels, _notation(folder, steward))


def _steward(folder: Path) -> Mapping[str, Any]:
    """What the steward knows about a release; the private folder has it."""
    if not folder.is_dir():
        names = [other.name for other in folder.parent.iterdir()] if folder.parent.is_dir() else []
        raise TableError(f"There is no folder '{folder}'.", hint=did_you_mean(folder.name, names))
    if not (folder / MANIFEST).is_file():
        raise TableError(f"'{folder}' is not the folder of a release.", hint="name the folder of an earlier release.")
    private = private_folder(folder)
    if not (private / STEWARD).is_file():
        raise TableError(
            f"The private folder of '{folder}' is not beside it.",
            allowed="A recoding is applied with what only the steward has: the plan and the levels of the search.",
            hint=f"put the folder '{private.name}' next to it.",
        )
    steward = read_json(private / STEWARD)
    if not isinstance(steward, dict):
        raise PromiseBroken(f"The {STEWARD} of '{private}' cannot be read.")
    return steward


def _levels(
    folder: Path, steward: Mapping[str, Any], plan: Plan, labels: Mapping[str, tuple[str, ...]]
) -> Mapping[str, int]:
    """The levels that the private folder states; raises unless the published labels may be at these levels."""
    levels = steward.get("levels", {})
    if not isinstance(levels, dict):
        raise PromiseBroken(f"The {STEWARD} of '{private_folder(folder)}' cannot be read.")
    searched = _searched(steward)
    for name, level in levels.items():
        known = name in plan.quasi_identifiers and searched.get(name, level) == level
        if not known or not _is_level(level, name, plan, labels.get(name, ())):
            raise PromiseBroken(
                f"The levels in the {STEWARD} of '{private_folder(folder)}' are not those of the release.",
                allowed="A level is that of the search, and every published label of its column can be at this level.",
                hint="restore the private folder as it was written.",
            )
    return levels


def _notation(folder: Path, steward: Mapping[str, Any]) -> Notation:
    """The notation that the private folder states; one of an older version states none."""
    try:
        return Data(**{key: steward.get("notation", {}).get(key) for key in Notation._fields}).notation
    except (PlanError, AttributeError):
        raise PromiseBroken(f"The {STEWARD} of '{private_folder(folder)}' cannot be read.") from None


def _searched(steward: Mapping[str, Any]) -> Mapping[str, object]:
    """The levels by the record of the search; empty if the release has no such record."""
    lattice = steward.get("lattice")
    try:
        return dict(zip(lattice["columns"], lattice["released"], strict=True)) if isinstance(lattice, dict) else {}
    except (KeyError, TypeError, ValueError):
        return {}


def _is_level(level: object, name: str, plan: Plan, labels: Sequence[str]) -> bool:
    """Whether a column may have been published at a level, as far as its plan and its labels tell."""
    if not isinstance(level, int) or isinstance(level, bool):
        return False
    spec, settings = hierarchy(plan, name), plan.columns[name]
    possible = ~np.isnan(spec.placed(labels).by_level)
    by_values = isinstance(spec, Learned | Flat) or (isinstance(spec, Prefix) and spec.steps is None)
    most = LONGEST if by_values else len(possible) - 1  # how many levels some hierarchies have depends on the values
    if settings.coarsest is not None:
        most = min(most, settings.coarsest)
    if not settings.finest <= level <= most:
        return False
    if level == 0 and isinstance(spec, Learned | Flat | Prefix):  # a value may look like a label of another level
        return all(isinstance(read(label), Exactly) for label in labels)
    if isinstance(spec, Prefix) and spec.steps is not None and level <= len(spec.steps):
        return all(_is_prefix(label, spec.steps[level - 1]) for label in labels)
    unplaced = not possible.any(axis=0).all()
    return unplaced or by_values or bool(possible[level].all())


def _is_prefix(label: str, length: int) -> bool:
    """Whether a label may be a prefix of this length with its star, or a shorter value, which may itself end in one."""
    meaning = read(label)
    if not isinstance(meaning, Exactly):
        return False
    return len(meaning.value) < length or (len(meaning.value) == length + len(ANY) and meaning.value.endswith(ANY))


def _undated(plan: Plan, folder: Path, steward: Mapping[str, Any]) -> Plan:
    """A plan without the date and the approval of the earlier release; others that it gives are kept."""
    try:
        before = plan_as_given(folder, steward).release
    except ShoalError:  # a plan was given because this one can no longer be read
        return plan
    given = plan.release
    date = None if given.date == before.date else given.date
    approval = {} if given.approval == before.approval else given.approval
    return plan.changed(release=given.model_copy(update={"date": date, "approval": approval}))


def _require_global(plan: Plan) -> None:
    """Raises if the algorithm gives a value different labels in different rows."""
    if plan.algorithm.recodes_globally:
        return
    raise PlanError(
        f"The recoding of algorithm '{plan.algorithm.kind}' as set is local: the label of a value depends on the other "
        "rows of its class, so it cannot be applied to new rows.",
        allowed="Global recodings can be applied: those of optimal without local, incognito, samarati and pais.",
        hint="release the new table by a search of its own, with `shoal anonymize`.",
    )
