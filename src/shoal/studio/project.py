"""Projects: a folder with a plan, runs and reports, which one studio at a time has open. Nothing leaves the folder."""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import OutputError, PlanError
from shoal.studio import groups
from shoal.studio.files import is_partial, read_json, write_json, write_text
from shoal.studio.problems import Busy, NoSuchThing
from shoal.studio.runs import Run, read_run
from shoal.studio.states import Failure, Stage, State
from shoal.studio.summary import release_summary
from shoal.unfinished import locked

if TYPE_CHECKING:
    from shoal.hierarchies import Hierarchy

SETTINGS = "project.json"
PLAN = "plan.toml"
RUNS = "runs"
UPLOADS = "uploads"
_LOCK = ".lock"
SCRATCH = ".scratch"
INTERRUPTED = Failure(
    "The studio ended before the run was done.",
    allowed="No part of a release was left behind.",
    hint="run it again.",
    exit_code=130,
)
_FORMAT = 1
_KINDS: Mapping[str, type] = {
    **dict.fromkeys(("name", "source", "drafted", "chosen", "hierarchy_of", "tab"), str),
    "reading": dict,
    "hierarchy_files": list,
    "groups": dict,
    "sheets": dict,
    "dark": bool,
}
"""Settings that somebody gave a value of another type, which no page could show, count as not set."""
_NAME_AT_MOST = 100
"""Bytes of the name of an upload."""


