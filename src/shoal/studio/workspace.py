"""What the pages of a project share: the working plan, what is known about the input, and how far each step is.

It lives as long as the server, so that every page shows the same after a reload. It starts jobs, collects their
results, and decides nothing else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncIterable, Mapping
from pathlib import Path
from typing import Any

from shoal.counts import some_of
from shoal.errors import PlanError, ShoalError
from shoal.studio.files import write_json
from shoal.studio.jobs import Job
from shoal.studio.origins import Origin, origin_in, origin_of
from shoal.studio.problems import NoSuchThing
from shoal.studio.profiles import read_profile
from shoal.studio.runs import Run
from shoal.studio.service import Studio
from shoal.studio.states import Failure, State
from shoal.studio.working_plan import WorkingPlan
from shoal.table.catalog import read_by

PROFILE = "profile.json"
SAMPLED = 20
"""Rows of the input that a page shows."""
_READING = {"separator": str, "header": bool, "sheet": str, "query": str}
COUNTED = 200_000
"""Values of a column that are counted for previews; pages show a few of them."""


class Workspace:
    """An open project as the pages see it."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.project = studio.project
        self.plan = WorkingPlan(studio.project)
        self._jobs: dict[str, str] = {}
        self._results: dict[str, dict[str, Any]] = {}
        self._profile: dict[str, Any] | None = None
        self._compared: tuple[str, ...] = ()
        self._drafted: str | None = None
        self._checked = ""
        self._origins: dict[tuple[str, str], Origin] = {}
        self._opened: tuple[dict[str, Any], Origin] | None = None
        self._lacking: dict[str, tuple[object, str]] = {}

    # The input

    @property
    def source(self) -> str:
        """The table that the project is about; empty if none was opened."""
        return str(self.project.settings.get("source") or "")

    @property
    def reading(self) -> dict[str, Any]:
        """How the table is read: separator, header, sheet, and the query that reads a table of a database."""
        found = self.project.settings.get("reading") or {}
        return {name: found[name] for name, kind in _READING.items() if isinstance(found.get(name), kind)}

    def open(self, source: str, **reading: Any) -> None:
        """Makes a table the input of the project: its first rows are read, then it is profiled and a plan drafted."""
        self.studio.reading(source, **reading)
        for name in list(self._jobs):
            self._forget(name)
        (self.project.folder / PROFILE).unlink(missing_ok=True)
        self._profile = None
        self._lacking = {}
        self.project.change(
            source=source, reading={name: value for name, value in reading.items() if value is not None}
        )
        self.look()

    @property
    def source_name(self) -> str:
        """The name of the file, or of the table of a database."""
        found = read_by(self.reading.get("query") or "")
        return Path(self.source).name if found is None else ".".join(found)

    @property
    def sheets(self) -> list[str]:
        """The sheets of the workbook that is open, also after one was chosen; empty unless it has several."""
        known = self.project.settings.get("sheets")
        if isinstance(known, Mapping) and known.get("of") == self.source:
            return [str(name) for name in known.get("names", ())]
        return self._sheets_to_choose()

    @property
    def needs_sheet(self) -> bool:
        """Whether the workbook cannot be read only because no sheet was chosen."""
        return not self.reading.get("sheet") and bool(self._sheets_to_choose())

    def _sheets_to_choose(self) -> list[str]:
        job = self.job("sample")
        return [] if job is None or job.failure is None else sheets_in(job.failure)

    def _keep_sheets(self) -> None:
        """Keeps the sheets of a workbook in the project, so that another one can be chosen later."""
        names = self._sheets_to_choose()
        known = {"of": self.source, "names": names}
        if names and self.project.settings.get("sheets") != known:
            self.project.change(sheets=known)

    def uploaded_tables(self) -> list[Path]:
        """The files that were uploaded as tables, and not as hierarchies."""
        return [path for path in self.project.uploads() if not self.is_hierarchy(path)]

    async def receive_hierarchy(self, name: str, chunks: AsyncIterable[bytes]) -> str:
        """Stores an uploaded hierarchy file, and returns its path as a plan names it."""
        path = await self.studio.receive(name, chunks)
        self.project.note_hierarchies([*self.project.hierarchy_files, path.name])
        return path.relative_to(self.project.folder).as_posix()

    def is_hierarchy(self, path: Path) -> bool:
        """Whether a file was uploaded as a hierarchy."""
        return path.parent == self.project.uploads_folder and path.name in self.project.hierarchy_files

    @property
    def would_lose(self) -> bool:
        """Whether opening a table replaces a plan that was changed by hand, or of which there are runs."""
        drafted = self.project.settings.get("drafted")
        is_edited = drafted is not None and drafted != _digest(self.plan.text())
        return self.profile is not None and (
            is_edited or any(self.is_of_open_table(run) for run in self.project.runs())
        )

    def look(self) -> None:
        """Reads the first rows, unless they are known."""
        if self.source and "sample" not in self._jobs:
            self._start("sample", self.studio.sample(self.source, rows=SAMPLED, **self.reading))

    def profile_anew(self, purpose: str = "general", target: str | None = None) -> None:
        """Profiles the table and replaces the plan by the draft for a purpose."""
        self._forget("profile")
        self._start("profile", self.studio.profile(self.source, purpose=purpose, target=target, **self.reading))

    def count_values(self, column: str) -> None:
        """Counts the values of a column, unless they are known."""
        name = f"values {column}"
        if self.source and name not in self._jobs:
            self._start(name, self.studio.values(self.source, column, limit=COUNTED, **self.reading))

    @property
    def sample(self) -> dict[str, Any] | None:
        """The first rows: `columns`, `rows`, `row_count`; None if they are not known."""
        return self.result("sample")

    @property
    def profile(self) -> dict[str, Any] | None:
        """The profile: `rows`, `columns`, `together`, `riskiest`, `warnings`; None if there is none yet.

        `drafted`: column → the `role` that the draft of the plan gave it, and the `reason`.
        """
        if self._profile is None:
            self._profile = read_profile(self.project.folder / PROFILE)
        return self._profile

    def values(self, column: str) -> list[tuple[str | None, int]] | None:
        """The most frequent values of a column with their counts; None if they are not known."""
        found = self.result(f"values {column}")
        return None if found is None else [(value, count) for value, count in found["values"]]

    @property
    def column_names(self) -> list[str]:
        """All columns of the input, in its order."""
        if self.profile is not None:
            return [column["name"] for column in self.profile["columns"]]
        return list(self.sample["columns"]) if self.sample else []

    # Jobs

    def job(self, name: str) -> Job | None:
        """The job of this name, as it is now; None if none was started."""
        try:
            return self.studio.jobs.job(self._jobs[name]) if name in self._jobs else None
        except NoSuchThing:
            return None

    def result(self, name: str) -> dict[str, Any] | None:
        """The result of a job; None if it is not done."""
        job = self.job(name)
        if name not in self._results and job is not None and job.state is State.DONE:
            self._results[name] = self.studio.jobs.result(job.id)
        return self._results.get(name)

    def is_busy(self, *names: str) -> bool:
        """Whether one of these jobs is going on."""
        jobs = [self.job(name) for name in names]
        return any(job is not None and not job.state.is_final for job in jobs)

    def start(self, name: str, job: Job) -> None:
        """Notes a job under a name; one of the same name that goes on is cancelled."""
        self._forget(name)
        self._start(name, job)

    def collect(self) -> bool:
        """Takes over what jobs have found: starts the profile after the sample, and drafts the plan after the profile.

        Returns whether something changed.
        """
        self._keep_sheets()
        if self.sample is not None and self.profile is None and "profile" not in self._jobs:
            self.profile_anew()
            return True
        found = self.result("profile")
        if found is not None and self._drafted != self._jobs["profile"]:
            self._drafted = self._jobs["profile"]
            self._profile = {**found["profile"], "drafted": found.get("drafted", {})}
            write_json(self.project.folder / PROFILE, self._profile)
            self.plan.replace(found["plan"])
            self.project.change(drafted=_digest(found["plan"]))
            return True
        return False

    def check(self) -> None:
        """Makes a dry run of the working plan."""
        text = self.plan.text()
        self.start("check", self.studio.check(text))
        self._checked = text

    @property
    def is_check_current(self) -> bool:
        """Whether the last dry run was of the plan as it is now."""
        return self._checked == self.plan.text()

    # Runs

    @property
    def finished(self) -> list[Run]:
        """The runs with a release, the newest first."""
        return [run for run in reversed(self.project.runs()) if run.state is State.DONE]

    @property
    def running(self) -> list[Run]:
        """The runs that go on or wait."""
        return [run for run in self.project.runs() if not run.state.is_final]

    @property
    def finished_here(self) -> list[Run]:
        """Those of the table that is open."""
        return [run for run in self.finished if self.is_of_open_table(run)]

    @property
    def comparable(self) -> list[Run]:
        """Those of the same table as the chosen one, the newest first."""
        chosen = self.chosen
        return [] if chosen is None else [run for run in self.finished if self.origin(run) == self.origin(chosen)]

    def origin(self, run: Run) -> Origin:
        """The table that a run was made from."""
        place = (run.id, run.created)  # the number of a run that was deleted may be given again
        if place not in self._origins:
            self._origins[place] = origin_in(run.plan_path, self.project.folder)
        return self._origins[place]

    def is_of_open_table(self, run: Run) -> bool:
        """Whether a run was made from the table that is open."""
        return self.origin(run).key == self._open_table().key

    def _open_table(self) -> Origin:
        """The table that is open; kept, because the rail asks for every run."""
        asked = {**self.reading, "source": self.source}
        if self._opened is None or self._opened[0] != asked:
            self._opened = (asked, origin_of(asked, self.project.folder))
        return self._opened[1]

    @property
    def chosen(self) -> Run | None:
        """The finished run that is inspected and exported; by default the newest of the table that is open."""
        runs = self.finished
        wanted = self.project.settings.get("chosen")
        newest = next(iter([*self.finished_here, *runs]), None)
        return next((run for run in runs if run.id == wanted), newest)

    def choose(self, run_id: str) -> None:
        """Chooses the run that is inspected and exported."""
        self.project.change(chosen=run_id)

    def run(self, name: str) -> Run:
        """Starts a run of the working plan; raises if it is not complete."""
        problem = self.problem()
        if problem is not None:
            raise problem
        self.project.change(chosen=None)  # the newest release is what one wants to see next
        return self.studio.anonymize(self.plan.text(), name)

    def suggest(self, **settings: Any) -> None:
        """Tries variants of the working plan; raises if it is not complete."""
        problem = self.problem()
        if problem is not None:
            raise problem
        self.start("suggest", self.studio.suggest(self.plan.text(), **settings))

    def use_suggested(self) -> None:
        """Replaces the working plan by the proposed one."""
        found = self.result("suggest") or {}
        if found.get("plan"):
            self.plan.replace(found["plan"])

    @property
    def compared(self) -> tuple[str, ...]:
        """The runs that were compared last."""
        return self._compared

    def compare(self, runs: tuple[str, ...]) -> None:
        """Compares releases."""
        self.start("compare", self.studio.compare(runs))
        self._compared = runs

    def look_into(self, run: Run) -> None:
        """Counts what a release contains, and measures its risk, unless that is known."""
        if f"contents {run.id}" not in self._jobs:
            self._start(f"contents {run.id}", self.studio.contents(run.id))
        if f"risk {run.id}" not in self._jobs:
            self._start(f"risk {run.id}", self.studio.risk(run.id))

    def explore(self, run: Run) -> None:
        """Explores the lattice of the plan of a run, unless it is known."""
        if f"lattice {run.id}" not in self._jobs:
            self._start(f"lattice {run.id}", self.studio.lattice(run.id))

    def having(self, *roles: str) -> list[str]:
        """The columns with one of these roles, also those that a pattern names, and those that are not listed."""
        try:
            plan = self.plan.plan and self.plan.plan.for_table(self.column_names, complete=False)
        except PlanError:  # a pattern gives a column two roles
            plan = None
        if plan is None:
            return self.plan.having(*roles)
        columns = plan.listing(self.column_names).columns
        return [name for name, column in columns.items() if column.role in roles]

    def undecided(self) -> list[str]:
        """The columns that have no role yet."""
        if self.plan.tables.get("roles") or self.plan.data.get("unlisted", "error") != "error":
            return []
        return [name for name in self.column_names if name not in self.plan.columns]

    def problem(self) -> ShoalError | None:
        """Why the plan cannot be run yet; None if it can."""
        if self.plan.damage is not None:
            return self.plan.damage
        undecided = self.undecided()
        if undecided:
            return PlanError(f"Columns without a role: {some_of(undecided)}.", hint="give every column a role.")
        return self.plan.person_problem or self.plan.problem

    def note_hierarchy(self, column: str, problem: str) -> None:
        """Notes what a preview found about the hierarchy of a column as it is now; an empty text is no problem."""
        self._lacking[column] = (self.plan.columns.get(column, {}).get("hierarchy"), problem)

    def unfit_hierarchies(self) -> list[str]:
        """The columns whose hierarchy is invalid, or lacks values as far as previews found."""
        columns = self.plan.columns
        lacking = [
            name
            for name, (hierarchy, problem) in self._lacking.items()
            if problem and name in columns and columns[name].get("hierarchy") == hierarchy
        ]
        return list(dict.fromkeys([*self.plan.hierarchy_problems, *lacking]))

    def _start(self, name: str, job: Job) -> None:
        self._jobs[name] = job.id

    def _forget(self, name: str) -> None:
        job = self.job(name)
        if job is not None and not job.state.is_final:
            self.studio.jobs.cancel(job.id)
        self._jobs.pop(name, None)
        self._results.pop(name, None)


def sheets_in(failure: Failure) -> list[str]:
    """The sheets that the error about a workbook with several lists; empty if it is another error.

    >>> sheets_in(Failure("a.xlsx has 2 sheets.", "Its sheets are 2023, 2024."))
    ['2023', '2024']
    """
    number = re.search(r" has (\d+) sheets\.$", failure.error)
    names = failure.allowed.removeprefix("Its sheets are ").removesuffix(".").split(", ")
    return names if number is not None and int(number[1]) == len(names) else []  # a name may contain a comma


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
