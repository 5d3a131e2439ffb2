"""The first step: a file is dropped or chosen in a folder, a table of a database chosen, or the demo patients taken."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from shoal.counts import counted
from shoal.errors import ShoalError
from shoal.percent import percent
from shoal.studio.files import write_text
from shoal.studio.jobs import Job
from shoal.studio.pages import browsing, databases, parts
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.toolkit import run, ui
from shoal.studio.states import State
from shoal.studio.wording import HOW_WRITTEN
from shoal.studio.workspace import Workspace

DEMO_ROWS = 10_000
KINDS = (
    ".csv",
    ".tsv",
    ".txt",
    ".parquet",
    ".arrow",
    ".feather",
    ".xlsx",
    ".xls",
    ".ods",
    ".dta",
    ".sav",
    ".sas7bdat",
    ".gz",
    ".zip",
)
_HELP = (
    "Open the table that you want to release: one row per individual, visit or event. Shoal reads text files (CSV, "
    "TSV), Excel workbooks, Parquet, Arrow, Stata, SPSS and SAS files, and tables of databases. Nothing is changed.",
    "Shoal then looks at every column, suggests what it is, and drafts a plan. You check the suggestions in the next "
    "steps. Until you run the plan, nothing is released.",
)


def show(workspace: Workspace) -> None:
    """The page; it follows the job that reads the table."""
    parts.head("Open a table", "Choose the table with the individuals' data. It stays where it is.")
    parts.help_panel(_HELP)
    content = box("flow")
    shown: list[object] = []

    def refresh() -> None:
        problem = None
        try:
            workspace.look()
            workspace.collect()
        except ShoalError as error:  # the table is gone, or in a folder that this studio may not read
            problem = error
        now = (_state(workspace), str(problem))
        if shown != [now]:
            shown[:] = [now]
            content.clear()
            with content:
                if problem is not None:
                    parts.error_box(problem)
                _content(workspace, refresh)

    refresh()
    ui.timer(0.3, refresh)


def _content(workspace: Workspace, refresh: Callable[[], None]) -> None:
    if not workspace.source:
        _choose(workspace, refresh)
        return
    _opened(workspace)
    with parts.more("Open another table"):
        _choose(workspace, refresh)


def _state(workspace: Workspace) -> tuple[object, ...]:
    jobs = [workspace.job(name) for name in ("sample", "profile")]
    seen = [(job.id, job.state, job.stage.is_compiling) if job else None for job in jobs]
    return (workspace.source, *seen, workspace.profile is not None)


def _choose(workspace: Workspace, refresh: Callable[[], None]) -> None:
    problems = box("stack")

    def opened(source: str, **reading: Any) -> None:
        def go() -> None:
            problems.clear()
            try:
                workspace.open(source, **reading)
            except ShoalError as error:
                with problems:
                    parts.error_box(error)
                return
            refresh()

        with problems:
            _ask_before(workspace, "Open it", go)

    async def received(event: Any) -> None:
        problems.clear()
        try:
            path = await workspace.studio.receive(event.file.name, _chunks(event.file))
        except ShoalError as error:
            with problems:
                parts.error_box(error)
            return
        opened(path.relative_to(workspace.project.folder).as_posix())

    async def demo() -> None:
        path = await run.io_bound(_demo_file, workspace)
        if path is not None:  # None: the server is ending
            opened(path)

    with box("two"):
        if not workspace.studio.limits.read_only_inputs:
            note = "It is copied into the folder of the project."
            with parts.card("Drop a file", note=note), box("drop"):
                upload = ui.upload(
                    label="Drop a file here, or press +",
                    auto_upload=True,
                    on_upload=received,
                    max_file_size=workspace.studio.limits.upload,
                )
                upload.props(f'flat accept="{",".join(KINDS)}"')
                parts.on_rejected(upload, KINDS, elsewhere=databases.DROPPED)
            with parts.card("Or try it out", note="10,000 made-up patients, to see how it works."):
                parts.second("Use the demo patients", demo, "groups")
    browsing.Files(workspace, KINDS, opened)
    browsing.other_uploads(workspace, KINDS)
    databases.Chooser(workspace, _databases(workspace), opened)


def _ask_before(workspace: Workspace, words: str, go: Callable[[], None]) -> None:
    """Does something that replaces the working plan; asks first if work would be lost."""
    if not workspace.would_lose:
        go()
        return
    with parts.asked("width: 34rem") as dialog:
        text("Replace the plan?", tag="h2")
        text(
            f"The roles, hierarchies and models for {workspace.source_name} are replaced by a new draft. Runs stay, "
            "each with the plan that it was made from."
        )

        def replace() -> None:
            dialog.close()
            go()

        with box("line end"):
            parts.second("Keep the plan", dialog.close)
            parts.primary(words, replace)


def _databases(workspace: Workspace) -> list[Path]:
    """The SQLite files in the folders that the studio may read."""
    return [path for path in browsing.top(workspace) if path.is_file() and path.suffix.lower() in databases.KINDS]


def _opened(workspace: Workspace) -> None:
    """What is known about the table that is open."""
    sample, job, profiling = workspace.sample, workspace.job("sample"), workspace.job("profile")
    name = workspace.source_name
    if job is not None and job.state in (State.FAILED, State.CANCELLED) and job.failure is not None:
        if workspace.needs_sheet:
            _sheets(workspace, workspace.sheets)
        else:
            parts.error_box(job.failure, f"'{name}' cannot be read")
        _reading(workspace)
        return
    if sample is None:
        parts.note("sea", f"Reading '{name}' …", "The page stays usable; large files take some seconds.")
        return
    if profiling is not None and profiling.state is State.FAILED and profiling.failure is not None:
        parts.error_box(profiling.failure, "The table cannot be profiled")
    elif workspace.profile is None:
        parts.note(
            "sea", "Looking at the columns …", "Shoal suggests a role for each, and drafts a plan.", _doing(profiling)
        )
    with parts.card(f"The first rows of {name}", private=True):
        columns = counted(len(sample["columns"]), "column", "columns")
        text(f"{counted(sample['row_count'], 'row', 'rows')} and {columns}.", "soft")
        parts.table(sample["columns"], sample["rows"][:10], classes="sample", label="The first rows")
    _reading(workspace)
    if workspace.profile is not None:
        _uniqueness(workspace.profile)
        with box("line end"):
            parts.primary("Check the roles", lambda: parts.to_step("/roles"), "arrow_forward")


def _doing(job: Job | None) -> str:
    compiling = "Shoal compiles its search on this machine, which takes up to a minute, once."
    return compiling if job is not None and job.stage.is_compiling else ""


def _uniqueness(profile: dict[str, Any]) -> None:
    together = profile.get("together")
    if together:
        parts.note(
            "care" if together["unique"] > 0.05 else "sea",
            f"{percent(together['unique'])} of the rows are unique on the columns that others may know",
            "Someone who knows these facts about a person would find exactly one row: that is why removing names is "
            "not enough. The next steps make rows indistinguishable.",
        )
    parts.warnings(profile.get("warnings", []))


def _sheets(workspace: Workspace, sheets: list[str]) -> None:
    """Asks which sheet of a workbook is the table."""
    head = f"'{workspace.source_name}' has {counted(len(sheets), 'sheet', 'sheets')}"
    with parts.note("care", head, "A table is one sheet. Choose the one with the individuals' data."), box("line"):
        chosen = ui.select(sheets, value=sheets[0], label="Sheet").props("outlined dense").style("min-width: 13rem")

        def read() -> None:
            workspace.open(workspace.source, **{**workspace.reading, "sheet": chosen.value})

        parts.primary("Read this sheet", read)


def _reading(workspace: Workspace) -> None:
    """How the file is read, if the guess was wrong."""
    current = workspace.reading
    if current.get("query"):
        return
    with parts.more(f"The rows look wrong? {HOW_WRITTEN}"), box("line top"):
        separator = ui.select(
            {None: "detect", ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"},
            value=current.get("separator"),
            label="Separator",
        )
        header = ui.select(
            {None: "detect", True: "the first line has names", False: "no names"},
            value=current.get("header"),
            label="Names of columns",
        )
        sheet = _sheet_field(workspace.sheets, current.get("sheet") or "")
        for field in (separator, header, sheet):
            field.props("outlined dense").style("min-width: 13rem")

        def again() -> None:
            workspace.open(
                workspace.source,
                separator=separator.value,
                header=header.value,
                sheet=(sheet.value or "").strip() or None,
            )

        parts.second("Read it again", lambda: _ask_before(workspace, "Read it again", again))


def _sheet_field(sheets: list[str], current: str) -> Any:
    """The field of the sheet: a choice, if the sheets of the workbook are known."""
    if not sheets:
        return ui.input("Sheet (Excel)", value=current)
    return ui.select(
        list(dict.fromkeys([*sheets, *([current] if current else [])])), value=current or None, label="Sheet"
    )


async def _chunks(file: Any) -> AsyncIterator[bytes]:
    async for chunk in file.iterate():
        yield chunk


def _demo_file(workspace: Workspace) -> str:
    """The demo patients as a file of the project."""
    from shoal.datasets import patients

    part = workspace.project.scratch / f"{secrets.token_hex(8)}.upload"
    write_text(part, patients(DEMO_ROWS).write_csv())
    path = workspace.project.keep_upload(part, "patients.csv")
    return path.relative_to(workspace.project.folder).as_posix()
