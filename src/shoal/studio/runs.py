"""Runs of a project: each is a folder with its plan, its state, and the release that it made."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from shoal.errors import OutputError
from shoal.manifest import MANIFEST
from shoal.studio.files import read_json, write_json
from shoal.studio.states import Failure, Stage, State
from shoal.studio.summary import is_summary
from shoal.unfinished import locked
from shoal.verification.folder import private_folder

PLAN = "plan.toml"
RECORD = "run.json"
RELEASE = "release"
_NAMED = re.compile("[0-9]{4,}-")
"""How the name of the folder of a run begins: with its number."""
_TRIES, _PAUSE = 30, 0.1
_TIMES = ("created", "started", "finished")
_DAMAGED = Failure(
    "The record of this run, run.json, is missing or damaged.",
    allowed="The other files of the run are still in its folder.",
    hint="put back a copy of run.json and open the project again, or delete the run.",
)


@dataclass(frozen=True)
class Run:
    """One run of a plan, as `run.json` records it; a value, which does not change when the run goes on."""

    folder: Path
    name: str
    state: State = State.QUEUED
    stage: Stage = field(default_factory=Stage)
    created: str = ""
    """The time in UTC, in ISO format, as are the other times."""
    started: str = ""
    finished: str = ""
    failure: Failure | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)
    """Figures of the release: `digest`, `rows_in`, `rows_released`, `rows_suppressed`, `classes`, `ncp`, `models`
    (kind, parameters, achieved, holds), `warnings`, `serious_warnings`. Empty until the run is done."""
    job: str = ""
    """The job that makes or made the release; only known to the studio that started it."""

    @property
    def id(self) -> str:
        """The name of the folder, such as `0003-first-try`."""
        return self.folder.name

    @property
    def plan_path(self) -> Path:
        """The plan as it was run; `shoal anonymize` makes the same release from it."""
        return self.folder / PLAN

    @property
    def release(self) -> Path:
        """The folder to publish; it exists if the run is done."""
        return self.folder / RELEASE

    @property
    def private(self) -> Path:
        """The folder of the steward, beside the release."""
        return private_folder(self.release)

    @property
    def has_release(self) -> bool:
        """Whether the release is there."""
        return not self.release.is_symlink() and (self.release / MANIFEST).is_file()

    def files(self) -> list[str]:
        """The names of the files that may be fetched: the plan, the release and the private folder; never links."""
        from shoal.release.ownership import files_in  # imported late: the first page does not wait for it

        found = [
            f"{folder.name}/{name}"
            for folder in (self.release, self.private)
            if not folder.is_symlink()
            for name in files_in(folder)
        ]
        return [name for name in (PLAN, *sorted(found)) if _is_regular(self.folder / name)]

    def changed(self, **changes: Any) -> Run:
        """The run with other values."""
        return replace(self, **changes)

    def save(self) -> None:
        """Records the run in its folder."""
        write_json(self.folder / RECORD, self.to_json())

    def clear(self) -> None:
        """Completes a release that was being put in place, and removes everything else that a killed process left.

        Its process may still be ending: it holds a lock on the plan, for which this waits a few seconds.
        """
        from shoal.release.output import check_free  # imported late: the first page does not wait for it

        for _ in range(_TRIES):
            with suppress(OSError), locked(self.plan_path, wait=False) as is_free:
                if is_free:
                    break
            time.sleep(_PAUSE)
        with suppress(OutputError):  # somebody put other files there: they are not the studio's to remove
            check_free(self.release, force=True)

    def to_json(self) -> dict[str, Any]:
        """The run as JSON values, without the place of its folder."""
        return {
            "id": self.id,
            "name": self.name,
            "state": str(self.state),
            "step": self.stage.step,
            "share": self.stage.share,
            "created": self.created,
            "started": self.started,
            "finished": self.finished,
            "failure": None if self.failure is None else asdict(self.failure),
            "summary": dict(self.summary),
        }


def read_run(folder: Path) -> Run | None:
    """The run that a folder records, which is `damaged` if the record cannot be read.

    None if the folder is not that of a run, or if it or its files are links to elsewhere.
    """
    parts = [folder / name for name in (RECORD, PLAN, RELEASE)]
    if any(path.is_symlink() for path in (folder, *parts)) or not folder.is_dir():
        return None
    values = read_json(folder / RECORD)
    if _is_record(values):
        return _recorded(folder, values)
    is_run = parts[0].exists() or (_NAMED.match(folder.name) is not None and any(path.exists() for path in parts))
    return Run(folder, folder.name, State.DAMAGED, failure=_DAMAGED) if is_run else None


def _is_record(values: Mapping[str, Any]) -> bool:
    """Whether these are the values of a run that pages can show."""
    texts = [values.get(name) or "" for name in ("name", "step", *_TIMES)]
    return (
        values.get("state") in [str(state) for state in State if state is not State.DAMAGED]
        and all(isinstance(text, str) for text in texts)
        and isinstance(values.get("failure") or {}, dict)
        and is_summary(values.get("summary") or {})
    )


def _recorded(folder: Path, values: Mapping[str, Any]) -> Run:
    failure = values.get("failure") or None
    return Run(
        folder,
        values.get("name") or folder.name,
        State(values["state"]),
        Stage(values.get("step") or "", _share(values.get("share"))),
        failure=None if failure is None else Failure.from_json(failure),
        summary=values.get("summary") or {},
        **{name: values.get(name) or "" for name in _TIMES},
    )


def _share(value: object) -> float:
    """The share; 0 if it is none, such as a number that is too large to be one."""
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else 0.0


def _is_regular(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