class Project:
    """An open project: the working plan, the source, the uploads and the runs.

    Every change is on disk before a method returns. Methods may be called from several threads.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], opened: ExitStack) -> None:
        self.folder = folder
        self._settings = dict(settings)
        self._opened = opened
        self._guard = threading.RLock()
        self._runs = {run.id: run for run in map(read_run, sorted(self.runs_folder.iterdir())) if run is not None}

    @classmethod
    def open(cls, folder: str | Path) -> Project:
        """Opens the project in a folder, or makes one in an empty or new folder, with the permissions 0700.

        Raises if another studio has it open, or if the folder contains something else. Runs that a killed studio left
        unfinished become `interrupted`, and what they left behind is removed, as are all temporary files.
        """
        place = _made(Path(folder))
        with ExitStack() as opening:
            if not opening.enter_context(locked(_lock_of(place), wait=False)):
                raise OutputError(
                    f"The project '{place}' is open in another studio.", hint="close that one, or open another folder."
                )
            _clear_scratch(place)
            _clear_partial(place)
            project = cls(place, _settings(place), opening.pop_all())
        project._mend()
        return project

    def close(self) -> None:
        """Removes temporary files and groups that nothing refers to, and lets other studios open the project."""
        self._clear_groups()
        _clear_scratch(self.folder)
        self._opened.close()

    # Settings and plan

    @property
    def name(self) -> str:
        """The name that pages show: that of the folder, unless another was set."""
        return str(self._settings.get("name") or self.folder.name)

    @property
    def source(self) -> Path | None:
        """The table that the project is about; it stays where it is."""
        source = self._settings.get("source")
        return Path(source) if isinstance(source, str) and source else None

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, also those that pages keep here, as JSON values."""
        with self._guard:
            return dict(self._settings)

    def change(self, **settings: Any) -> None:
        """Saves settings, which are JSON values; those that are not given stay as they are."""
        with self._guard:
            self._settings.update(settings)
            write_json(self.folder / SETTINGS, self._settings)

    @property
    def plan_path(self) -> Path:
        """The working plan; paths in it are relative to the folder of the project."""
        return self.folder / PLAN

    def plan_text(self) -> str | None:
        """The text of the working plan; None if there is none yet. Raises if the file cannot be read."""
        try:
            return self.plan_path.read_text(encoding="utf-8-sig") if self.plan_path.is_file() else None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            hint = "save it as UTF-8 with a text editor, or replace it with a new draft."
            raise PlanError(f"The project's {PLAN} cannot be read: {reason}.", hint=hint) from None

    def save_plan(self, text: str) -> None:
        """Replaces the working plan. The text is not checked: a plan may be saved before it is complete."""
        write_text(self.plan_path, text)

    # Uploads and temporary files

    @property
    def runs_folder(self) -> Path:
        """The folder that contains the folders of the runs."""
        return self.folder / RUNS

    @property
    def uploads_folder(self) -> Path:
        """The folder of the files that were uploaded; it is made with the first one."""
        return self.folder / UPLOADS

    @property
    def scratch(self) -> Path:
        """The folder of temporary files, which is emptied when the project is opened and removed when it is closed."""
        folder = self.folder / SCRATCH
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def uploads(self) -> tuple[Path, ...]:
        """The files that were uploaded, by name."""
        found = self.uploads_folder.iterdir() if self.uploads_folder.is_dir() else ()
        return tuple(sorted(path for path in found if path.is_file() and not path.name.startswith(".")))

    def keep_upload(self, received: Path, name: str) -> Path:
        """Moves a file that was received completely to the uploads, under a free name: no other file is replaced.

        Of its name only the last part is used, without unusual characters. A name in the plan of a run is not free,
        even if its file was deleted: the plan would read another file.
        """
        self.uploads_folder.mkdir(mode=0o700, exist_ok=True)
        plain, number, in_runs = _upload_name(name), 1, self._names_in_runs()
        while True:
            path = self.uploads_folder / (plain if number == 1 else f"{number}-{plain}")
            number += 1
            if path.name in in_runs:
                continue
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))  # another upload sees it as taken
            except FileExistsError:
                continue
            received.replace(path)
            return path

    def delete_upload(self, name: str) -> None:
        """Deletes an uploaded file."""
        for path in self.uploads():
            if path.name == name:
                path.unlink()
                self.note_hierarchies(each for each in self.hierarchy_files if each != name)
                return
        raise NoSuchThing("There is no uploaded file of this name.")

    @property
    def hierarchy_files(self) -> list[str]:
        """The names of the files that were uploaded as hierarchies."""
        found = self.settings.get("hierarchy_files")
        return list(found) if isinstance(found, list) else []

    def note_hierarchies(self, names: Iterable[str]) -> None:
        """Notes which files were uploaded as hierarchies."""
        self.change(hierarchy_files=list(names))

    # Groups of values

    def keep_groups(self, column: str, built: Hierarchy) -> str:
        """Writes groups of the values of a column to a file that is never changed; returns its path, as in a plan."""
        path = groups.keep(built, column, self.folder, self.scratch)
        with self._guard:
            self.change(groups={**self._groups(), column: path})
        return path

    def groups_of(self, column: str) -> str | None:
        """The path of the groups that were made last for a column, also if its plan has another hierarchy now."""
        known = [str(self._groups().get(column)), groups.first_of(column)]
        return next((path for path in known if groups.is_of(column, path) and (self.folder / path).is_file()), None)

    def _groups(self) -> dict[str, Any]:
        found = self.settings.get("groups")
        return dict(found) if isinstance(found, Mapping) else {}

    def _names_in_runs(self) -> set[str]:
        """The names of all files in the plans of the runs."""
        names = set[str]()
        for plan in self.runs_folder.glob(f"*/{PLAN}"):
            with suppress(FileNotFoundError):  # a run that is being deleted
                names |= groups.names_in(plan.read_text("utf-8", "replace") if plan.is_file() else "")
        return names

    def _clear_groups(self) -> None:
        """Removes the files of groups to which neither a plan nor a run refers; none if a plan cannot be read."""
        with suppress(OSError, PlanError):  # the working plan may be any text
            last = {Path(str(path)).name for path in self._groups().values()}
            used = self._names_in_runs() | groups.names_in(self.plan_text() or "") | last
            groups.remove_unused(self.folder, used)

    # Runs

    def runs(self) -> tuple[Run, ...]:
        """All runs, the oldest first."""
        with self._guard:
            return tuple(sorted(self._runs.values(), key=lambda run: (_number(run.id), run.id)))

    def run(self, run_id: str) -> Run:
        """The run of this name; raises if there is none."""
        with self._guard:
            if run_id not in self._runs:
                raise NoSuchThing("The project has no run of this name.", hint="list the runs.")
            return self._runs[run_id]

    def new_run(self, plan_text: str, name: str = "") -> Run:
        """Makes the folder of a new run with its plan; the run is queued."""
        with self._guard:
            self.runs_folder.mkdir(mode=0o700, exist_ok=True)  # somebody may have removed it
            number = max((_number(path.name) for path in self.runs_folder.iterdir()), default=0) + 1
            short = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-") or "run"
            folder = self.runs_folder / f"{number:04d}-{short}"
            folder.mkdir(mode=0o700)
            run = Run(folder, name.encode("utf-8", "replace").decode().strip()[:200] or folder.name, created=now())
            write_text(run.plan_path, plan_text)
            return self.record(run)

    def record(self, run: Run) -> Run:
        """Saves the new state of a run."""
        with self._guard:
            run.save()
            self._runs[run.id] = run
            return run

    def guarded(self) -> threading.RLock:
        """Held while a run is read and changed, so that no other change is lost: `with project.guarded(): …`."""
        return self._guard

    def watch(self, run: Run) -> Run:
        """Notes how far a run is, without writing it to disk."""
        with self._guard:
            if run.id in self._runs:
                self._runs[run.id] = run
            return run

    def delete_run(self, run_id: str) -> None:
        """Deletes a run with its release; raises while it is going on."""
        with self._guard:
            run = self.run(run_id)
            if not run.state.is_final:
                raise Busy("The run is not finished.", hint="cancel it first.")
            shutil.rmtree(run.folder)
            del self._runs[run_id]

    def withdraw_run(self, run_id: str) -> None:
        """Deletes a run that was made, but that no job makes."""
        with self._guard:
            shutil.rmtree(self._runs.pop(run_id).folder)

    def _mend(self) -> None:
        """Gives runs that a killed studio left unfinished a final state, and removes what they left behind."""
        for run in self.runs():
            if not run.state.is_final:
                run.clear()
                self.record(_mended(run))
        self._clear_groups()


