"""The studio as one object: what pages and the REST interface call. Every path that a visitor names is checked here."""

from __future__ import annotations

import os
import secrets
import tomllib
from collections.abc import AsyncIterable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from shoal.errors import PlanError, ShoalError
from shoal.manifest import MANIFEST, STEWARD
from shoal.plan import Plan
from shoal.plan.toml import read_plan_file
from shoal.studio.databases import Databases
from shoal.studio.files import write_text
from shoal.studio.jobs import Job, JobService
from shoal.studio.places import Places
from shoal.studio.problems import Busy, NoSuchThing, Refused, TooLarge
from shoal.studio.project import Project, now
from shoal.studio.runs import PLAN, Run
from shoal.studio.states import State
from shoal.studio.summary import release_summary
from shoal.table import is_url
from shoal.verification.folder import private_folder

MEGABYTE = 1_000_000
_JUDGING = ("risk", "verify")
"""Jobs that read the roles and models of a plan, and the files of its columns, but not its source."""


@dataclass(frozen=True)
class Limits:
    """What visitors may do: the size of an upload in bytes, whether there may be uploads, and who visitors are."""

    upload: int = 2000 * MEGABYTE
    read_only_inputs: bool = False
    """Whether inputs are only read where they are: nothing is uploaded, and no upload is deleted."""
    reach: str = "private workspace, on this machine only"
    """Who can open the studio, in the words of its pages."""