def now() -> str:
    """The time in UTC, in ISO format."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _number(name: str) -> int:
    """The number with which the name of a run begins; 0 if it has none."""
    found = re.match("[0-9]{4,}", name)
    return int(found[0]) if found else 0


def _mended(run: Run) -> Run:
    if not run.has_release:
        return run.changed(state=State.INTERRUPTED, finished=now(), failure=INTERRUPTED)
    return run.changed(state=State.DONE, stage=Stage(), finished=now(), summary=release_summary(run.release))


def _upload_name(name: str) -> str:
    """A name for a file that is visible, and short enough in bytes for any file system and the number before it.

    It keeps its extension, by which tables are read, also if nothing else can be kept.
    """
    plain = re.sub(r"[^\w.-]+", "_", re.split(r"[/\\]", name)[-1])
    kept = plain.encode("utf-8", "ignore")[-_NAME_AT_MOST:].decode("utf-8", "ignore")
    visible = kept.lstrip("._-")
    before = kept.removesuffix(visible)
    is_extension = before.endswith(".") and before.strip(".")
    return f"table.{visible}" if is_extension and visible else visible or "table"


def _made(folder: Path) -> Path:
    """The absolute path of a project's folder, which exists afterwards."""
    try:
        folder = folder.resolve()
        folder.mkdir(mode=0o700, exist_ok=True)
        if not (folder / SETTINGS).is_file() and any(folder.iterdir()):
            raise OutputError(
                f"'{folder}' is not a project, and not empty.", hint="name a new folder, or that of a project."
            )
        _require_folders(folder)
        folder.chmod(0o700)
        (folder / RUNS).mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError:
        raise OutputError(f"There is no folder '{folder.parent}'.", hint="create it first.") from None
    except OSError as error:
        raise OutputError(f"'{folder}' cannot be used as a project ({error.strerror}).") from None
    return folder


def _lock_of(folder: Path) -> Path:
    """The file that the studio with the project open has locked; a command that releases into the folder locks that."""
    path = folder / _LOCK
    if path.is_symlink():
        raise OutputError(f"'{path}' is a link.", allowed="All files of a project are in its folder.")
    path.touch(mode=0o600)
    return path


def _require_folders(folder: Path) -> None:
    """Raises if a folder inside a project is a link: what is written to it or removed would be elsewhere."""
    for path in (folder / RUNS, folder / UPLOADS, folder / SCRATCH):
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            raise OutputError(
                f"'{path}' is not a folder, or a link to one elsewhere.",
                allowed="All files of a project are in its folder.",
                hint="remove it, or move the folder to which it leads here.",
            )


def _settings(folder: Path) -> dict[str, Any]:
    path = folder / SETTINGS
    if not path.is_file():
        write_json(path, {"format": _FORMAT, "created": now()})
    settings = read_json(path)
    if settings.get("format") != _FORMAT:
        raise OutputError(f"'{path}' is damaged, or was written by a later version of Shoal.")
    return {name: value for name, value in settings.items() if isinstance(value, _KINDS.get(name, object))}


def _clear_scratch(folder: Path) -> None:
    shutil.rmtree(folder / SCRATCH, ignore_errors=True)


def _clear_partial(folder: Path) -> None:
    """Removes the files that a killed studio had begun to write."""
    for place in (folder, folder / UPLOADS, *(folder / RUNS).iterdir()):
        if place.is_dir() and not place.is_symlink():
            for path in place.iterdir():
                if is_partial(path) and path.is_file() and not path.is_symlink():
                    path.unlink()