class Studio:
    """An open project with its jobs, and the rules for both.

    Methods that take a `source`, a `release` or a plan accept paths inside the chosen folders only, relative to the
    project; a release may also be named by its run, and a source may be a database that `databases` allows. They return
    at once, with a job or a run to be watched.
    """

    def __init__(
        self, project: Project, places: Places, limits: Limits | None = None, databases: Databases | None = None
    ) -> None:
        self.project = project
        self.places = places
        self.databases = databases or Databases(places)
        self.limits = limits or Limits()
        self.jobs = JobService(
            project.scratch / "jobs", on_change=self._note, require_plan=lambda kind, path: self.saved_plan(path, kind)
        )

    def close(self) -> None:
        """Cancels all jobs, removes temporary files, and closes the project."""
        self.jobs.close()
        self.project.close()

    # Looking at a table

    def sample(self, source: str | Path, *, rows: int = 20, **reading: Any) -> Job:
        """Reads the first rows of a table; `reading`: `separator`, `header`, `sheet`, and `query` for a database."""
        return self.jobs.submit("sample", {**self.reading(source, **reading), "rows": rows})

    def values(self, source: str | Path, column: str, *, limit: int = 200, **reading: Any) -> Job:
        """Counts the values of a column."""
        return self.jobs.submit("values", {**self.reading(source, **reading), "column": column, "limit": limit})

    def profile(
        self, source: str | Path, *, purpose: str = "general", target: str | None = None, **reading: Any
    ) -> Job:
        """Profiles a table and drafts a plan."""
        asked = {"purpose": purpose, "target": target}
        return self.jobs.submit("profile", {**self.reading(source, **reading), **asked})

    def tables(self, database: str) -> Job:
        """Lists the tables and views of a database, which is a URL or the path of a SQLite file."""
        return self.jobs.submit("tables", {"database": self.databases.url(database)})

    def reading(self, source: str | Path, **reading: Any) -> dict[str, Any]:
        """What a job is told to read a table; raises if the table may not be read."""
        if not is_url(source):
            return {**reading, "source": str(self.places.existing(source))}
        url, query = self.databases.table(str(source), reading.get("query"))
        return {**reading, "source": url, "query": query}

    # Plans and runs

    def plan(self, text: str) -> tuple[Plan, str]:
        """The plan in a text, and the text with absolute paths; raises if it is invalid or reads other folders."""
        draft = self.project.scratch / f"{secrets.token_hex(8)}.toml"
        try:
            text.encode("utf-8")
            write_text(draft, text)
            plan = read_plan_file(draft, self.project.folder).plan
            elsewhere = read_plan_file(draft, self.project.folder / "elsewhere").plan
        except PlanError as error:
            raise PlanError(
                error.fact.replace(f" '{draft.name}'", ""), allowed=error.allowed, hint=error.hint
            ) from None
        except UnicodeEncodeError:
            raise PlanError("The plan is not UTF-8 text: it has a lone surrogate.") from None
        finally:
            draft.unlink(missing_ok=True)
        if plan.data.source is None:
            raise PlanError("The plan names no source to read.", hint='set source = "…" under [data].')
        located = self.databases.located(plan)
        self.places.require_plan(located)
        return located, text if located == elsewhere else _located(text, self.project.folder, located)

    def saved_plan(self, path: Path, kind: str = "") -> Plan:
        """The plan in a file of the chosen folders; raises if it names files in other folders.

        Every job that is given a plan passes here. `kind`: that of the job; some do not read the source of the plan.
        """
        _require_regular(path)
        plan = read_plan_file(self.places.inside(path)).plan
        if kind in _JUDGING:
            self.places.require_files(plan)
            return plan
        if self.databases.located(plan).data.source != plan.data.source:
            raise Refused("The plan names its database in an unusual way.", hint="open the table again, and run it.")
        self.places.require_plan(plan)
        return plan

    def check(self, plan_text: str) -> Job:
        """Makes a dry run of a plan."""
        return self.jobs.submit("check", {"plan": self._draft(plan_text)})

    def _draft(self, plan_text: str) -> str:
        """The path of a temporary file with a plan, which was checked."""
        _, text = self.plan(plan_text)
        path = self.project.scratch / f"draft-{secrets.token_hex(8)}.toml"
        write_text(path, text)
        return str(path)

    def anonymize(self, plan_text: str, name: str = "") -> Run:
        """Starts a run of a plan; `project.run(run.id)` says how far it is."""
        _, text = self.plan(plan_text)
        run = self.project.new_run(text, name)
        arguments = {"plan": str(run.plan_path), "out": str(run.release)}
        try:
            job = self.jobs.submit("anonymize", arguments, run=run.id, lock=run.plan_path)
        except BaseException:  # too many jobs wait, for example: a run without a job would be queued for ever
            self.project.withdraw_run(run.id)
            raise
        with self.project.guarded():
            return self.project.watch(self.project.run(run.id).changed(job=job.id))

    def cancel_run(self, run_id: str) -> Run:
        """Cancels a run; one that is already putting its release in place completes it."""
        for job in self.jobs.jobs():
            if job.run == run_id:
                self.jobs.cancel(job.id)
        return self.project.run(run_id)

    # Judging releases

    def risk(self, data: str | Path, *, plan: str | Path | None = None, **settings: Any) -> Job:
        """Measures the risk of a table, a release or a run; `settings` as for `shoal.studio.work.risk`."""
        files = {"plan": plan, **{name: settings.pop(name, None) for name in ("raw", "reference")}}
        places = {name: str(self.places.existing(path)) for name, path in files.items() if path is not None}
        return self.jobs.submit("risk", {**settings, **places, "data": str(self.release(data, or_table=True))})

    def verify(self, release: str | Path, *, plan: str | Path | None = None, digest: str | None = None) -> Job:
        """Verifies a release, or that of a run."""
        given = {} if plan is None else {"plan": str(self.places.existing(plan))}
        return self.jobs.submit("verify", {**given, "folder": str(self.release(release, alone=True)), "digest": digest})

    def compare(self, releases: Iterable[str | Path], raw: str | Path | None = None) -> Job:
        """Compares releases or runs; each is named as it is given here."""
        folders = {str(each): str(self.release(each)) for each in releases}
        given = {} if raw is None else {"raw": str(self.places.existing(raw))}
        for folder in folders.values() if given else ():  # their query error needs the hierarchies of these plans
            self._require_hierarchies(Path(folder))
        return self.jobs.submit("compare", {**given, "releases": folders})

    def contents(self, run_id: str) -> Job:
        """Counts what the release of a run contains, next to its input."""
        run = self.project.run(run_id)
        return self.jobs.submit("contents", {"release": str(self.release(run_id)), "plan": str(run.plan_path)})

    def lattice(self, run_id: str) -> Job:
        """Explores the lattice of the plan of a run."""
        return self.jobs.submit("lattice", {"plan": str(self.project.run(run_id).plan_path)})

    def suggest(self, plan_text: str, **settings: Any) -> Job:
        """Tries variants of a plan; `settings` as for `shoal.studio.work.suggest`."""
        return self.jobs.submit("suggest", {**settings, "plan": self._draft(plan_text)})

    def release(self, named: str | Path, *, or_table: bool = False, alone: bool = False) -> Path:
        """The folder of a release, which is named by its run or by a path; `or_table`: a table file is allowed too.

        `alone`: the private folder beside it is not read; otherwise that is checked as well.
        """
        runs = {run.id: run for run in self.project.runs()}
        if str(named) in runs:
            if not runs[str(named)].has_release:
                raise Busy("The run has no release.", hint="wait until it is done.")
            named = runs[str(named)].release
        place = self.places.existing(named)  # its files may not be links that lead out
        if not or_table and not place.is_dir():
            raise ShoalError("The path is not the folder of a release.")
        if not alone and (place / MANIFEST).is_file():
            self._require_private(private_folder(place))
        return place

    def _require_private(self, private: Path) -> None:
        """Raises if what is read of the private folder beside a release is outside the folders, or is no file."""
        if not os.path.lexists(private):
            return
        try:
            self.places.existing(private)
        except Refused as error:
            raise Refused(
                "The private folder beside the release leads out of the folders that the studio may read.",
                allowed=error.allowed,
                hint="start the studio with --allow and the folder that contains both.",
            ) from None
        for name in (STEWARD, PLAN):
            _require_regular(private / name)

    def _require_hierarchies(self, release: Path) -> None:
        """Raises if the private plan beside a release names hierarchies or knowledge outside the folders."""
        from shoal.release.steward import plan_beside  # imported late: the first page does not wait for it

        plan = plan_beside(release)
        if plan is not None:  # its source is not read
            self.places.require_files(plan.changed(data=plan.data.model_copy(update={"source": None})))

    # Uploads

    async def receive(self, name: str, chunks: AsyncIterable[bytes]) -> Path:
        """Stores an uploaded file in the project; nothing is left behind if it is too large or breaks off."""
        if self.limits.read_only_inputs:
            raise Refused("This studio takes no uploads.", hint="name a file in a folder that it may read.")
        part, size = self.project.scratch / f"{secrets.token_hex(8)}.upload", 0
        try:
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                async for chunk in chunks:
                    size += len(chunk)
                    if size <= self.limits.upload:  # the rest is read, as far as the gate lets it in, and forgotten
                        file.write(chunk)
            if size > self.limits.upload:
                raise TooLarge(f"The file is larger than {self.limits.upload:,} bytes.", hint="--upload-limit.")
            return self.project.keep_upload(part, name)
        finally:
            part.unlink(missing_ok=True)

    def delete_upload(self, name: str) -> None:
        """Deletes an uploaded file."""
        if self.limits.read_only_inputs:
            raise Refused("This studio does not delete inputs.")
        self.project.delete_upload(name)

    def _note(self, job: Job) -> None:
        """Records in the run what its job does."""
        if not job.run:
            return
        try:
            with self.project.guarded():
                run = self.project.run(job.run)
                if job.state is State.RUNNING and run.state is State.RUNNING:
                    self.project.watch(run.changed(stage=job.stage, job=job.id))
                else:
                    self.project.record(_after(run, job))
        except NoSuchThing:
            return


def _require_regular(path: Path) -> None:
    """Raises for a pipe, for example, from which a thread of the server could read for ever."""
    if path.exists() and not path.is_file():
        raise ShoalError(f"'{path.name}' is not a regular file.", hint="name a file.")


def _after(run: Run, job: Job) -> Run:
    """The run after a change of the state of its job."""
    if not job.state.is_final:
        return run.changed(state=job.state, stage=job.stage, started=now(), job=job.id)
    if job.state is not State.DONE:
        run.clear()
    if run.has_release:
        run = run.changed(state=State.DONE, summary=release_summary(run.release))
    else:
        run = run.changed(state=job.state, failure=job.failure)
    return run.changed(stage=job.stage, finished=now(), job=job.id)


def _located(text: str, folder: Path, plan: Plan) -> str:
    """The text of a plan with the source of `plan`, and absolute paths instead of relative ones; comments are lost."""
    tables: dict[str, Any] = tomllib.loads(text)

    def located(table: Mapping[str, Any], key: str) -> dict[str, Any]:
        value = table.get(key)
        return {**table, key: str(folder / value)} if isinstance(value, str) else dict(table)

    tables["data"] = {**tables.get("data", {}), "source": plan.data.source}
    for name, column in tables.get("columns", {}).items():
        column = located(column, "knowledge")
        if isinstance(column.get("hierarchy"), dict):
            column["hierarchy"] = located(column["hierarchy"], "path")
        tables["columns"][name] = column
    return tomli_w.dumps(tables)
